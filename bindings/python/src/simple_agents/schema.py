"""JSON Schemas of Python types: the types of dataclass fields and of function parameters, and pydantic models."""

from __future__ import annotations

import collections.abc
import dataclasses
import decimal
import enum
import functools
import inspect
import types
import typing
from typing import AbstractSet, Any, Callable, Dict, List, Mapping, Optional, Tuple, Type, Union

from .scalar import INTEGER_TEXT, NUMBER_TEXT, Schema, key_text, plain_value, text_schema

_scalars: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    decimal.Decimal: {"type": "number"},
}
_keys: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"pattern": INTEGER_TEXT},
    float: {"pattern": NUMBER_TEXT},
    decimal.Decimal: {"pattern": NUMBER_TEXT},
    bool: {"enum": ["true", "false"]},
}
# Constraints in `Annotated`, as pydantic's `Field` and annotated_types write them.
_limits = {
    "ge": "minimum",
    "gt": "exclusiveMinimum",
    "le": "maximum",
    "lt": "exclusiveMaximum",
    "multiple_of": "multipleOf",
    "pattern": "pattern",
}
_sizes = {"string": "Length", "array": "Items", "object": "Properties"}

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


def is_named_tuple(model: Any) -> bool:
    """Whether this is a `NamedTuple`."""
    return isinstance(model, type) and hasattr(model, "_fields") and issubclass(model, tuple)


def has_fields(model: Any) -> bool:
    """Whether `fields_of` applies."""
    return is_dataclass_type(model) or is_typed_dict(model) or is_named_tuple(model)


def is_anything(model: Any) -> bool:
    """Whether every JSON value is a value of this type."""
    return model is Any or model is object or isinstance(model, typing.TypeVar)


def fields_of(model: Any) -> Tuple[Mapping[str, Any], AbstractSet[str]]:
    """The types of the fields, and the names of the required ones."""
    hints = hints_of(model)
    if is_typed_dict(model):
        return hints, set(getattr(model, "__required_keys__", ()))
    if is_named_tuple(model):
        return {name: hints.get(name, Any) for name in model._fields}, set(model._fields) - set(model._field_defaults)
    fields = init_fields(model)
    return {each.name: hints[each.name] for each in fields}, {each.name for each in fields if _is_required(each)}


def pydantic_names(model: Any) -> Mapping[str, str]:
    """The fields of a pydantic model by the names that they may have in JSON."""
    fields: Mapping[str, Any] = model.model_fields
    named = [(alias, name) for name, field in fields.items() for alias in (field.alias, field.validation_alias)]
    return {**{name: name for name in fields}, **{alias: name for alias, name in named if isinstance(alias, str)}}


def any_keys(model: Any) -> List[Any]:
    """The types of the keys of a dict, without unions."""
    model = unannotated(model)
    if typing.get_origin(model) in union_types:
        return [key for each in typing.get_args(model) for key in any_keys(each)]
    return [model]


def init_fields(model: Any) -> List[dataclasses.Field[Any]]:
    """The fields of a dataclass that its constructor takes."""
    return [field for field in dataclasses.fields(model) if field.init]


@functools.lru_cache(maxsize=256)
def hints_of(model: Any) -> Dict[str, Any]:
    """The types of a class's fields."""
    return typing.get_type_hints(model, include_extras=True)


def unannotated(model: Any) -> Any:
    """The type inside `Annotated`, `NewType`, `Required` or `NotRequired`."""
    if typing.get_origin(model) is typing.Annotated:
        return unannotated(typing.get_args(model)[0])
    inner = _without_alias(model)
    return model if inner is model else unannotated(inner)


def _without_alias(model: Any) -> Any:
    """The type that a `NewType`, a `Required` or a `NotRequired` stands for."""
    if getattr(typing.get_origin(model), "_name", "") in ("Required", "NotRequired"):
        return typing.get_args(model)[0]
    return getattr(model, "__supertype__", model)


class _Definitions:
    """The schemas of named types, which may refer to themselves."""

    def __init__(self) -> None:
        self.found: Schema = {}
        self._names: Dict[Any, str] = {}

    def schema_of(self, model: Any) -> Schema:
        if typing.get_origin(model) is typing.Annotated:
            inner, *notes = typing.get_args(model)
            schema = self.schema_of(inner)
            return {**schema, **_constraints(schema, notes), **_description(notes)}
        inner = _without_alias(model)
        if inner is not model:
            return self.schema_of(inner)
        if is_anything(model):
            return {}
        if model is None:
            return dict(_scalars[type(None)])
        if isinstance(model, type) and typing.get_origin(model) is None:
            return self._schema_of_class(model)
        return self._schema_of_generic(model)

    def _schema_of_class(self, model: Type[Any]) -> Schema:
        scalar = _scalars.get(model) or text_schema(model)
        if scalar is not None:
            return dict(scalar)
        if is_pydantic(model):
            return self._schema_of_pydantic(model)
        if issubclass(model, enum.Enum):
            return {"enum": [plain_value(member) for member in model]}
        if has_fields(model):
            return self._reference(model)
        if model in list_types or model in set_types or model is tuple:
            return {"type": "array"}
        if model in map_types:
            return {"type": "object"}
        raise TypeError(f"{_name_of(model)}: has no JSON Schema; use a dataclass, a pydantic model or a JSON type")

    def _schema_of_generic(self, model: Any) -> Schema:
        origin, arguments = typing.get_origin(model), typing.get_args(model)
        if origin is typing.Literal:
            return {"enum": [plain_value(each) for each in arguments]}
        if origin in union_types:
            return {"anyOf": [self.schema_of(each) for each in arguments]}
        if origin in list_types or origin in set_types:
            # Without `uniqueItems`: the set drops a value that the model repeats.
            return {"type": "array", "items": self.schema_of(arguments[0])}
        if origin is tuple:
            return self._schema_of_tuple(arguments)
        if origin in map_types:
            names = _key_schema(arguments[0])
            schema = {"type": "object", "additionalProperties": self.schema_of(arguments[1])}
            return schema if names == _keys[str] else {**schema, "propertyNames": names}
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
        hints, required = fields_of(model)
        properties = {name: self.schema_of(hint) for name, hint in hints.items()}
        if is_dataclass_type(model):
            properties = {field.name: {**properties[field.name], **_extras(field)} for field in init_fields(model)}
        names = [name for name in hints if name in required]
        schema: Schema = {"type": "object", **_docstring(model), "properties": properties, "required": names}
        if not is_named_tuple(model):
            return schema
        items = {"type": "array", "prefixItems": list(properties.values())}
        # Models write names, other programs arrays, as pydantic does.
        return {"anyOf": [schema, {**items, "minItems": len(names), "maxItems": len(properties)}]}

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


def _key_schema(model: Any) -> Schema:
    """What the names of an object must be, so that they are keys of this type."""
    schemas = [_schema_of_key(key) for key in any_keys(model)]
    return schemas[0] if len(schemas) == 1 else {"anyOf": schemas}


def _schema_of_key(model: Any) -> Schema:
    if is_anything(model):
        return _keys[str]
    if typing.get_origin(model) is typing.Literal:
        return {"enum": [key_text(each) for each in typing.get_args(model)]}
    if isinstance(model, type) and issubclass(model, enum.Enum):
        return {"enum": [key_text(each) for each in model]}
    schema = _keys.get(model) or text_schema(model)
    if schema is None:
        raise TypeError(f"{_name_of(model)}: cannot be the key of a dict; use str, int, an Enum or a Literal")
    return schema


def _constraints(schema: Schema, notes: List[Any]) -> Schema:
    """The limits of `Annotated`: of pydantic's `Field`, which has them in `metadata`, and of annotated_types."""
    found: Schema = {}
    members = schema.get("anyOf", [schema])
    sizes = [_sizes[member["type"]] for member in members if member.get("type") in _sizes]
    for each in (each for note in notes for each in (note, *(getattr(note, "metadata", None) or ()))):
        for name in (*_limits, "min_length", "max_length"):
            value = getattr(each, name, None)
            keywords = [_limits[name]] if name in _limits else [f"{name[:3]}{size}" for size in sizes]
            if isinstance(value, (int, float, str)):
                found.update(dict.fromkeys(keywords, value))
    return found


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
