"""Tools: Python functions that the model calls."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Annotated, Any, List, Literal, Optional

import pytest

from simple_agents import SimpleAgentsClient, ToolLoopError
from simple_agents.schema import signature_schema
from simple_agents.tool import ToolSet

QUESTION = "What is the weather in Lisbon?"


@dataclass
class Place:
    city: str


def get_weather(city: Annotated[str, "The name of a city"], unit: Literal["C", "F"] = "C") -> str:
    """The weather in a city."""
    return f"sunny in {city}"


def results_of(messages: List[dict[str, Any]]) -> List[Any]:
    blocks = [block for message in messages for block in message["content"] if block["type"] == "tool-result"]
    return [(block["content"][0]["text"], block.get("isError", False)) for block in blocks]


def test_the_signature_is_the_schema() -> None:
    assert signature_schema(get_weather) == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The name of a city"},
            "unit": {"enum": ["C", "F"]},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert ToolSet([get_weather]).definitions[0]["description"] == "The weather in a city."


def test_the_model_calls_a_function(client: SimpleAgentsClient) -> None:
    result = client.chat(QUESTION, tools=[get_weather])
    assert "sunny in Lisbon" in result.text
    assert [message["role"] for message in result.messages] == ["assistant", "user", "assistant"]
    assert (result.tool_calls, result.stop_reason) == ((), "end")
    single = client.chat(QUESTION)
    assert result.usage.input > 2 * single.usage.input


def test_streams_go_on_after_a_tool(client: SimpleAgentsClient) -> None:
    stream = client.stream(QUESTION, tools=[get_weather])
    assert "sunny in Lisbon" in "".join(stream)
    assert results_of(stream.result().messages) == [("sunny in Lisbon", False)]


def test_arguments_and_results_have_types(client: SimpleAgentsClient) -> None:
    seen: List[Any] = []

    def get_weather(place: Place, days: Optional[List[int]] = None) -> Any:
        seen.append((place, days))
        return {"place": place, "days": {1}}

    result = client.chat(QUESTION, tools=[get_weather])
    assert isinstance(seen[0][0], Place)
    text, is_error = results_of(result.messages)[0]
    assert (json.loads(text), is_error) == ({"place": {"city": seen[0][0].city}, "days": [1]}, False)


def test_a_failing_tool_is_a_result(client: SimpleAgentsClient) -> None:
    def get_weather(city: str) -> str:
        raise ValueError(f"no weather for {city}")

    result = client.chat(QUESTION, tools=[get_weather])
    assert results_of(result.messages) == [("ValueError: no weather for Lisbon", True)]


def test_coroutine_functions(client: SimpleAgentsClient) -> None:
    async def get_weather(city: str) -> str:
        await asyncio.sleep(0)
        return f"rain in {city}"

    assert "rain in Lisbon" in asyncio.run(client.chat_async(QUESTION, tools=[get_weather])).text

    async def read() -> str:
        return "".join([piece async for piece in client.astream(QUESTION, tools=[get_weather])])

    assert "rain in Lisbon" in asyncio.run(read())
    with pytest.raises(TypeError, match="chat_async"):
        client.chat(QUESTION, tools=[get_weather])


def test_plain_functions_do_not_block_a_loop(client: SimpleAgentsClient) -> None:
    import threading

    threads: List[int] = []

    def get_weather(city: str) -> str:
        threads.append(threading.get_ident())
        return city

    asyncio.run(client.chat_async(QUESTION, tools=[get_weather]))
    assert threads != [threading.get_ident()]


def test_the_loop_is_bounded(client: SimpleAgentsClient) -> None:
    calls: List[str] = []

    def get_weather(city: str) -> str:
        calls.append(city)
        return "ask again"

    with pytest.raises(ToolLoopError, match="max_tool_rounds"):
        client.chat(QUESTION, tools=[get_weather], tool_choice="required", max_tool_rounds=3)
    assert len(calls) == 3
    with pytest.raises(ToolLoopError):
        list(client.stream(QUESTION, tools=[get_weather], max_tool_rounds=0))


def test_a_definition_without_a_function_is_left_to_the_caller(client: SimpleAgentsClient) -> None:
    definition = {
        "name": "get_weather",
        "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    }
    result = client.chat(QUESTION, tools=[definition])
    assert [(call.name, call.input) for call in result.tool_calls] == [("get_weather", {"city": "Lisbon"})]
    assert result.stop_reason == "tool-calls"


def test_a_typed_answer_after_a_tool(client: SimpleAgentsClient) -> None:
    value = client.complete(QUESTION, tools=[get_weather], response_model=Place)
    assert isinstance(value, Place)


def test_functions_that_cannot_be_tools() -> None:
    def spread(*cities: str) -> None: ...

    with pytest.raises(TypeError, match="cities"):
        ToolSet([spread])
    with pytest.raises(TypeError, match="name"):
        ToolSet([lambda city: city])
