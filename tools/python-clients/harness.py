"""Answers questions about a client, one JSON line each, as test/support/clients/program.ts asks them.

A client is an object with one method per case. A method returns what the client saw; it checks nothing itself.
"""

from __future__ import annotations

import asyncio
import gc
import inspect
import json
import os
import sys
import traceback
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Callable, TextIO

from pydantic import BaseModel

STATUSES = (400, 401, 403, 404, 429, 500, 503, 529)

WEATHER = {
    "name": "get_weather",
    "description": "The weather in a city.",
    "schema": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
        "additionalProperties": False,
    },
}
TIME = {
    "name": "get_time",
    "description": "The time in a zone.",
    "schema": {
        "type": "object",
        "properties": {"zone": {"type": "string"}},
        "required": ["zone"],
        "additionalProperties": False,
    },
}
TOOLS = (WEATHER, TIME)
RESULTS = {"get_weather": "21 °C", "get_time": "noon"}


class Person(BaseModel):
    name: str
    age: int


class Unsupported(Exception):
    """The client has no way to express the case. The text says why."""


@dataclass(frozen=True)
class Question:
    model: str
    prompt: str
    #: A PNG file in base64.
    image: str


Case = Callable[[Question], Awaitable[Mapping[str, Any]]]


def serve(clients: Mapping[str, object]) -> None:
    """Answers questions until the input ends. What a library prints goes to the standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    asyncio.run(answer_all(clients, answers))


async def answer_all(clients: Mapping[str, object], answers: TextIO) -> None:
    """The loop runs while it waits, as in an application: libraries close connections in tasks of their own."""
    while line := await asyncio.to_thread(sys.stdin.readline):
        answer = await answer_to(clients, json.loads(line))
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


async def answer_to(clients: Mapping[str, object], question: dict[str, str]) -> dict[str, Any]:
    case: Case = getattr(clients[question["client"]], question["case"].replace(" ", "_"))
    try:
        return {"seen": await case(Question(question["model"], question["prompt"], question["image"]))}
    except Unsupported as reason:
        return {"unsupported": str(reason)}
    except Exception:
        return {"error": traceback.format_exc()}


async def settle(value: Any) -> Any:
    """The result of a call of a synchronous or an asynchronous client."""
    return await value if inspect.isawaitable(value) else value


async def each(items: Any) -> AsyncIterator[Any]:
    """The items of a synchronous or an asynchronous stream."""
    if hasattr(items, "__aiter__"):
        async for item in items:
            yield item
    else:
        for item in items:
            yield item


@asynccontextmanager
async def entered(manager: Any) -> AsyncIterator[Any]:
    """A synchronous or an asynchronous context manager."""
    if hasattr(manager, "__aenter__"):
        async with manager as value:
            yield value
    else:
        with manager as value:
            yield value


def status_code(failure: BaseException) -> Any:
    return getattr(failure, "status_code", None)


async def statuses_of(
    call: Callable[[str], Awaitable[Any]],
    error: type[Exception],
    read: Callable[[BaseException], Any] = status_code,
) -> dict[str, Any]:
    """The status of the error that each prompt ends with."""
    statuses: dict[str, Any] = {}
    for status in STATUSES:
        try:
            await call(f"status {status}")
        except error as failure:
            statuses[str(status)] = read(failure)
    return {"statuses": statuses}


async def read_until_failure(texts: AsyncIterator[str], error: type[Exception]) -> dict[str, Any]:
    """The text before a stream fails."""
    said = ""
    try:
        async for text in texts:
            said += text
    except error:
        return {"text": said, "failed": True}
    return {"text": said, "failed": False}


async def drop(chunks: Any) -> None:
    """Ends a stream whose library does not close the connection. Python does, when it collects the objects."""
    await settle(chunks.aclose() if hasattr(chunks, "aclose") else chunks.close())
    gc.collect()


async def cancel_at_first(texts: AsyncIterator[str]) -> dict[str, Any]:
    """Cancels the task that reads a stream when the first text has arrived."""
    first: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def read() -> None:
        async for text in texts:
            if text and not first.done():
                first.set_result(text)

    task = asyncio.create_task(read())
    await asyncio.wait([task, first], return_when=asyncio.FIRST_COMPLETED)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return {"text": first.result() if first.done() else ""}
