"""JSON Schemas of Python types: the types of dataclass fields and of function parameters, and pydantic models."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import decimal
import enum
import inspect
import types
import typing
import uuid
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple, Type, Union

Schema = Dict[str, Any]

_scalars: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    decimal.Decimal: {"type": "number"},
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    uuid.UUID: {"type": "string", "format": "uuid"},
}

list_types = (list, collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Iterable)
set_types = (set, frozenset, collections.abc.Set, collections.abc.MutableSet)
map_types = (dict, collections.abc.Mapping, collections.abc.MutableMapping)
union_types: Tuple[Any, ...] = (Union, getattr(types, "UnionType", Union))


def schema_of(model: Any) -> Schema:
    """The JSON Schema of a type. Raises `TypeError` for a type that JSON cannot express."""
    definitions = _Definitions()
    schema = definitions.schema_of(model)
    return {**schema, "$defs": definitions.found} if definitions.found else schema


def signature_schema(function: Callable[..., Any]) -> Schema:
    """The JSON Schema of a function's parameters, as one object."""
    definitions = _Definitions()
    hints = typing.get_type_hints(function, include_extras=True)
    properties: Schema = {}
    required: List[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise TypeError(f"{_name_of(function)}: the model cannot pass the parameter {name}; use named parameters")
        properties[name] = definitions.schema_of(hints.get(name, Any))
        if parameter.default is parameter.empty:
            required.append(name)
    schema: Schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return {**schema, "$defs": definitions.found} if definitions.found else schema


def is_pydantic(model: Any) -> bool:
    """Whether this is a pydantic model. The package itself does not import pydantic."""
    return isinstance(model, type) and hasattr(model, "model_json_schema") and hasattr(model, "model_fields")


def is_dataclass_type(model: Any) -> bool:
    """Whether this is a dataclass and not an instance of one."""
    return isinstance(model, type) and dataclasses.is_dataclass(model)


def is_typed_dict(model: Any) -> bool:
    """Whether this is a `TypedDict`."""
    return isinstance(model, type) and hasattr(model, "__total__") and hasattr(model, "__required_keys__")


def init_fields(model: Any) -> List[dataclasses.Field[Any]]:
    """The fields of a dataclass that its constructor takes."""
    return [field for field in dataclasses.fields(model) if field.init]


def hints_of(model: Any) -> Dict[str, Any]:
    """The types of a class's fields."""
    return typing.get_type_hints(model, include_extras=True)


def unannotated(model: Any) -> Any:
    """The type inside `Annotated`, `Required` or `NotRequired`."""
    name = getattr(typing.get_origin(model), "_name", "")
    if typing.get_origin(model) is typing.Annotated or name in ("Required", "NotRequired"):
        return unannotated(typing.get_args(model)[0])
    return model


class _Definitions:
    """The schemas of named types, which may refer to themselves."""

    def __init__(self) -> None:
        self.found: Schema = {}
        self._names: Dict[Any, str] = {}

    def schema_of(self, model: Any) -> Schema:
        if typing.get_origin(model) is typing.Annotated:
            inner, *notes = typing.get_args(model)
            return {**self.schema_of(inner), **_description(notes)}
        model = unannotated(model)
        if model is Any or model is object or isinstance(model, typing.TypeVar):
            return {}
        if model is None or model in _scalars:
            return dict(_scalars[type(None) if model is None else model])
        if isinstance(model, type) and typing.get_origin(model) is None:
            return self._schema_of_class(model)
        return self._schema_of_generic(model)

    def _schema_of_class(self, model: Type[Any]) -> Schema:
        if is_pydantic(model):
            return self._schema_of_pydantic(model)
        if issubclass(model, enum.Enum):
            return {"enum": [member.value for member in model]}
        if is_dataclass_type(model) or is_typed_dict(model):
            return self._reference(model)
        if model in list_types or model in set_types or model is tuple:
            return {"type": "array"}
        if model in map_types:
            return {"type": "object"}
        raise TypeError(f"{_name_of(model)}: has no JSON Schema; use a dataclass, a pydantic model or a JSON type")

    def _schema_of_generic(self, model: Any) -> Schema:
        origin, arguments = typing.get_origin(model), typing.get_args(model)
        if origin is typing.Literal:
            return {"enum": list(arguments)}
        if origin in union_types:
            return {"anyOf": [self.schema_of(each) for each in arguments]}
        if origin in list_types:
            return {"type": "array", "items": self.schema_of(arguments[0])}
        if origin in set_types:
            return {"type": "array", "items": self.schema_of(arguments[0]), "uniqueItems": True}
        if origin is tuple:
            return self._schema_of_tuple(arguments)
        if origin in map_types:
            return {"type": "object", "additionalProperties": self.schema_of(arguments[1])}
        raise TypeError(f"{model}: has no JSON Schema; use a dataclass, a pydantic model or a JSON type")

    def _schema_of_tuple(self, items: Tuple[Any, ...]) -> Schema:
        if len(items) == 2 and items[1] is Ellipsis:
            return {"type": "array", "items": self.schema_of(items[0])}
        size = len(items)
        return {
            "type": "array",
            "prefixItems": [self.schema_of(each) for each in items],
            "minItems": size,
            "maxItems": size,
        }

    def _reference(self, model: Type[Any]) -> Schema:
        if model not in self._names:
            self._names[model] = self._free_name(model.__name__)
            self.found[self._names[model]] = {}
            self.found[self._names[model]] = self._schema_of_fields(model)
        return {"$ref": f"#/$defs/{self._names[model]}"}

    def _schema_of_fields(self, model: Type[Any]) -> Schema:
        hints = hints_of(model)
        if is_typed_dict(model):
            required: List[str] = sorted(getattr(model, "__required_keys__", ()))
            properties = {name: self.schema_of(hint) for name, hint in hints.items()}
        else:
            fields = init_fields(model)
            required = [field.name for field in fields if _is_required(field)]
            properties = {field.name: {**self.schema_of(hints[field.name]), **_extras(field)} for field in fields}
        described = _docstring(model)
        return {"type": "object", **described, "properties": properties, "required": required}

    def _schema_of_pydantic(self, model: Any) -> Schema:
        """Its definitions move to the root, under names that are still free."""
        prefix = ""
        while True:
            schema: Schema = model.model_json_schema(ref_template=f"#/$defs/{prefix}{{model}}")
            own: Schema = {f"{prefix}{name}": each for name, each in schema.pop("$defs", {}).items()}
            if all(self.found.get(name, each) == each for name, each in own.items()):
                self.found.update(own)
                return schema
            prefix += "_"

    def _free_name(self, name: str) -> str:
        while name in self.found:
            name += "_"
        return name


def _is_required(field: dataclasses.Field[Any]) -> bool:
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _extras(field: dataclasses.Field[Any]) -> Schema:
    """The description and the default of a dataclass field."""
    extras = _description([field.metadata.get("description")])
    is_plain = field.default is None or isinstance(field.default, (str, int, float, bool))
    return {**extras, "default": field.default} if is_plain and not isinstance(field.default, enum.Enum) else extras


def _description(notes: List[Any]) -> Schema:
    """A text in `Annotated`, or an object with a description such as pydantic's `Field`."""
    for note in notes:
        text: Optional[Any] = note if isinstance(note, str) else getattr(note, "description", None)
        if isinstance(text, str):
            return {"description": text}
    return {}


def _docstring(model: Type[Any]) -> Schema:
    text = inspect.cleandoc(model.__doc__ or "")
    # `dataclass` writes the signature where a class has no docstring.
    is_written = text != "" and not text.startswith(f"{model.__name__}(")
    return {"description": text} if is_written else {}


def _name_of(value: Any) -> str:
    return getattr(value, "__name__", str(value))
