"""What a call returns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, Generic, List, Mapping, Optional, Tuple, TypeVar, Union

T = TypeVar("T")


@dataclass(frozen=True)
class Flag:
    """One change that healing made to a model's output."""

    kind: str
    """Such as ``"fixed-trailing-comma"``."""
    path: Tuple[Union[str, int], ...]
    """The position in the value."""
    details: Mapping[str, Any] = field(default_factory=lambda: {})
    """Further details, which depend on the kind."""

    @classmethod
    def from_reply(cls, flag: Mapping[str, Any]) -> Flag:
        """From the JSON of the engine."""
        details = {name: value for name, value in flag.items() if name not in ("kind", "path")}
        return cls(flag["kind"], tuple(flag.get("path", ())), details)


@dataclass(frozen=True)
class Usage:
    """Token counts. ``input`` excludes the tokens that the provider's prompt cache served or stored."""

    input: int = 0
    output: int = 0
    """Includes reasoning."""
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int = 0
    missing: bool = False
    """The provider reported no counts."""

    @classmethod
    def from_reply(cls, usage: Mapping[str, Any]) -> Usage:
        """From the JSON of the engine."""
        cached = {"cache_read": usage.get("cacheRead", 0), "cache_write": usage.get("cacheWrite", 0)}
        missing = usage.get("missing", False)
        return cls(usage["input"], usage["output"], **cached, reasoning=usage.get("reasoning", 0), missing=missing)

    def __add__(self, other: Usage) -> Usage:
        if self.missing or other.missing:
            return other if self.missing else self
        return Usage(
            self.input + other.input,
            self.output + other.output,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
            self.reasoning + other.reasoning,
        )


@dataclass(frozen=True)
class ToolCall:
    """A tool call of the model."""

    id: str
    name: str
    input: Any
    """The arguments, healed. Must not be used if ``error`` is set."""
    error: Optional[str] = None
    """Why the arguments are not usable."""
    flags: Tuple[Flag, ...] = ()
    """What healing changed."""

    @classmethod
    def from_reply(cls, block: Mapping[str, Any]) -> ToolCall:
        """From the JSON of the engine."""
        flags = tuple(Flag.from_reply(flag) for flag in block.get("flags", ()))
        return cls(block["id"], block["name"], block.get("input"), block.get("error"), flags)


@dataclass(frozen=True)
class ChatResult(Generic[T]):
    """The complete response of a model."""

    text: str
    value: T
    """The typed value, if the call had a ``response_model``; otherwise ``None``."""
    usage: Usage
    """Of all rounds, if tools were called."""
    cost: Optional[float]
    """In US dollars; ``None`` if the price or the token count is unknown."""
    flags: Tuple[Flag, ...]
    """The changes that healing made to the text."""
    confidence: float
    """0 to 1; exactly 1 if nothing was changed."""
    stop_reason: str
    """``"end"``, ``"length"``, ``"tool-calls"``, ``"stop-sequence"``, ``"refusal"`` or ``"pause"``."""
    model: str
    target: str
    """The provider that responded."""
    tool_calls: Tuple[ToolCall, ...]
    """Calls of tools that have no Python function."""
    messages: List[Dict[str, Any]]
    """The messages since the request. Append them to the request's messages to continue the conversation."""
    notices: Tuple[Mapping[str, Any], ...]
    """What was lost or corrected on the way."""


@dataclass(frozen=True)
class HealResult(Generic[T]):
    """A value that was healed from a text."""

    value: T
    flags: Tuple[Flag, ...]
    """Every change that was made."""
    confidence: float
    """0 to 1; exactly 1 if nothing was changed."""
