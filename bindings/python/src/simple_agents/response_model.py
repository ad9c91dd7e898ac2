"""What an answer shall be: a pydantic model, a dataclass, another type of Python, or a JSON Schema."""

from __future__ import annotations

from typing import Any, Mapping, Optional

from .conversion import to_partial, to_python
from .error import HealingError
from .scalar import Schema
from .schema import schema_of


class ResponseModel:
    """The JSON Schema of a response model, and how values of it are made."""

    def __init__(self, model: Any) -> None:
        self._is_schema = isinstance(model, Mapping)
        self._model = model
        self.schema: Schema = dict(model) if self._is_schema else schema_of(model)

    def value_of(self, reply: Mapping[str, Any]) -> Any:
        """The value of a completion. A validator of the model may still reject it."""
        value = reply.get("value")
        if self._is_schema:
            return value
        try:
            return to_python(self._model, value)
        except (ValueError, TypeError, ArithmeticError) as error:
            known = ("text", "value", "flags", "confidence", "target")
            details = {"kind": "healing", **{name: reply[name] for name in known if name in reply}}
            raise HealingError(f"the value does not match the response model: {error}", details) from error

    def partial_of(self, value: Any) -> Any:
        """The value as far as it has arrived."""
        return value if self._is_schema else to_partial(self._model, value)


def to_response_model(model: Optional[Any]) -> Optional[ResponseModel]:
    """`None` if the answer is text."""
    return None if model is None else ResponseModel(model)
