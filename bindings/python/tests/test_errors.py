"""Exceptions: one class for each kind, with everything that the error says."""

from __future__ import annotations

import datetime
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

import simple_agents
from simple_agents import (
    AuthError,
    BadRequestError,
    ConfigurationError,
    NetworkError,
    NotFoundError,
    OverloadedError,
    RateLimitError,
    RequestTimeoutError,
    SimpleAgentsClient,
    SimpleAgentsError,
)

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ({"status": 401}, AuthError),
        ({"status": 404}, NotFoundError),
        ({"status": 429, "retryAfter": "7"}, RateLimitError),
        ({"status": 503}, OverloadedError),
        ({"reset": True}, NetworkError),
        ({"status": 400}, BadRequestError),
    ],
    ids=lambda value: str(value),
)
def test_each_kind_has_a_class(open_client: Any, fault: Any, expected: Any) -> None:
    with pytest.raises(expected) as caught:
        open_client(fault).complete("Hello")
    error = caught.value
    assert isinstance(error, SimpleAgentsError)
    assert (error.kind, str(error), error.target) == (expected.kind, error.message, "openai")
    assert error.status == fault.get("status")
    assert error.retry_after == (7.0 if "retryAfter" in fault else None)
    with pytest.raises(expected):
        list(open_client(fault).stream("Hello"))


@pytest.mark.parametrize("timeout", [0.2, datetime.timedelta(milliseconds=200), "200ms"], ids=str)
def test_a_timeout(open_client: Any, timeout: Any) -> None:
    with pytest.raises(RequestTimeoutError, match="200 ms") as caught:
        open_client({"stallBeforeMs": 60_000}, timeout=timeout).complete("Hello")
    assert caught.value.retryable
    assert isinstance(caught.value, TimeoutError)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), str(copy), copy.kind) == (RequestTimeoutError, str(caught.value), "timeout")


def test_wrong_options_and_requests(client: SimpleAgentsClient) -> None:
    with pytest.raises(ConfigurationError, match="there is no provider"):
        SimpleAgentsClient("opneai", "key")
    with pytest.raises(ConfigurationError, match=r"^base_url: must be a string") as configuration:
        SimpleAgentsClient("openai", "key", base_url=1)  # type: ignore[arg-type]
    assert configuration.value.field == "base_url"
    with pytest.raises(ConfigurationError, match=r"^retry\.max_attempts: must be"):
        SimpleAgentsClient("openai", "key", retry={"max_attempts": -1})
    with pytest.raises(ConfigurationError, match=r"^api_key: needs a provider"):
        SimpleAgentsClient(None, "key")
    with pytest.raises(BadRequestError, match=r"^max_tokens: must be") as request:
        client.complete("Hello", max_tokens=-1)
    assert request.value.field == "max_tokens"
    with pytest.raises(BadRequestError, match=r"^reasoning\.budget_tokens: must be"):
        client.complete("Hello", reasoning={"budget_tokens": "x"})  # type: ignore[typeddict-item]
    with pytest.raises(BadRequestError, match=r"messages") as caught:
        client.complete([])
    assert caught.value.field == "messages"
    with pytest.raises(BadRequestError, match=r"messages\[0\]\.role"):
        client.complete([("robot", "Hello")])


def test_the_table_of_the_core_has_no_other_kinds() -> None:
    source = (REPOSITORY / "src/core/error.ts").read_text()
    union = source[source.index("export type ErrorKind =") : source.index("export interface ErrorRow")]
    kinds = set(re.findall(r"'([a-z-]+)'", union))
    classes = {each.kind for each in SimpleAgentsError.__subclasses__()}
    assert classes - kinds == {"aborted", "tool-loop"}
    assert kinds - classes == set()
    assert {each.__name__ for each in SimpleAgentsError.__subclasses__()} <= set(simple_agents.__all__)


def test_an_error_survives_pickling(open_client: Any) -> None:
    with pytest.raises(RateLimitError) as caught:
        open_client({"status": 429, "retryAfter": "7"}).complete("Hello")
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (type(copy), vars(copy)) == (RateLimitError, vars(caught.value))


def test_no_key_in_an_error(open_client: Any) -> None:
    with pytest.raises(AuthError) as caught:
        open_client({"status": 401}).complete("Hello")
    assert "sk-test" not in repr(vars(caught.value))
