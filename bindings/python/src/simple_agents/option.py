"""The options of a client and of a request. They have the names of the TypeScript package, in snake_case.

Durations are those of Python. This module does not postpone annotations, because they say which options are durations.
"""

import collections.abc
import difflib
import functools
import re
from typing import (
    Any,
    Dict,
    List,
    Literal,
    Mapping,
    Optional,
    Sequence,
    Type,
    TypedDict,
    Union,
    cast,
    get_args,
    get_origin,
)

from .duration import Duration, TextDuration, to_milliseconds
from .error import BadRequestError, ConfigurationError, SimpleAgentsError
from .schema import is_typed_dict
from .tool import ToolInput

Record = Mapping[str, Any]
Tools = Optional[Sequence[ToolInput]]


class TimeoutOptions(TypedDict, total=False):
    """Limits for the phases of a call; 0 means no limit."""

    connect: Duration
    """To establish the connection."""
    first_token: Duration
    """To the first content of a stream; overrides `timeout`."""
    idle: Duration
    """Between two pieces of content in a stream."""
    total: Duration
    """For the complete call, streamed or not; overrides `timeout`."""
    plain_total: Duration
    """For the complete call, if it is not streamed."""


class ProxyOptions(TypedDict, total=False):
    """The HTTP proxy. Default: the environment variables of these names."""

    http_proxy: str
    https_proxy: str
    no_proxy: str


class NetworkOptions(TypedDict, total=False):
    """Connections and certificates."""

    ca_file: str
    client_cert_file: str
    client_key_file: str
    max_connections: int
    http2: bool
    local_address: str
    keep_alive: Duration
    """How long an idle connection stays open."""


class PriceOptions(TypedDict, total=False):
    """US dollars for a million tokens."""

    input: float
    output: float
    cache_read: float
    cache_write: float
    reasoning: float
    context_window: int


class HealingOptions(TypedDict, total=False):
    """How answers and the arguments of tools are healed."""

    enabled: bool
    strict: bool
    coerce_types: bool
    min_confidence: float
    repair: int


class CacheOptions(TypedDict, total=False):
    """The cache of a client."""

    ttl: TextDuration
    """How long an answer is kept."""
    max_bytes: int
    """The maximum size of all answers together."""


class RequestCacheOptions(TypedDict, total=False):
    """The cache for one request."""

    ttl: TextDuration
    """How long the answer is kept."""


class ModelOptions(TypedDict, total=False):
    """An alias for one or several models."""

    targets: Sequence[str]
    strategy: str
    weights: Sequence[float]


class ChainOptions(TypedDict, total=False):
    """Fallbacks."""

    model: str
    """The model that they are for. Default: every model."""
    targets: Sequence[str]
    fallback_on: Sequence[str]


class RouterOptions(TypedDict, total=False):
    """How a target is chosen."""

    strategy: str
    fallback_enabled: bool
    fallback_on: Sequence[str]
    on_cut: Literal["fail", "continue"]


class RetryOptions(TypedDict, total=False):
    """Retries at the same target."""

    max_attempts: int
    """Calls to one target, including the first."""
    initial_backoff: Duration
    """The delay before the first retry."""
    multiplier: float
    max_backoff: Duration
    jitter: bool
    retryable_errors: Sequence[str]
    max_retry_after: Duration
    """No retry if the provider asks for a longer delay."""
    budget: float
    budget_reserve: int


class BreakerOptions(TypedDict, total=False):
    """When a target that keeps failing gets no calls."""

    window: Duration
    failure_ratio: float
    min_calls: int
    open_for: Duration
    max_open_for: Duration
    probes: int


class ReasoningOptions(TypedDict, total=False):
    """How much the model reasons."""

    effort: str
    budget_tokens: int


class ClientOptions(TypedDict, total=False):
    """The options of a client.

    * `base_url`: The address of the provider's API.
    * `headers`: Headers that every request to the provider has.
    * `model`: For requests that do not name a model.
    * `max_tokens`: For requests that set no limit.
    * `timeout`: Seconds or a `timedelta`: to the first token of a stream, and for a complete plain call.
    * `timeouts`: Seconds or a `timedelta`: `connect`, `first_token`, `idle`, `total`.
    * `proxy`: `http_proxy`, `https_proxy`, `no_proxy`. Default: the environment variables.
    * `network`: `ca_file`, `client_cert_file`, `client_key_file`.
    * `prices`: Prices by ``provider/model``; they override the built-in list.
    * `config`: The path of a configuration file. Options override it.
    * `healing`: `strict`, `coerce_types`, `min_confidence`, `repair`, `enabled`.
    * `cache`: Caches answers in memory: true, or `ttl` (seconds or a `timedelta`) and `max_bytes`.
    * `models`: Aliases for models, each with its `targets`.
    * `chains`: Fallbacks: each with `targets`, and the `model` that they are for.
    * `router`: `strategy`, `fallback_enabled`, `fallback_on`, `on_cut`.
    * `retry`: False, or `max_attempts`, `initial_backoff` and `max_backoff` (seconds or a `timedelta`), and others.
    * `breaker`: False, or `window` and `open_for` (seconds or a `timedelta`), `failure_ratio`, and others.
    """

    base_url: str
    headers: Mapping[str, str]
    model: str
    max_tokens: int
    timeout: TextDuration
    timeouts: TimeoutOptions
    proxy: ProxyOptions
    network: NetworkOptions
    prices: Mapping[str, PriceOptions]
    config: str
    healing: HealingOptions
    cache: Union[bool, CacheOptions]
    models: Mapping[str, ModelOptions]
    chains: Sequence[ChainOptions]
    router: RouterOptions
    retry: Union[Literal[False], RetryOptions]
    breaker: Union[Literal[False], BreakerOptions]


class AnswerOptions(TypedDict, total=False):
    """What calls take besides the options of a request.

    * `response_model`: a pydantic model, a dataclass, another type, or a JSON Schema. The answer is healed to match it.
    * `tools`: functions that the model may call. Their signatures say which arguments they take.
    * `max_tool_rounds`: how often the model may call tools before it has to answer. Default: 10.
    """

    response_model: Any
    tools: Tools
    max_tool_rounds: Optional[int]


class CallOptions(TypedDict, total=False):
    """The options of a call.

    * `system`: A system message at the start.
    * `max_tokens`: The maximum length of the answer.
    * `temperature`: How random the answer is.
    * `top_p`: The share of likely tokens that are used.
    * `stop`: Texts that end the answer.
    * `seed`: For answers that can be repeated, where the provider supports it.
    * `reasoning`: `effort` or `budget_tokens`.
    * `tool_choice`: Whether the model has to call a tool, or the `name` of the tool.
    * `parallel_tool_calls`: Whether the model may call several tools at once.
    * `response_format`: The form of the answer. `response_model` is simpler.
    * `healing`: How the answer is healed; overrides the client's setting.
    * `cache`: ``"off"``, ``"read"``, ``"refresh"``, or `ttl` (seconds or a `timedelta`).
    * `on_cut`: What to do when a response is cut off in the middle.
    * `user`: The end user, for the provider's abuse monitoring.
    * `betas`: Preview features of Anthropic's API.
    * `extra`: Fields for one wire's body, sent unchanged, by wire name.
    """

    system: str
    max_tokens: int
    temperature: float
    top_p: float
    stop: Sequence[str]
    seed: int
    reasoning: ReasoningOptions
    tool_choice: Union[Literal["auto", "none", "required"], Record]
    parallel_tool_calls: bool
    response_format: Record
    healing: HealingOptions
    cache: Union[Literal["off", "read", "refresh"], RequestCacheOptions]
    on_cut: Literal["fail", "continue"]
    user: str
    betas: Sequence[str]
    extra: Mapping[str, Record]


class RequestOptions(CallOptions, total=False):
    """The options of a call with its `model`: an alias, ``provider/model``, or a model's own name."""

    model: str


class HealOptions(TypedDict, total=False):
    """The options of `heal`.

    * `strict`: Raise if anything has to be changed.
    * `coerce_types`: Convert types: strings to numbers, a single value to a list of one, and so on. Default: true.
    * `min_confidence`: Raise if the confidence is below this. Default: 0.7.
    * `locate`: Add to each flag the place in the text that it is about.
    * `max_bytes`, `max_depth`: The size and the depth that a text may have.
    """

    strict: bool
    coerce_types: bool
    min_confidence: float
    locate: bool
    max_bytes: int
    max_depth: int


def to_client_options(provider: Any, api_key: Any, options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options for the engine."""
    named = {"provider": provider, "apiKey": api_key}
    given = {name: value for name, value in named.items() if value is not None}
    return {**given, **to_engine_options(options, ClientOptions, "SimpleAgentsClient", ConfigurationError)}


def without_secrets(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options for another process, without the API key. Raises `TypeError` for what cannot be left out."""
    secret = [name for name in options.get("headers", {}) if re.search("authorization|cookie|key|token", name, re.I)]
    if secret:
        raise TypeError(f"a client with the header {secret[0]!r} cannot be pickled; create it in the other process")
    return {name: value for name, value in options.items() if name != "apiKey"}


def to_request_fields(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The fields of a request for the engine."""
    return to_engine_options(options, RequestOptions, "chat", BadRequestError)


def to_engine_options(
    options: Mapping[str, Any], known: Any, function: str, error: Type[SimpleAgentsError]
) -> Dict[str, Any]:
    """Options with the names and units of the engine. Raises `TypeError` for an unknown name, `error` for a value."""
    return _Translation(f"{function}()", error).members(known, options, "")


class _Translation:
    """Follows the annotations. The names of headers, models and fields of a wire are the user's own."""

    def __init__(self, function: str, error: Type[SimpleAgentsError]) -> None:
        self._function = function
        self._error = error

    def members(self, known: Any, options: Mapping[str, Any], path: str) -> Dict[str, Any]:
        """`None` means the default."""
        names: Mapping[str, Any] = known.__annotations__
        for name in options:
            if name not in names:
                place = f"{self._function}: {path}" if path else self._function
                raise TypeError(f"{place} has no option {name!r}{_suggest(name, list(names))}")
        given = {name: value for name, value in options.items() if value is not None}
        prefix = f"{path}." if path else ""
        return {_to_camel(name): self._value(names[name], value, f"{prefix}{name}") for name, value in given.items()}

    def _value(self, kind: Any, value: Any, path: str) -> Any:
        """Other values mean the same in the engine, which checks them."""
        if kind == Duration or (kind == TextDuration and not isinstance(value, str)):
            return self._milliseconds(value, path)
        if is_typed_dict(kind):
            return self.members(kind, cast(Mapping[str, Any], value), path) if isinstance(value, Mapping) else value
        origin, arguments = get_origin(kind), get_args(kind)
        groups = [each for each in arguments if is_typed_dict(each)]
        if not groups:
            return value
        if origin is collections.abc.Mapping and isinstance(value, Mapping):
            entries = cast(Mapping[str, Any], value).items()
            return {name: self._value(groups[0], each, f"{path}.{name}") for name, each in entries}
        if origin is collections.abc.Sequence and isinstance(value, (list, tuple)):
            items = cast(Sequence[Any], value)
            return [self._value(groups[0], each, f"{path}[{index}]") for index, each in enumerate(items)]
        return self._value(groups[0], value, path) if origin is Union else value

    def _milliseconds(self, value: Any, path: str) -> float:
        try:
            return to_milliseconds(value)
        except ValueError as error:
            raise self._error(f"{path}: {error}", {"field": path}) from None


def to_python_names(text: str) -> str:
    """A message or a field of the engine, with the options as this package names them."""
    return re.sub(r"\b[a-z]+(?:[A-Z][a-z]+)+\b", lambda match: _python_names().get(str(match[0]), str(match[0])), text)


@functools.lru_cache(maxsize=1)
def _python_names() -> Mapping[str, str]:
    groups: List[Any] = [each for each in globals().values() if is_typed_dict(each)]
    names = ["api_key", *(name for group in groups for name in group.__annotations__)]
    return {_to_camel(name): name for name in names}


def _suggest(name: str, names: List[str]) -> str:
    close = difflib.get_close_matches(name, names, n=1)
    return f". Did you mean {close[0]!r}?" if close else f". Options: {', '.join(names)}"


def _to_camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
