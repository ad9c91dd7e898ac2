"""Single values that JSON has no type for: how they are written as JSON, and read back."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import pathlib
import re
import typing
import uuid
from typing import Any, Callable, Dict, Iterable, Mapping, Optional

Schema = Dict[str, Any]

NUMBER_TEXT = r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$"
INTEGER_TEXT = r"^-?\d+$"

text_schemas: Mapping[Any, Schema] = {
    datetime.datetime: {"type": "string", "format": "date-time"},
    datetime.date: {"type": "string", "format": "date"},
    datetime.time: {"type": "string", "format": "time"},
    datetime.timedelta: {"type": "string", "format": "duration"},
    uuid.UUID: {"type": "string", "format": "uuid"},
}


def text_schema(model: Any) -> Optional[Schema]:
    """The schema of a type whose values are texts, such as dates; `None` for other types."""
    if isinstance(model, type) and issubclass(model, pathlib.PurePath):
        return {"type": "string", "format": "path"}
    return text_schemas.get(model)


def parser_of(model: Any) -> Optional[Callable[[Any], Any]]:
    """Reads the JSON value of a type. It raises `ValueError`, `TypeError` or `ArithmeticError` for a wrong one."""
    if isinstance(model, type) and issubclass(model, pathlib.PurePath):
        return model
    return _parsers.get(model)


def member_of(members: Iterable[Any], value: Any) -> Any:
    """The member of an `Enum` or a `Literal` that has this JSON value. Raises `ValueError` if there is none."""
    options = list(members)
    for option in options:
        plain = plain_value(option)
        if plain == value and isinstance(plain, bool) == isinstance(value, bool):
            return option
    texts = ", ".join(json.dumps(plain_value(option)) for option in options)
    raise ValueError(f"{json.dumps(value)} is none of {texts}")


def plain_value(member: Any) -> Any:
    """The JSON value of a member of an `Enum` or a `Literal`."""
    value = member.value if isinstance(member, enum.Enum) else member
    return json.loads(json.dumps(value, default=scalar_to_json))


def scalar_to_json(value: Any) -> Any:
    """Raises `TypeError` if the value is of another type."""
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        seconds = f"PT{abs(value).total_seconds():f}".rstrip("0").rstrip(".")
        return f"{'-' if value < datetime.timedelta() else ''}{seconds}S"
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, (uuid.UUID, pathlib.PurePath)):
        return str(value)
    raise TypeError(f"a {type(value).__name__} cannot be sent as JSON; convert it to a dict, a list or a string")


def key_text(member: Any) -> str:
    """A member of an `Enum` or a `Literal` as the name of a JSON object's member."""
    plain = plain_value(member)
    return plain if isinstance(plain, str) else json.dumps(plain)


def to_datetime(text: str) -> datetime.datetime:
    """Refuses a date without a time."""
    if len(text) <= len("2026-01-02"):
        raise ValueError(f"{json.dumps(text)} has no time")
    return datetime.datetime.fromisoformat(_with_offset(text))


def to_timedelta(value: Any) -> datetime.timedelta:
    """A duration of ISO 8601, such as ``"PT1H30M"``, or seconds."""
    if not isinstance(value, str) or re.match(NUMBER_TEXT, value):
        return datetime.timedelta(seconds=float(value))
    found = _duration.match(value)
    if found is None or value.endswith(("P", "T")):
        raise ValueError(f'{json.dumps(value)} is not a duration such as "PT1H30M"')
    sign, *amounts = found.groups()
    weeks, days, hours, minutes, seconds = (float(amount or 0) for amount in amounts)
    length = datetime.timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)
    return -length if sign == "-" else length


def to_key(model: Any, text: str) -> Any:
    """The key of a dict. Raises `ValueError` if the text is none of this type."""
    if model is int and not re.match(INTEGER_TEXT, text):
        raise ValueError(f"{json.dumps(text)} is not a whole number")
    if model is bool:
        return {"true": True, "false": False}[text] if text in ("true", "false") else _refuse(text, "true or false")
    if model is int:
        return int(text)
    if typing.get_origin(model) is typing.Literal or (isinstance(model, type) and issubclass(model, enum.Enum)):
        members: Iterable[Any] = typing.get_args(model) or typing.cast(Iterable[Any], model)
        found = [member for member in members if key_text(member) == text]
        return found[0] if found else _refuse(text, "one of the allowed keys")
    parse = parser_of(model)
    return text if parse is None else parse(text)


def _refuse(text: str, expected: str) -> Any:
    raise ValueError(f"{json.dumps(text)} is not {expected}")


def _with_offset(text: str) -> str:
    """Python before 3.11 does not read the Z of a time."""
    return f"{text[:-1]}+00:00" if text.endswith(("Z", "z")) else text


_amount = r"(?:(\d+(?:\.\d+)?){unit})?"
_duration = re.compile("([+-]?)P{W}{D}(?:T{H}{M}{S})?$".format(**{unit: _amount.format(unit=unit) for unit in "WDHMS"}))
_parsers: Mapping[Any, Callable[[Any], Any]] = {
    float: float,
    decimal.Decimal: lambda value: decimal.Decimal(str(value)),
    datetime.datetime: to_datetime,
    datetime.date: datetime.date.fromisoformat,
    datetime.time: lambda value: datetime.time.fromisoformat(_with_offset(value)),
    datetime.timedelta: to_timedelta,
    uuid.UUID: uuid.UUID,
}
