"""Which member of a union a JSON value is a value of. The engine has matched the value against one of them.

Every part of a value is compared with a type at most once, so a deep value of a recursive union takes linear time.
"""

from __future__ import annotations

import enum
import json
import typing
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Type

from .scalar import member_of, parser_of, plain_value, text_schema, to_key
from .schema import (
    any_keys,
    fields_of,
    has_fields,
    is_anything,
    is_named_tuple,
    is_pydantic,
    list_types,
    map_types,
    pydantic_names,
    set_types,
    unannotated,
    union_types,
)

WRONG = (ValueError, TypeError, ArithmeticError)
"""What the conversion of a wrong value raises."""

# From the best fit: an unknown name costs 1.
_CONVERTED = 100
_ANYTHING = 10_000


class BranchFinder:
    """Finds the members of unions for one conversion."""

    def __init__(self, is_partial: bool) -> None:
        self._is_partial = is_partial
        # The type and the value are kept, so that their ids stay theirs.
        self._measured: Dict[Tuple[int, int], Tuple[Any, Any, Optional[int]]] = {}

    def branches(self, models: Sequence[Any], value: Any) -> List[Any]:
        """The types that match the value, the best first; of a partial value only the best, once it is clear."""
        measured = [(self._misfit(model, value), model) for model in models]
        matching = sorted(
            ((misfit, model) for misfit, model in measured if misfit is not None), key=lambda each: each[0]
        )
        best = [model for misfit, model in matching if misfit == matching[0][0]]
        if not self._is_partial:
            return [model for _, model in matching]
        return best if len(best) == 1 else BranchFinder(is_partial=False).branches(best, value)[:1]

    def _misfit(self, model: Any, value: Any) -> Optional[int]:
        """0 for a value that fits exactly, more for one that fits less, `None` for one that does not match."""
        place = (id(model), id(value))
        if place not in self._measured:
            self._measured[place] = (model, value, self._measure(model, value))
        return self._measured[place][2]

    def _measure(self, model: Any, value: Any) -> Optional[int]:
        model = unannotated(model)
        if is_anything(model):
            return _ANYTHING
        if value is None and self._is_partial:
            return 0
        if model is None or model is type(None):
            return _fit(value is None)
        if isinstance(model, type) and typing.get_origin(model) is None:
            return self._of_class(model, value)
        return self._of_generic(typing.get_origin(model), typing.get_args(model), value)

    def _of_class(self, model: Type[Any], value: Any) -> Optional[int]:
        if is_pydantic(model):
            return self._of_pydantic(model, value)
        if has_fields(model):
            return self._of_fields(model, value)
        if issubclass(model, enum.Enum):
            return self._of_members(model, value)
        if model in list_types or model in set_types or model is tuple:
            return _fit(isinstance(value, list))
        if model in map_types:
            return _fit(isinstance(value, dict))
        return self._of_scalar(model, value)

    def _of_scalar(self, model: Type[Any], value: Any) -> Optional[int]:
        parse = parser_of(model)
        if parse is None:
            return _fit(isinstance(value, model) and (model is bool or not isinstance(value, bool)))
        if isinstance(value, bool) or isinstance(value, str) != (text_schema(model) is not None):
            return None
        if isinstance(value, (dict, list)):
            return None
        if not self._is_partial and not _can(parse, value):
            return None
        # An integer is a number, but a union may also have the type of integers.
        return 1 if isinstance(value, int) else 0

    def _of_members(self, members: Iterable[Any], value: Any) -> Optional[int]:
        if self._is_partial and isinstance(value, str):
            return _fit(any(str(plain_value(member)).startswith(value) for member in members))
        return _fit(_can(member_of, members, value))

    def _of_generic(self, origin: Any, arguments: Tuple[Any, ...], value: Any) -> Optional[int]:
        if origin is typing.Literal:
            return self._of_members(arguments, value)
        if origin in union_types:
            measured = [self._misfit(model, value) for model in arguments]
            return min((misfit for misfit in measured if misfit is not None), default=None)
        if origin in map_types:
            return self._of_map(arguments[0], arguments[1], value)
        if not isinstance(value, list):
            return None
        items = typing.cast(Sequence[Any], value)
        if origin is tuple and not (len(arguments) == 2 and arguments[1] is Ellipsis):
            return self._of_tuple(arguments, len(arguments), items)
        return self._sum((arguments[0], item) for item in items)

    def _of_map(self, key: Any, model: Any, value: Any) -> Optional[int]:
        if not isinstance(value, dict):
            return None
        entries = typing.cast(Dict[str, Any], value)
        if not all(any(_can(to_key, each, name) for each in any_keys(key)) for name in entries):
            return None
        return self._sum((model, each) for each in entries.values())

    def _of_tuple(self, models: Sequence[Any], least: int, items: Sequence[Any]) -> Optional[int]:
        if len(items) > len(models) or (len(items) < least and not self._is_partial):
            return None
        return self._sum(zip(models, items))

    def _of_fields(self, model: Type[Any], value: Any) -> Optional[int]:
        hints, required = fields_of(model)
        if is_named_tuple(model) and isinstance(value, list):
            return self._of_tuple(list(hints.values()), len(required), typing.cast(Sequence[Any], value))
        if not isinstance(value, dict):
            return None
        given = typing.cast(Dict[str, Any], value)
        if not self._is_partial and not required <= given.keys():
            return None
        fits = self._sum((hints[name], each) for name, each in given.items() if name in hints)
        return None if fits is None else fits + _unknown_names(given, hints)

    def _of_pydantic(self, model: Any, value: Any) -> Optional[int]:
        names = pydantic_names(model)
        if not self._is_partial:
            text = json.dumps(value)
            unknown = _unknown_names(typing.cast(Dict[str, Any], value), names) if isinstance(value, dict) else 0
            if _can(lambda: model.model_validate_json(text, strict=True)):
                return unknown
            return _CONVERTED + unknown if _can(model.model_validate_json, text) else None
        if getattr(model, "__pydantic_root_model__", False):
            return self._misfit(model.model_fields["root"].annotation, value)
        if not isinstance(value, dict):
            return None
        given = typing.cast(Mapping[str, Any], value)
        hints = {name: model.model_fields[field].annotation for name, field in names.items()}
        fits = self._sum((hints[name], each) for name, each in given.items() if name in hints)
        return None if fits is None else fits + _unknown_names(given, hints)

    def _sum(self, parts: Iterable[Tuple[Any, Any]]) -> Optional[int]:
        total = 0
        for model, value in parts:
            misfit = self._misfit(model, value)
            if misfit is None:
                return None
            total += misfit
        return total


def _unknown_names(value: Mapping[str, Any], known: Mapping[str, Any]) -> int:
    return len(value.keys() - known.keys())


def _fit(is_match: bool) -> Optional[int]:
    return 0 if is_match else None


def _can(convert: Any, *arguments: Any) -> bool:
    try:
        convert(*arguments)
    except WRONG:
        return False
    return True
