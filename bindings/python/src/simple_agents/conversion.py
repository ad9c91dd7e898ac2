"""Python values of JSON values, by type, and back.

A partial value is one that is still arriving: what is missing is ``None``, or the field's default.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import typing
from typing import Any, Dict, Mapping, Sequence, Type

from .branch import WRONG, BranchFinder
from .scalar import member_of, parser_of, scalar_to_json, to_key
from .schema import (
    any_keys,
    fields_of,
    has_fields,
    init_fields,
    is_anything,
    is_named_tuple,
    is_pydantic,
    is_typed_dict,
    list_types,
    map_types,
    pydantic_names,
    set_types,
    unannotated,
    union_types,
)


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
    if isinstance(value, (set, frozenset)):
        return list(typing.cast(Sequence[Any], value))
    return scalar_to_json(value)


class _Converter:
    def __init__(self, is_partial: bool) -> None:
        self._is_partial = is_partial
        self._finder = BranchFinder(is_partial)

    def convert(self, model: Any, value: Any) -> Any:
        """What does not match its type yet, such as the beginning of a date, is missing in a partial value."""
        try:
            return self._convert(model, value)
        except WRONG:
            if self._is_partial:
                return None
            raise

    def _convert(self, model: Any, value: Any) -> Any:
        model = unannotated(model)
        if is_anything(model):
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
        if has_fields(model):
            return self._convert_fields(model, value)
        if issubclass(model, enum.Enum):
            return member_of(model, value)
        parse = parser_of(model)
        if parse is not None:
            return parse(value)
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
            return member_of(arguments, value)
        if origin in union_types:
            return self._convert_union(arguments, value)
        if origin in list_types:
            return [self.convert(arguments[0], each) for each in _expect(list, value)]
        if origin in set_types:
            items = [self.convert(arguments[0], each) for each in _expect(list, value)]
            # Of a partial value, items that are not clear yet are left out.
            known = [item for item in items if item is not None] if self._is_partial else items
            return frozenset(known) if origin is frozenset else set(known)
        if origin is tuple:
            return self._convert_tuple(arguments, value)
        if origin in map_types:
            return self._convert_map(arguments[0], arguments[1], _expect(dict, value))
        return value

    def _convert_map(self, key: Any, model: Any, value: Mapping[str, Any]) -> Dict[Any, Any]:
        converted: Dict[Any, Any] = {}
        for name, each in value.items():
            try:
                converted[_to_any_key(key, name)] = self.convert(model, each)
            except WRONG:
                if not self._is_partial:
                    raise
        return converted

    def _convert_tuple(self, models: Sequence[Any], value: Any) -> Any:
        items = _expect(list, value)
        if len(models) == 2 and models[1] is Ellipsis:
            return tuple(self.convert(models[0], each) for each in items)
        return tuple(self.convert(model, each) for model, each in zip(models, items))

    def _convert_union(self, models: Sequence[Any], value: Any) -> Any:
        """A constructor may reject the value of the best member; then the next one is used."""
        for model in self._finder.branches(models, value):
            try:
                return self._convert(model, value)
            except WRONG:
                continue
        raise ValueError(f"{json.dumps(value)} matches none of the types {', '.join(map(str, models))}")

    def _convert_fields(self, model: Any, value: Any) -> Any:
        hints, _ = fields_of(model)
        if is_named_tuple(model) and isinstance(value, list):
            value = dict(zip(hints, typing.cast(Sequence[Any], value)))
        given = _expect(dict, value)
        if is_typed_dict(model):
            return {name: self.convert(hints.get(name, Any), each) for name, each in given.items()}
        values = {name: self.convert(hint, given[name]) for name, hint in hints.items() if name in given}
        if not self._is_partial:
            return model(**values)
        if is_named_tuple(model):
            return model(**{**dict.fromkeys(hints), **model._field_defaults, **values})
        # The constructor may check what has not arrived yet.
        partial = object.__new__(model)
        for field in init_fields(model):
            object.__setattr__(partial, field.name, values.get(field.name, _default_of(field)))
        return partial

    def _convert_pydantic(self, model: Any, value: Any) -> Any:
        if not self._is_partial:
            # As JSON, so that strict models accept the text of a date.
            return model.model_validate_json(json.dumps(value))
        if getattr(model, "__pydantic_root_model__", False):
            return model.model_construct(self.convert(model.model_fields["root"].annotation, value))
        given = _expect(dict, value)
        names = pydantic_names(model)
        fields = {names[name]: each for name, each in given.items() if name in names}
        values = {name: self.convert(model.model_fields[name].annotation, each) for name, each in fields.items()}
        partial = model.model_construct(_fields_set=set(values))
        for name in model.model_fields:
            partial.__dict__.setdefault(name, None)
        partial.__dict__.update(values)
        return partial


def _to_any_key(model: Any, name: str) -> Any:
    for each in any_keys(model):
        try:
            return to_key(each, name)
        except WRONG:
            continue
    raise ValueError(f"{json.dumps(name)} is not a key of the type {model}")


def _default_of(field: dataclasses.Field[Any]) -> Any:
    if field.default is not dataclasses.MISSING:
        return field.default
    return None if field.default_factory is dataclasses.MISSING else field.default_factory()


def _expect(model: Any, value: Any) -> Any:
    is_wrong_bool = isinstance(value, bool) and model is not bool
    if isinstance(value, model) and not is_wrong_bool:
        return value
    raise ValueError(f"{json.dumps(value)} is not of the type {model.__name__}")
