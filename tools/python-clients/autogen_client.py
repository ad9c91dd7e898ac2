"""The package `autogen-ext`, with its clients for OpenAI's chat API and for Anthropic."""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import anthropic
import openai
from autogen_core import Image
from autogen_core.models import (
    AssistantMessage,
    CreateResult,
    FunctionExecutionResult,
    FunctionExecutionResultMessage,
    ModelInfo,
    UserMessage,
)
from autogen_core.tools import FunctionTool
from autogen_ext.models.anthropic import AnthropicChatCompletionClient
from autogen_ext.models.openai import OpenAIChatCompletionClient
from harness import RESULTS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of
from PIL.Image import open as open_image

ERRORS: Any = (openai.APIError, anthropic.APIError)

INFO = ModelInfo(vision=True, function_calling=True, json_output=True, family="unknown", structured_output=True)


def get_weather(city: str) -> str:
    return RESULTS["get_weather"]


def get_time(zone: str) -> str:
    return RESULTS["get_time"]


def tools(strict: bool = False) -> list[FunctionTool]:
    return [
        FunctionTool(get_weather, "The weather in a city.", strict=strict),
        FunctionTool(get_time, "The time in a zone.", strict=strict),
    ]


def asked(content: Any) -> UserMessage:
    return UserMessage(content=content, source="user")


def calls_of(result: CreateResult) -> list[Any]:
    return [[call.name, json.loads(call.arguments)] for call in result.content]


def usage_of(result: CreateResult) -> list[int]:
    return [result.usage.prompt_tokens, result.usage.completion_tokens]


class Autogen:
    def __init__(self, connect: Callable[[str], Any], **reasons: str) -> None:
        self.connect = connect
        #: Why the client cannot express a case.
        self.reasons = reasons

    def expect(self, case: str) -> None:
        if case in self.reasons:
            raise Unsupported(self.reasons[case])

    async def run(self, question: Question, *messages: Any, **options: Any) -> CreateResult:
        return await self.connect(question.model).create(messages or [asked(question.prompt)], **options)

    def chunks(self, question: Question, **options: Any) -> AsyncIterator[Any]:
        """Texts, then the result."""
        return self.connect(question.model).create_stream([asked(question.prompt)], **options)

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for chunk in self.chunks(question):
            if isinstance(chunk, str):
                yield chunk

    async def text(self, question: Question) -> dict[str, Any]:
        result = await self.run(question)
        return {"text": result.content, "usage": usage_of(result)}

    async def stream(self, question: Question) -> dict[str, Any]:
        *deltas, _ = [chunk async for chunk in self.chunks(question)]
        # It reads the input tokens where a stream begins. The simulated model counts them at the end.
        return {"deltas": deltas, "usage": None}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first = await self.run(question, tools=tools())
        results = [
            FunctionExecutionResult(content=RESULTS[call.name], name=call.name, call_id=call.id, is_error=False)
            for call in first.content
        ]
        said = AssistantMessage(content=first.content, source="assistant")
        done = FunctionExecutionResultMessage(content=results)
        second = await self.run(question, asked(question.prompt), said, done, tools=tools())
        return {"calls": calls_of(first), "text": second.content}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        self.expect("strict")
        chunks = [chunk async for chunk in self.chunks(question, tools=tools(strict=True))]
        return {"calls": calls_of(chunks[-1])}

    async def structured(self, question: Question) -> dict[str, Any]:
        self.expect("structured")
        value = await self.run(question, json_output=Person)
        chunks = [chunk async for chunk in self.chunks(question, json_output=Person)]
        return {"value": json.loads(value.content), "streamed": json.loads(chunks[-1].content)}

    async def image(self, question: Question) -> dict[str, Any]:
        image = Image(open_image(io.BytesIO(base64.b64decode(question.image))))
        result = await self.run(question, asked([question.prompt, image]))
        return {"text": result.content, "image": image.to_base64()}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it drops the signature of the reasoning")

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.run(question, asked(prompt)), ERRORS)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        self.expect("cancel")
        return await cancel_at_first(self.deltas(question))


class AutogenChat(Autogen):
    async def stream(self, question: Question) -> dict[str, Any]:
        *deltas, result = [chunk async for chunk in self.chunks(question, include_usage=True)]
        return {"deltas": deltas, "usage": usage_of(result)}


if __name__ == "__main__":
    url = sys.argv[1]
    options: dict[str, Any] = {"api_key": "any", "model_info": INFO, "max_retries": 0}
    serve(
        {
            "autogen, chat": AutogenChat(
                lambda model: OpenAIChatCompletionClient(model=model, base_url=f"{url}/v1", **options),
                cancel="it keeps the connection of a stream that was left or cancelled",
            ),
            "autogen, anthropic": Autogen(
                lambda model: AnthropicChatCompletionClient(model=model, base_url=url, max_tokens=4000, **options),
                strict="it has no strict tools for Anthropic",
                structured="it asks Anthropic for no schema",
            ),
        }
    )
