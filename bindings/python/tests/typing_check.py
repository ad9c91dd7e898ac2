"""Checked by mypy and pyright, not run: the types that a caller sees."""

from dataclasses import dataclass
from typing import Any, Dict, List, Literal, Optional, Union

from typing_extensions import assert_type

from simple_agents import (
    AsyncChatStream,
    ChatResult,
    ChatStream,
    HealResult,
    Partial,
    RequestOptions,
    SimpleAgentsClient,
    heal,
)


@dataclass
class Person:
    name: str


SCHEMA: Dict[str, Any] = {"type": "object"}


def check_sync(client: SimpleAgentsClient) -> None:
    assert_type(client.complete("Hello", model="m", temperature=0.5), str)
    assert_type(client.complete("Hello", "m", response_model=Person), Person)
    options: RequestOptions = {"model": "m", "seed": 1}
    assert_type(client.complete("Hello", **options), str)
    assert_type(
        client.complete([("user", "Hello"), {"role": "assistant", "content": "Hi"}], response_model=Person), Person
    )
    assert_type(client.complete("Hello", response_model=SCHEMA), Any)
    assert_type(client.complete("Hello", response_model=List[Person]), List[Person])
    assert_type(client.chat("Hello"), ChatResult[None])
    assert_type(client.chat("Hello", response_model=Person).value, Person)
    assert_type(client.stream("Hello"), ChatStream[str, None])
    assert_type(client.stream("Hello", response_model=Person, monotone=False), ChatStream[Partial[Person], Person])
    assert_type([piece for piece in client.stream("Hello")], List[str])
    assert_type(client.stream("Hello", response_model=Person).result().value, Person)
    assert_type([person.name for person in client.stream("Hello", response_model=Person)], List[Optional[Any]])
    # mypy reads the types of these as Any.
    _union: Union[Person, int] = client.complete("Hello", response_model=Union[Person, int])
    _letter: ChatResult[Literal["a", "b"]] = client.chat("Hello", response_model=Literal["a", "b"])
    assert_type(heal("{}", Person), HealResult[Person])
    _healed: Union[Person, int] = heal("{}", Union[Person, int]).value
    assert_type(heal("{}").value, Any)


async def check_async(client: SimpleAgentsClient) -> None:
    assert_type(await client.complete_async("Hello"), str)
    assert_type((await client.chat_async("Hello", response_model=Person)).value, Person)
    assert_type(client.astream("Hello", response_model=Person), AsyncChatStream[Partial[Person], Person])
    assert_type([piece async for piece in client.astream("Hello")], List[str])


def check_mistakes(client: SimpleAgentsClient) -> None:
    client.complete("Hello", temprature=1)  # type: ignore[call-overload]
    SimpleAgentsClient("openai", "key", base_uri="http://localhost")  # type: ignore[call-arg]
    SimpleAgentsClient("openai", "key", retry={"max_attemps": 1})  # type: ignore[arg-type]
    for person in client.stream("Hello", response_model=Person):
        person.name.upper()  # type: ignore[union-attr]
    client.complete("Hello", max_tokens="many")  # type: ignore[call-overload]
