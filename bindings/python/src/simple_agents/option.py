"""The options of a client and of a request. They have the names of the TypeScript package, in snake_case."""

from __future__ import annotations

import difflib
from typing import Any, Callable, Dict, List, Literal, Mapping, Sequence, TypedDict, Union, cast

Duration = Union[int, float, str]
"""Milliseconds, or a text such as ``"30s"``."""

Record = Mapping[str, Any]


class ClientOptions(TypedDict, total=False):
    """The options of a client."""

    base_url: str
    headers: Mapping[str, str]
    model: str
    """For requests that do not name a model."""
    max_tokens: int
    timeout: Duration
    """To the first token of a stream, and for a complete plain call."""
    timeouts: Record
    proxy: Record
    """``http_proxy``, ``https_proxy``, ``no_proxy``. Default: the environment variables."""
    network: Record
    """``ca_file``, ``client_cert_file``, ``client_key_file``."""
    prices: Mapping[str, Record]
    """Prices by ``provider/model``; they override the built-in list."""
    config: str
    """The path of a configuration file. Options override it."""
    healing: Record
    """``strict``, ``coerce_types``, ``min_confidence``, ``repair``, ``enabled``."""
    cache: Union[bool, Record]
    """Caches responses in memory: true, or ``ttl`` and ``max_bytes``."""
    models: Mapping[str, Record]
    """Aliases for models, each with its ``targets``."""
    chains: Sequence[Record]
    """Fallbacks: each with ``targets``, and the ``model`` that they are for."""
    router: Record
    """``strategy``, ``fallback_enabled``, ``fallback_on``, ``on_cut``."""
    retry: Union[Literal[False], Record]
    breaker: Union[Literal[False], Record]


class RequestOptions(TypedDict, total=False):
    """The options of a request."""

    model: str
    """An alias, ``provider/model``, or a model's own name. Default: the client's model."""
    system: str
    """A system message at the start."""
    max_tokens: int
    temperature: float
    top_p: float
    stop: Sequence[str]
    seed: int
    reasoning: Record
    """``effort`` or ``budget_tokens``."""
    tool_choice: Union[Literal["auto", "none", "required"], Record]
    parallel_tool_calls: bool
    response_format: Record
    healing: Record
    """How the answer is healed; overrides the client's setting."""
    cache: Union[Literal["off", "read", "refresh"], Record]
    on_cut: Literal["fail", "continue"]
    """What to do when a response is cut off in the middle."""
    user: str
    betas: Sequence[str]
    extra: Mapping[str, Record]
    """Fields for one wire's body, sent unchanged, by wire name."""


def to_client_options(provider: Any, api_key: Any, options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options for the engine."""
    named = {"provider": provider, "apiKey": api_key}
    given = {name: value for name, value in named.items() if value is not None}
    return {**given, **to_camel_keys(options, ClientOptions, "SimpleAgentsClient")}


def to_camel_keys(options: Mapping[str, Any], known: Any, function: str) -> Dict[str, Any]:
    """Options with the names of the engine. Raises `TypeError` for a name that is not known."""
    names: List[str] = list(known.__annotations__)
    for name in options:
        if name not in names:
            raise TypeError(f"{function}() has no option {name!r}{_suggest(name, names)}")
    given = {name: value for name, value in options.items() if value is not None}
    return {_to_camel(name): _nested.get(name, _unchanged)(value) for name, value in given.items()}


def _suggest(name: str, names: List[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f". Did you mean {close[0]!r}?" if close else f". Options: {', '.join(names)}"


def _to_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _unchanged(value: Any) -> Any:
    return value


def _record(value: Any) -> Any:
    """Settings have snake_case names too; the names of headers and models are the user's own."""
    if not isinstance(value, Mapping):
        return value
    return {_to_camel(name): each for name, each in cast(Mapping[str, Any], value).items()}


def _record_list(value: Sequence[Any]) -> List[Any]:
    return [_record(each) for each in value]


def _record_map(value: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: _record(each) for name, each in value.items()}


_records = ("timeouts", "proxy", "network", "healing", "cache", "router", "retry", "breaker", "reasoning")
_nested: Mapping[str, Callable[[Any], Any]] = {
    **{name: _record for name in _records},
    "chains": _record_list,
    "models": _record_map,
    "prices": _record_map,
}
