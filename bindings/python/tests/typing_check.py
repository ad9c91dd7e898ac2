"""Checked by mypy and pyright, not run: the types that a caller sees."""

from dataclasses import dataclass
from typing import Any, Dict, List

from typing_extensions import assert_type

from simple_agents import AsyncChatStream, ChatResult, ChatStream, HealResult, SimpleAgentsClient, heal


@dataclass
class Person:
    name: str


SCHEMA: Dict[str, Any] = {"type": "object"}


def check_sync(client: SimpleAgentsClient) -> None:
    assert_type(client.complete("Hello", model="m", temperature=0.5), str)
    assert_type(
        client.complete([("user", "Hello"), {"role": "assistant", "content": "Hi"}], response_model=Person), Person
    )
    assert_type(client.complete("Hello", response_model=SCHEMA), Any)
    assert_type(client.complete("Hello", response_model=List[Person]), List[Person])
    assert_type(client.chat("Hello"), ChatResult[None])
    assert_type(client.chat("Hello", response_model=Person).value, Person)
    assert_type(client.stream("Hello"), ChatStream[str, None])
    assert_type(client.stream("Hello", response_model=Person, monotone=False), ChatStream[Person, Person])
    assert_type([piece for piece in client.stream("Hello")], List[str])
    assert_type(client.stream("Hello", response_model=Person).result().value, Person)
    assert_type(heal("{}", Person), HealResult[Person])
    assert_type(heal("{}").value, Any)


async def check_async(client: SimpleAgentsClient) -> None:
    assert_type(await client.complete_async("Hello"), str)
    assert_type((await client.chat_async("Hello", response_model=Person)).value, Person)
    assert_type(client.astream("Hello", response_model=Person), AsyncChatStream[Person, Person])
    assert_type([piece async for piece in client.astream("Hello")], List[str])


def check_mistakes(client: SimpleAgentsClient) -> None:
    client.complete("Hello", temprature=1)  # type: ignore[call-overload]
    SimpleAgentsClient("openai", "key", base_uri="http://localhost")  # type: ignore[call-arg]
    client.complete("Hello", max_tokens="many")  # type: ignore[call-overload]
