"""Options: names, durations, and errors that name the option as the program wrote it."""

from __future__ import annotations

import datetime
import re
from pathlib import Path
from typing import Any, Dict

import pytest

from simple_agents import BadRequestError, ConfigurationError, SimpleAgentsClient
from simple_agents.option import ClientOptions, to_client_options, to_request_fields

REPOSITORY = Path(__file__).resolve().parents[3]
DURATIONS = {
    "timeouts": ["connect", "first_token", "idle", "total", "plain_total"],
    "network": ["keep_alive"],
    "cache": ["ttl"],
    "retry": ["initial_backoff", "max_backoff", "max_retry_after"],
    "breaker": ["window", "open_for", "max_open_for"],
}


def engine_options(**options: Any) -> Dict[str, Any]:
    return to_client_options(None, None, options)


def group_type(group: str) -> Any:
    kind = ClientOptions.__annotations__[group]
    return next(each for each in (kind, *getattr(kind, "__args__", ())) if hasattr(each, "__total__"))


@pytest.mark.parametrize(
    ("duration", "milliseconds"),
    [
        (30, 30_000),
        (0.2, 200),
        (4.35, 4_350),
        (0, 0),
        (0.0001, 1),
        (datetime.timedelta(minutes=1, milliseconds=5), 60_005),
        ("1m30s", "1m30s"),
    ],
    ids=str,
)
def test_a_timeout_is_seconds(duration: Any, milliseconds: Any) -> None:
    assert engine_options(timeout=duration) == {"timeout": milliseconds}
    assert to_request_fields({"cache": {"ttl": duration}}) == {"cache": {"ttl": milliseconds}}


@pytest.mark.parametrize(("group", "name"), [(group, name) for group, names in DURATIONS.items() for name in names])
def test_every_duration_is_seconds(group: str, name: str) -> None:
    for duration in (1.5, datetime.timedelta(seconds=1.5)):
        assert [list(options.values()) for options in engine_options(**{group: {name: duration}}).values()] == [[1500]]


def test_other_numbers_are_not_durations() -> None:
    retry = {"max_attempts": 2, "multiplier": 3, "budget": 0.5}
    assert engine_options(retry=retry)["retry"] == {"maxAttempts": 2, "multiplier": 3, "budget": 0.5}
    assert engine_options(retry=False, breaker=False, cache=True) == {"retry": False, "breaker": False, "cache": True}
    # A model may have the name of an option.
    targets = {"targets": ["openai/gpt"]}
    assert engine_options(models={"timeout": targets, "ttl": targets})["models"] == {"timeout": targets, "ttl": targets}


def test_no_duration_of_the_configuration_file_is_missing() -> None:
    schema = (REPOSITORY / "src/config/schema/schema.ts").read_text(encoding="utf-8")
    sections = re.split(r"\n  (?=\w+: \{\n)", schema)
    for group, names in DURATIONS.items():
        section = next(each for each in sections if each.startswith(f"{group}: "))
        found = set(re.findall(r"(\w+): \{\s*type: 'duration'", section))
        # The file has settings that are no options, and not every option.
        assert set(names) - {"plain_total"} == found & set(group_type(group).__annotations__), group


def test_the_options_are_those_of_the_typescript_package() -> None:
    shapes = (REPOSITORY / "src/client/option-shape.ts").read_text(encoding="utf-8")
    for group in ("timeouts", "proxy", "network", "router", "retry", "breaker"):
        found = re.search(rf"const {group}: MemberShapes<.*?\n}};", shapes, re.DOTALL)
        assert found is not None, group
        camel = {re.sub("_(.)", lambda match: match[1].upper(), name) for name in group_type(group).__annotations__}
        assert set(re.findall(r"^  (\w+)[:,]", found[0], re.MULTILINE)) == camel, group


@pytest.mark.parametrize("wrong", [-1, float("nan"), float("inf"), True, [], datetime.timedelta(seconds=-1)], ids=str)
def test_a_wrong_duration_is_named(wrong: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"^timeout: must be seconds") as caught:
        SimpleAgentsClient("simulated", "", timeout=wrong)
    assert caught.value.field == "timeout"
    with pytest.raises(ConfigurationError, match=r"^retry\.max_backoff: must be seconds"):
        SimpleAgentsClient("simulated", "", retry={"max_backoff": wrong})
    with pytest.raises(BadRequestError, match=r"^cache\.ttl: must be seconds"):
        SimpleAgentsClient("simulated", "").complete("Hello", cache={"ttl": wrong})


def test_unknown_names_in_a_group_are_named_with_a_suggestion() -> None:
    client: Any = SimpleAgentsClient
    with pytest.raises(TypeError, match=r"retry has no option 'initialBackoff'.*Did you mean 'initial_backoff'"):
        client("simulated", "", retry={"initialBackoff": 1})
    with pytest.raises(TypeError, match=r"chains\[0\] has no option 'fallback'.*Did you mean 'fallback_on'"):
        client("simulated", "", chains=[{"targets": [], "fallback": []}])
    with pytest.raises(TypeError, match=r"models\.fast has no option 'target'.*Did you mean 'targets'"):
        client("simulated", "", models={"fast": {"target": []}})
