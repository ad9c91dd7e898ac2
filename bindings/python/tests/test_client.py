"""Plain calls: results, messages, options, and the simulated model inside the package."""

from __future__ import annotations

import asyncio
import inspect
import pickle
import pydoc
from typing import Any, cast

import pytest

from simple_agents import (
    AuthError,
    BadRequestError,
    ClientOptions,
    HealOptions,
    RequestOptions,
    SimpleAgentsClient,
    Usage,
    heal,
)
from simple_agents.option import to_client_options

COUNT = "1, 2, 3, 4, 5"


def test_complete_returns_the_text(client: SimpleAgentsClient) -> None:
    assert client.complete([("user", "Count to 5")], model="gpt-4") == COUNT


def test_chat_returns_usage_cost_and_target(client: SimpleAgentsClient) -> None:
    result = client.chat("Count to 5")
    assert (result.text, result.value, result.stop_reason) == (COUNT, None, "end")
    assert result.usage == Usage(input=6, output=4)
    assert result.cost is not None and result.cost > 0
    assert (result.model, result.target) == ("gpt-4o", "openai")
    assert result.messages == [{"role": "assistant", "content": [{"type": "text", "text": COUNT}]}]


def test_a_conversation_goes_on_with_the_messages_of_the_result(client: SimpleAgentsClient) -> None:
    first = client.chat("Count to 3")
    again = client.chat([("user", "Count to 3"), *first.messages, ("user", "Count to 4")])
    assert again.text == "1, 2, 3, 4"


@pytest.mark.parametrize("text", ["Ünïcode 😀 \u0000 “quotes”", "\n\t\\", "a lone \ud800 surrogate"])
def test_text_arrives_unchanged(client: SimpleAgentsClient, text: str) -> None:
    expected = text.replace("\ud800", "\ufffd")
    assert expected in client.complete(f"say {text} now")


def test_the_simulated_model_needs_no_key_and_no_network() -> None:
    assert SimpleAgentsClient("simulated", "").complete("Count to 5") == COUNT


def test_unknown_options_are_named_with_a_suggestion(client: SimpleAgentsClient) -> None:
    untyped: Any = client
    with pytest.raises(TypeError, match=r"temprature.*Did you mean 'temperature'"):
        untyped.complete("Hello", temprature=1)
    with pytest.raises(TypeError, match=r"base_uri.*Did you mean 'base_url'"):
        SimpleAgentsClient("openai", "key", **{"base_uri": "http://localhost"})  # type: ignore[arg-type]


def test_option_names_are_translated_but_not_the_names_of_users() -> None:
    options = {
        "max_tokens": 5,
        "headers": {"x_my_header": "1"},
        "models": {"my_model": {"targets": ["openai/gpt_4"]}},
        "chains": [{"model": "my_model", "targets": [], "fallback_on": ["timeout"]}],
        "retry": {"max_attempts": 2},
        "breaker": False,
    }
    assert to_client_options("openai", "key", options) == {
        "provider": "openai",
        "apiKey": "key",
        "maxTokens": 5,
        "headers": {"x_my_header": "1"},
        "models": {"my_model": {"targets": ["openai/gpt_4"]}},
        "chains": [{"model": "my_model", "targets": [], "fallbackOn": ["timeout"]}],
        "retry": {"maxAttempts": 2},
        "breaker": False,
    }


def test_request_options_reach_the_provider(client: SimpleAgentsClient) -> None:
    assert client.chat("Count to 50", max_tokens=3).stop_reason == "length"
    assert client.complete("Count to 5", stop=["3"]) == "1, 2, "


def test_the_cache_answers_without_cost(open_client: Any) -> None:
    client = open_client(cache={"max_bytes": 1_000_000, "ttl": "1h"})
    first, second = client.chat("Count to 5"), client.chat("Count to 5")
    assert (first.text, first.cost > 0) == (second.text, True)
    assert second.cost == 0
    assert [notice["kind"] for notice in second.notices] == ["cached"]


def test_a_fallback_answers_when_the_first_target_fails(open_client: Any) -> None:
    chain = {"model": "gpt-4o", "targets": ["openai/gpt-4o", "simulated/simulated"]}
    result = open_client({"status": 503}, chains=[chain]).chat("Count to 5", model="gpt-4o")
    assert (result.text, result.target.split("/")[0]) == (COUNT, "simulated")


def test_the_model_is_the_second_argument(open_client: Any) -> None:
    client = open_client(model=None)
    assert client.complete("Count to 5", "gpt-4o") == COUNT
    assert client.chat("Count to 5", "gpt-4o").model == "gpt-4o"
    assert "".join(client.stream("Count to 5", "gpt-4o")) == COUNT

    async def read() -> str:
        streamed = "".join([piece async for piece in client.astream("Count to 5", "gpt-4o")])
        assert (await client.chat_async("Count to 5", "gpt-4o")).text == streamed
        return cast(str, await client.complete_async("Count to 5", "gpt-4o"))

    assert asyncio.run(read()) == COUNT


def test_a_closed_client_says_so(client: SimpleAgentsClient) -> None:
    with client:
        client.complete("Hello")
        client.close()
    client.close()
    with pytest.raises(BadRequestError, match="the client was closed"):
        client.complete("Hello")
    with pytest.raises(BadRequestError, match="the client was closed"):
        next(client.stream("Hello"))
    with pytest.raises(BadRequestError, match="the client was closed"):
        pickle.loads(pickle.dumps(client)).complete("Hello")


def test_help_shows_the_options() -> None:
    described = {
        SimpleAgentsClient: ClientOptions,
        SimpleAgentsClient.chat: RequestOptions,
        SimpleAgentsClient.complete_async: RequestOptions,
        SimpleAgentsClient.astream: RequestOptions,
        heal: HealOptions,
    }
    for function, options in described.items():
        text = pydoc.render_doc(function)
        assert "ForwardRef" not in text
        assert set(options.__annotations__) <= set(inspect.signature(function).parameters)
        for name in set(options.__annotations__) - {"model"}:
            assert f"{name}: " in text, name
            assert f"`{name}`" in text, name
    assert "response_model" in inspect.signature(SimpleAgentsClient.chat).parameters


def test_the_key_is_not_shown(client: SimpleAgentsClient) -> None:
    assert repr(client) == "SimpleAgentsClient('openai')"


def test_a_pickled_client_reads_the_key_where_it_is_loaded(
    open_client: Any, simulate: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    secret = SimpleAgentsClient("openai", "sk-test-secret", base_url=f"{simulate}/v1", model="gpt-4o")
    pickled = pickle.dumps(secret)
    assert b"secret" not in pickled
    with pytest.raises(AuthError, match="OPENAI_API_KEY"):
        pickle.loads(pickled).complete("Count to 5")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    assert pickle.loads(pickled).complete("Count to 5") == COUNT
    with pytest.raises(TypeError, match="'Authorization' cannot be pickled"):
        pickle.dumps(open_client(headers={"Authorization": "Bearer sk"}))
