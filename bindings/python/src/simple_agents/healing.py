"""Healing of text that was meant to be JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Type, TypedDict, TypeVar, overload

from .engine import call_healing
from .error import BadRequestError
from .option import to_engine_options
from .response_model import to_response_model
from .result import Flag, HealResult

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class HealOptions(TypedDict, total=False):
    """The options of `heal`."""

    strict: bool
    """Raise if anything has to be changed."""
    coerce_types: bool
    """Convert types: strings to numbers, a single value to a list of one, and so on. Default: true."""
    min_confidence: float
    """Raise if the confidence is below this. Default: 0.7."""
    locate: bool
    """Add to each flag the place in the text that it is about."""
    max_bytes: int
    max_depth: int


@overload
def heal(text: str, model: Type[T], **options: Unpack[HealOptions]) -> HealResult[T]: ...
@overload
def heal(text: str, model: object = None, **options: Unpack[HealOptions]) -> HealResult[Any]: ...
def heal(text: str, model: Any = None, **options: Any) -> HealResult[Any]:
    """The value that a damaged text contains, as a value of the model.

    `model` is a pydantic model, a dataclass, another type, or a JSON Schema. Without one, the value is plain JSON.
    Raises `HealingError` if there is no value with enough confidence.
    """
    target = to_response_model(model)
    fields = {} if target is None else {"schema": target.schema}
    reply = call_healing(text=text, options=to_engine_options(options, HealOptions, "heal", BadRequestError), **fields)
    value = reply["value"] if target is None else target.value_of({**reply, "text": text})
    return HealResult(value, tuple(Flag.from_reply(flag) for flag in reply["flags"]), reply["confidence"])
