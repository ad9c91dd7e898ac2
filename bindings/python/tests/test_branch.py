"""Unions, and the types of Python that JSON has no type for."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import json
import pathlib
from dataclasses import dataclass
from typing import (
    Annotated,
    Any,
    Dict,
    FrozenSet,
    List,
    Literal,
    Mapping,
    NamedTuple,
    NewType,
    Optional,
    Set,
    Tuple,
    TypedDict,
    Union,
)

import pydantic
import pytest

from simple_agents import HealingError, SimpleAgentsClient, heal
from simple_agents.conversion import to_json, to_partial, to_python
from simple_agents.schema import schema_of


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Corner(enum.Enum):
    ORIGIN = (0, 0)
    OTHER = (1, 1)


@dataclass
class Circle:
    size: float
    kind: Literal["circle"]


@dataclass
class Square:
    size: float
    kind: Literal["square"]


@dataclass
class Painted:
    size: float
    color: Literal[Color.RED]


@dataclass
class Measured:
    size: float
    unit: Optional[str] = None


class Cylinder(pydantic.BaseModel):
    size: float
    kind: Literal["cylinder"]


class Text(pydantic.BaseModel):
    size: str


class Cube(TypedDict):
    size: float
    kind: Literal["cube"]


Shape = Union[Circle, Square, Painted, Cylinder, Cube, Measured]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"size": 1, "kind": "circle"}, Circle(1, "circle")),
        ({"size": 1, "kind": "square"}, Square(1, "square")),
        ({"size": 1, "kind": "cylinder"}, Cylinder(size=1, kind="cylinder")),
        ({"size": 1, "kind": "cube"}, {"size": 1.0, "kind": "cube"}),
        ({"size": 1, "color": "red"}, Painted(1, Color.RED)),
        ({"size": 1}, Measured(1)),
        ({"size": 1, "unit": "m"}, Measured(1, "m")),
    ],
    ids=str,
)
def test_a_union_becomes_the_branch_of_the_value(value: Any, expected: Any) -> None:
    for model, given, wanted in [
        (Shape, value, expected),
        (List[Shape], [value], [expected]),
        (Dict[str, Optional[Shape]], {"a": value, "b": None}, {"a": expected, "b": None}),
    ]:
        healed: Any = heal(json.dumps(given), model).value
        assert (type(healed), healed) == (type(wanted), wanted)


@pytest.mark.parametrize(
    ("model", "value", "expected"),
    [
        (Union[float, int], 1, 1),
        (Union[int, str], "1", "1"),
        (Union[bool, int], 1, 1),
        (Union[int, bool], True, True),
        (Union[Literal[1], bool], True, True),
        (Union[datetime.date, str], "2026-01-02", datetime.date(2026, 1, 2)),
        (Union[datetime.datetime, datetime.date], "2026-01-02", datetime.date(2026, 1, 2)),
        (Union[datetime.date, str], "tomorrow", "tomorrow"),
        (Union[Color, str], "red", Color.RED),
        (Union[Color, str], "green", "green"),
        (Union[Any, Color], "red", Color.RED),
        (Union[List[int], List[str]], ["a"], ["a"]),
        (Union[List[int], FrozenSet[str]], ["a"], frozenset({"a"})),
        (Union[Tuple[int, int], Tuple[int, int, int]], [1, 2, 3], (1, 2, 3)),
        (Union[Dict[int, str], Dict[str, str]], {"a": "b"}, {"a": "b"}),
        (Union[Dict[int, str], Dict[str, str]], {"1": "b"}, {1: "b"}),
        (Union[Text, Measured], {"size": 1}, Measured(1)),
        (Union[Measured, Text], {"size": "1"}, Text(size="1")),
        (Union[None, Annotated[Union[Circle, Square], "A shape"]], {"size": 1, "kind": "square"}, Square(1, "square")),
    ],
    ids=str,
)
def test_the_member_that_fits_best(model: Any, value: Any, expected: Any) -> None:
    converted = to_python(model, value)
    assert (type(converted), converted) == (type(expected), expected)


def test_nested_values_choose_the_branch() -> None:
    @dataclass
    class Numbers:
        items: List[int]

    @dataclass
    class Words:
        items: List[str]

    assert type(to_python(Union[Numbers, Words], {"items": ["a"]})) is Words
    assert type(to_python(Union[Words, Numbers], {"items": [1]})) is Numbers


@dataclass
class Plus:
    left: Expression
    right: Expression
    operator: Literal["+"]


@dataclass
class Times:
    left: Expression
    right: Expression
    operator: Literal["*"]


Expression = Union[Plus, Times, int]


def test_a_deep_recursive_union_takes_linear_time() -> None:
    """With every member tried at every level, 100 levels would not end."""
    value: Any = 1
    for number in range(100):
        value = {"left": value, "right": 2, "operator": "+*"[number % 2]}
    assert type(to_python(Expression, value)) is Times
    assert type(to_partial(Expression, value)) is Times


def test_a_union_through_a_model(client: SimpleAgentsClient) -> None:
    for part in client.stream("A shape", response_model=Union[Circle, Square]):
        assert part is None or isinstance(part, (Circle, Square))
    value: Any = client.complete("A shape", response_model=Union[Circle, Square])
    assert (type(value), value.kind) in [(Circle, "circle"), (Square, "square")]


def test_a_partial_union_appears_once_its_branch_is_clear() -> None:
    shape: Any = Union[Circle, Square, None]
    assert to_partial(shape, {"size": 1}) is None
    assert to_partial(shape, {"kind": "s"}) == Square(None, None)
    assert to_partial(shape, {"size": 1, "kind": "square"}) == Square(1, "square")
    assert to_partial(List[shape], [{"size": 1}, {"kind": "circle"}])[1].kind == "circle"
    either: Any = Union[Measured, str]
    assert to_partial(either, {"unit": "k"}) == Measured(None, "k")
    assert to_partial(Union[Measured, Circle], {"size": 1, "unit": "m"}) == Measured(1, "m")
    assert to_partial(Union[Measured, Text], {"size": 1}) == Measured(1)


def test_a_literal_is_checked() -> None:
    with pytest.raises(HealingError):
        heal('"green"', Literal["red", "blue"])
    with pytest.raises(ValueError, match='"green" is none of "red", "blue"'):
        to_python(Literal["red", "blue"], "green")
    assert to_python(Literal[Color.RED, None, 1], "red") is Color.RED
    assert schema_of(Literal[Color.RED, None, 1]) == {"enum": ["red", None, 1]}
    assert to_partial(Literal["red"], "r") is None


UserId = NewType("UserId", int)


class Point(NamedTuple):
    x: int
    y: int = 0


@dataclass
class Rich:
    by_id: Dict[int, str]
    by_user: Mapping[UserId, int]
    by_color: Dict[Color, int]
    by_level: Dict[Level, int]
    by_name: Dict[Literal["a", "b"], int]
    by_day: Dict[datetime.date, int]
    by_flag: Dict[bool, int]
    by_either: Dict[Union[int, str], int]
    tags: Set[str]
    levels: FrozenSet[Level]
    user: UserId
    point: Point
    points: List[Point]
    wait: datetime.timedelta
    path: pathlib.Path
    pure: pathlib.PurePosixPath
    corner: Corner
    limited: Annotated[int, pydantic.Field(ge=1, lt=10, description="A count")]
    named: Annotated[str, pydantic.Field(min_length=1, pattern="^a")]
    several: Annotated[List[int], pydantic.Field(max_length=3)]
    maybe: Annotated[Optional[str], pydantic.Field(min_length=2)] = None


RICH = {
    "by_id": {"1": "a", "-2": "b"},
    "by_user": {"7": 1},
    "by_color": {"red": 1},
    "by_level": {"2": 1},
    "by_name": {"a": 1},
    "by_day": {"2026-01-02": 1},
    "by_flag": {"true": 1},
    "by_either": {"1": 1, "x": 2},
    "tags": ["a", "b", "a"],
    "levels": [1, 2],
    "user": 7,
    "point": {"x": 1},
    "points": [[1, 2], {"x": 3, "y": 4}],
    "wait": "PT1H30M",
    "path": "/tmp/x",
    "pure": "a/b",
    "corner": [1, 1],
    "limited": 3,
    "named": "ab",
    "several": [1],
}
EXPECTED = Rich(
    by_id={1: "a", -2: "b"},
    by_user={UserId(7): 1},
    by_color={Color.RED: 1},
    by_level={Level.HIGH: 1},
    by_name={"a": 1},
    by_day={datetime.date(2026, 1, 2): 1},
    by_flag={True: 1},
    by_either={1: 1, "x": 2},
    tags={"a", "b"},
    levels=frozenset({Level.LOW, Level.HIGH}),
    user=UserId(7),
    point=Point(1),
    points=[Point(1, 2), Point(3, 4)],
    wait=datetime.timedelta(minutes=90),
    path=pathlib.Path("/tmp/x"),
    pure=pathlib.PurePosixPath("a/b"),
    corner=Corner.OTHER,
    limited=3,
    named="ab",
    several=[1],
)


def test_rich_types_are_healed() -> None:
    damaged = json.dumps(RICH)[:-1].replace('"user"', "user")
    value = heal(damaged, Rich).value
    assert value == EXPECTED
    assert {type(key) for key in value.by_level} == {Level}
    assert type(value.point) is Point


def test_rich_types_while_they_arrive() -> None:
    assert to_partial(Rich, RICH) == EXPECTED
    partial = to_partial(Rich, {"by_id": {"1": None, "x": "b"}, "tags": ["a", None], "point": {}, "wait": "PT1"})
    assert (partial.by_id, partial.tags, partial.wait) == ({1: None}, {"a"}, None)
    assert (partial.point.x, partial.point.y) == (None, 0)
    for field in dataclasses.fields(Rich):
        for value in (None, 1, "x", [], [[]], {}, {"y": {}}):
            assert isinstance(to_partial(Rich, {field.name: value}), Rich)


def test_the_schema_of_rich_types() -> None:
    properties = schema_of(Rich)["$defs"]["Rich"]["properties"]
    assert properties["limited"] == {
        "type": "integer",
        "minimum": 1,
        "exclusiveMaximum": 10,
        "description": "A count",
    }
    assert properties["named"] == {"type": "string", "minLength": 1, "pattern": "^a"}
    assert properties["several"] == {"type": "array", "items": {"type": "integer"}, "maxItems": 3}
    assert properties["by_color"]["propertyNames"] == {"enum": ["red", "blue"]}
    assert properties["by_level"]["propertyNames"] == {"enum": ["1", "2"]}
    assert properties["user"] == {"type": "integer"}
    assert properties["wait"] == {"type": "string", "format": "duration"}
    assert properties["corner"] == {"enum": [[0, 0], [1, 1]]}
    with pytest.raises(TypeError, match="Point: cannot be the key"):
        schema_of(Dict[Point, int])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("limited", 0),
        ("limited", 10),
        ("named", "b"),
        ("several", [1, 2, 3, 4]),
        ("maybe", "a"),
        ("by_id", {"x": "a"}),
        ("wait", "soon"),
    ],
    ids=str,
)
def test_a_value_outside_its_limits_is_an_error(field: str, value: Any) -> None:
    with pytest.raises(HealingError):
        heal(json.dumps({**RICH, field: value}), Rich)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("P1DT1S", 86_401), ("PT0.5S", 0.5), ("P2W", 1_209_600), ("-PT1M", -60), ("90", 90), ("PT1H1M1.25S", 3_661.25)],
)
def test_durations(text: str, seconds: float) -> None:
    length = to_python(datetime.timedelta, text)
    assert length == datetime.timedelta(seconds=seconds)
    assert to_python(datetime.timedelta, to_json(length)) == length


@pytest.mark.parametrize("text", ["P", "PT", "P1DT", "1H", "P1Y", "soon", ""])
def test_texts_that_are_no_durations(text: str) -> None:
    with pytest.raises(ValueError):
        to_python(datetime.timedelta, text)


def test_an_untyped_named_tuple() -> None:
    Pair = collections.namedtuple("Pair", ["first", "second"])
    assert heal('{"first": 1, "second": [2]}', Pair).value == Pair(1, [2])


def test_values_of_tools() -> None:
    assert to_json(pathlib.PurePosixPath("a/b")) == "a/b"
    assert to_json(datetime.timedelta(seconds=-1.5)) == "-PT1.5S"
    assert to_json(datetime.timedelta(0)) == "PT0S"
