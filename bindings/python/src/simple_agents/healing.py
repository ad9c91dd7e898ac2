"""Healing of text that was meant to be JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Type, TypeVar, overload

from .engine import call_healing
from .error import BadRequestError
from .option import HealOptions, to_engine_options
from .response_model import to_response_model
from .result import Flag, HealResult
from .signature import with_options

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


@overload
def heal(text: str, model: Type[T], **options: Unpack[HealOptions]) -> HealResult[T]: ...
@overload
def heal(text: str, model: object = None, **options: Unpack[HealOptions]) -> HealResult[Any]: ...
@with_options(HealOptions)
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
