"""Python values of JSON values, by type, and back.

A partial value is one that is still arriving: what is missing is ``None``, or the field's default.
"""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import json
import typing
import uuid
from typing import Any, Callable, Dict, List, Mapping, Sequence, Type

from .schema import (
    hints_of,
    init_fields,
    is_dataclass_type,
    is_pydantic,
    is_typed_dict,
    list_types,
    map_types,
    set_types,
    unannotated,
    union_types,
)

_parsers: Mapping[Any, Callable[[Any], Any]] = {
    float: float,
    decimal.Decimal: lambda value: decimal.Decimal(str(value)),
    datetime.datetime: lambda value: datetime.datetime.fromisoformat(_with_offset(value)),
    datetime.date: datetime.date.fromisoformat,
    datetime.time: lambda value: datetime.time.fromisoformat(_with_offset(value)),
    uuid.UUID: uuid.UUID,
}


def to_python(model: Any, value: Any) -> Any:
    """A value of the type. Raises `ValueError` or `TypeError` if the JSON value does not match it."""
    return _Converter(is_partial=False).convert(model, value)


def to_partial(model: Any, value: Any) -> Any:
    """A value of the type as far as it has arrived."""
    return _Converter(is_partial=True).convert(model, value)


def to_json(value: Any) -> Any:
    """What `json` cannot encode itself, for instance the result of a tool."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset, tuple)):
        return list(typing.cast(Sequence[Any], value))
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, uuid.UUID):
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON; convert it to a dict, a list or a string")


class _Converter:
    def __init__(self, is_partial: bool) -> None:
        self._is_partial = is_partial

    def convert(self, model: Any, value: Any) -> Any:
        """What does not match its type yet, such as the beginning of a date, is missing in a partial value."""
        try:
            return self._convert(model, value)
        except (ValueError, TypeError, ArithmeticError):
            if self._is_partial:
                return None
            raise

    def _convert(self, model: Any, value: Any) -> Any:
        model = unannotated(model)
        if model is Any or model is object or isinstance(model, typing.TypeVar):
            return value
        if value is None and self._is_partial:
            return None
        if isinstance(model, type) and typing.get_origin(model) is None:
            return self._convert_class(model, value)
        if model is None:
            return _expect(type(None), value)
        return self._convert_generic(model, value)

    def _convert_class(self, model: Type[Any], value: Any) -> Any:
        if is_pydantic(model):
            return self._convert_pydantic(model, value)
        if is_dataclass_type(model):
            return self._convert_dataclass(model, value)
        if is_typed_dict(model):
            hints = hints_of(model)
            return {name: self.convert(hints.get(name, Any), each) for name, each in _expect(dict, value).items()}
        if issubclass(model, enum.Enum) or model in _parsers:
            return _parsers.get(model, model)(value)
        if model in set_types:
            return set(_expect(list, value))
        if model is tuple:
            return tuple(_expect(list, value))
        if model in list_types or model in map_types:
            return value
        return _expect(model, value)

    def _convert_generic(self, model: Any, value: Any) -> Any:
        origin, arguments = typing.get_origin(model), typing.get_args(model)
        if origin is typing.Literal:
            return value
        if origin in union_types:
            return self._convert_union(arguments, value)
        if origin in list_types:
            return [self.convert(arguments[0], each) for each in _expect(list, value)]
        if origin in set_types:
            items = [self.convert(arguments[0], each) for each in _expect(list, value)]
            return frozenset(items) if origin is frozenset else set(items)
        if origin is tuple:
            return self._convert_tuple(arguments, value)
        if origin in map_types:
            return {name: self.convert(arguments[1], each) for name, each in _expect(dict, value).items()}
        return value

    def _convert_tuple(self, models: Sequence[Any], value: Any) -> Any:
        items = _expect(list, value)
        if len(models) == 2 and models[1] is Ellipsis:
            return tuple(self.convert(models[0], each) for each in items)
        return tuple(self.convert(model, each) for model, each in zip(models, items))

    def _convert_union(self, models: Sequence[Any], value: Any) -> Any:
        """The member that fits best: the type itself, then the most fields that have a name in it."""
        for model in sorted(models, key=lambda each: _misfit(each, value)):
            try:
                converted = self.convert(model, value)
            except (ValueError, TypeError, ArithmeticError):
                continue
            if converted is not None or value is None:
                return converted
        raise ValueError(f"{json.dumps(value)} matches none of the types {', '.join(map(str, models))}")

    def _convert_dataclass(self, model: Type[Any], value: Any) -> Any:
        hints = hints_of(model)
        given = _expect(dict, value)
        fields = init_fields(model)
        present = [field.name for field in fields if field.name in given]
        values = {name: self.convert(hints[name], given[name]) for name in present}
        if not self._is_partial:
            return model(**values)
        # The constructor may check what has not arrived yet.
        partial = object.__new__(model)
        for field in fields:
            object.__setattr__(partial, field.name, values.get(field.name, _default_of(field)))
        return partial

    def _convert_pydantic(self, model: Any, value: Any) -> Any:
        if not self._is_partial:
            # As JSON, so that strict models accept the text of a date.
            return model.model_validate_json(json.dumps(value))
        if getattr(model, "__pydantic_root_model__", False):
            return model.model_construct(self.convert(model.model_fields["root"].annotation, value))
        given = _expect(dict, value)
        values: Dict[str, Any] = {}
        for name, field in model.model_fields.items():
            key = next((each for each in (*_aliases(field), name) if each in given), None)
            if key is not None:
                values[name] = self.convert(field.annotation, given[key])
        partial = model.model_construct(_fields_set=set(values))
        for name in model.model_fields:
            partial.__dict__.setdefault(name, None)
        partial.__dict__.update(values)
        return partial


def _aliases(field: Any) -> List[str]:
    return [each for each in (field.alias, field.validation_alias) if isinstance(each, str)]


def _default_of(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    return None if field.default_factory is dataclasses.MISSING else field.default_factory()


def _misfit(model: Any, value: Any) -> int:
    """0 for a type that fits exactly; for objects, the number of fields that the type does not have."""
    model = unannotated(model)
    names = _field_names(model)
    if names is not None:
        return len(set(typing.cast(Dict[str, Any], value)) - names) if isinstance(value, dict) else 1000
    if model is Any:
        return 999
    origin = typing.get_origin(model) or model
    return 0 if origin is type(value) or (origin in list_types and isinstance(value, list)) else 500


def _field_names(model: Any) -> typing.Optional[typing.AbstractSet[str]]:
    if is_pydantic(model):
        fields: Mapping[str, Any] = model.model_fields
        return {each for name, field in fields.items() for each in (name, *_aliases(field))}
    if is_dataclass_type(model):
        return {field.name for field in init_fields(model)}
    return set(hints_of(model)) if is_typed_dict(model) else None


def _expect(model: Any, value: Any) -> Any:
    is_wrong_bool = isinstance(value, bool) and model is not bool
    if isinstance(value, model) and not is_wrong_bool:
        return value
    raise ValueError(f"{json.dumps(value)} is not of the type {model.__name__}")


def _with_offset(text: str) -> str:
    """Python before 3.11 does not read the Z of a time."""
    return f"{text[:-1]}+00:00" if text.endswith(("Z", "z")) else text
