"""The exceptions: one class for each kind of error, with one base class."""

from __future__ import annotations

from typing import Any, Dict, Mapping, Optional, Sequence, Tuple, Type

from .result import Flag


class SimpleAgentsError(Exception):
    """A call failed. ``kind`` says why; what is not known is ``None``.

    Attributes:
        kind: The kind of the error, such as ``"rate-limit"``.
        message: What happened, where, and what to do.
        retryable: Whether the same call may succeed later.
        status: The provider's HTTP status.
        retry_after: How many seconds the provider asked to wait.
        target: The provider or model that failed.
        field: The field or option that is wrong.
        code: The provider's own name for the error.
        request_id: The provider's id of the request, for support requests.
        text: For healing: what the model wrote.
        value: For healing: the value that was found in the text, although it is not usable.
        flags: For healing: the changes that led to ``value``.
        confidence: For healing: 0 to 1.
    """

    kind = "internal"

    def __init__(self, message: str, details: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__(message)
        self.message = message
        self._details: Dict[str, Any] = dict(details or {})
        known = self._details
        self.kind = str(known.get("kind", self.kind))
        self.retryable: bool = known.get("retryable", False)
        self.status: Optional[int] = known.get("status")
        self.retry_after: Optional[float] = _seconds(known.get("retryAfterMs"))
        self.target: Optional[str] = known.get("target")
        self.field: Optional[str] = known.get("field")
        self.code: Optional[str] = known.get("code")
        self.request_id: Optional[str] = known.get("requestId")
        self.text: Optional[str] = known.get("text")
        self.value: Any = known.get("value")
        self.flags: Sequence[Flag] = tuple(Flag.from_reply(flag) for flag in known.get("flags", ()))
        self.confidence: Optional[float] = known.get("confidence")

    def __reduce__(self) -> Tuple[Any, ...]:
        # Processes send each other exceptions, for instance those of `multiprocessing`.
        return (type(self), (self.message, self._details))


class BadRequestError(SimpleAgentsError):
    """The request is not valid."""

    kind = "bad-request"


class ContextOverflowError(SimpleAgentsError):
    """The conversation is too long for the model."""

    kind = "context-overflow"


class AuthError(SimpleAgentsError):
    """The API key is missing, wrong, or has no permission."""

    kind = "auth"


class QuotaError(SimpleAgentsError):
    """The account has no credit left or has reached its limit."""

    kind = "quota"


class NotFoundError(SimpleAgentsError):
    """There is no such model or address."""

    kind = "not-found"


class RateLimitError(SimpleAgentsError):
    """Too many requests."""

    kind = "rate-limit"


class OverloadedError(SimpleAgentsError):
    """The provider is overloaded."""

    kind = "overloaded"


class UpstreamError(SimpleAgentsError):
    """The provider failed."""

    kind = "upstream"


class NetworkError(SimpleAgentsError):
    """The provider could not be reached, or the connection was lost."""

    kind = "network"


class RequestTimeoutError(SimpleAgentsError, TimeoutError):
    """The provider took too long. This is also a `TimeoutError` of Python."""

    kind = "timeout"


class BadResponseError(SimpleAgentsError):
    """The server does not speak the expected protocol."""

    kind = "bad-response"


class HealingError(SimpleAgentsError):
    """The text does not contain a value of the response model. ``value`` and ``flags`` say what was found."""

    kind = "healing"


class ConfigurationError(SimpleAgentsError):
    """An option or the configuration file is wrong."""

    kind = "configuration"


class InternalError(SimpleAgentsError):
    """A bug in this package. Please report it."""

    kind = "internal"


class AbortedError(SimpleAgentsError):
    """The call was cancelled from another thread or task."""

    kind = "aborted"


class ToolLoopError(SimpleAgentsError):
    """The model still called tools after the last allowed round."""

    kind = "tool-loop"


_classes: Dict[str, Type[SimpleAgentsError]] = {each.kind: each for each in SimpleAgentsError.__subclasses__()}


def to_exception(error: Mapping[str, Any]) -> SimpleAgentsError:
    """The exception for an error of the engine."""
    return _classes.get(str(error.get("kind")), InternalError)(str(error.get("message", "")), error)


def _seconds(milliseconds: Optional[float]) -> Optional[float]:
    return None if milliseconds is None else milliseconds / 1000
