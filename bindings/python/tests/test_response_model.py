"""Typed answers: pydantic models, dataclasses, other types, JSON Schemas; complete, streamed and healed."""

from __future__ import annotations

import datetime
import decimal
import enum
import json
import uuid
from dataclasses import dataclass, field
from typing import Annotated, Any, Dict, FrozenSet, List, Literal, Optional, Tuple, TypedDict, Union

import pydantic
import pytest

from simple_agents import HealingError, SimpleAgentsClient, heal
from simple_agents.conversion import to_partial, to_python
from simple_agents.schema import schema_of


class Item(pydantic.BaseModel):
    name: str
    weight: float = pydantic.Field(ge=0)


class Character(pydantic.BaseModel):
    name: str
    age: int
    inventory: List[Item]
    title: Optional[str] = None


class Color(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Tree:
    """A tree of names."""

    name: str
    children: List[Tree] = field(default_factory=list)


class Options(TypedDict, total=False):
    verbose: bool


@dataclass
class Everything:
    text: str
    number: float
    color: Color
    size: Literal["s", "m"]
    day: datetime.date
    moment: datetime.datetime
    price: decimal.Decimal
    id: uuid.UUID
    pair: Tuple[int, str]
    tags: FrozenSet[str]
    by_name: Dict[str, Item]
    options: Options
    tree: Tree
    either: Union[int, str, Item, None]
    noted: Annotated[int, "How often"] = 1
    anything: Any = None


EVERYTHING = {
    "text": "t",
    "number": 1,
    "color": "blue",
    "size": "m",
    "day": "2026-01-02",
    "moment": "2026-01-02T03:04:05Z",
    "price": 1.5,
    "id": "12345678-1234-5678-1234-567812345678",
    "pair": [1, "x"],
    "tags": ["a", "b"],
    "by_name": {"sword": {"name": "sword", "weight": 2}},
    "options": {"verbose": True},
    "tree": {"name": "root", "children": [{"name": "leaf"}]},
    "either": {"name": "hat", "weight": 1},
    "noted": 3,
    "anything": [1],
}


def test_a_pydantic_model(client: SimpleAgentsClient) -> None:
    result = client.chat("A character", response_model=Character)
    assert isinstance(result.value, Character)
    assert result.value == Character.model_validate_json(result.text)
    assert (result.flags, result.confidence) == ((), 1)
    assert isinstance(client.complete("A character", response_model=Character), Character)


def test_a_dataclass(client: SimpleAgentsClient) -> None:
    value = client.complete("A tree", response_model=Tree)
    assert isinstance(value, Tree)
    assert all(isinstance(child, Tree) for child in value.children)


def test_a_json_schema_and_other_types(client: SimpleAgentsClient) -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    assert isinstance(client.complete("A city", response_model=schema)["city"], str)
    values = client.complete("Characters", response_model=List[Character])
    assert all(isinstance(value, Character) for value in values)


def test_the_answer_is_healed(open_client: Any) -> None:
    client = open_client({"damage": "trailing-comma"})
    result = client.chat("A character", response_model=Character)
    assert isinstance(result.value, Character)
    assert {flag.kind for flag in result.flags} == {"fixed-trailing-comma"}
    assert 0 < result.confidence < 1


@pytest.mark.parametrize("model", [Character, Tree], ids=["pydantic", "dataclass"])
def test_partial_values_are_of_the_model(client: SimpleAgentsClient, model: Any) -> None:
    stream = client.stream("A value", response_model=model)
    partials = list(stream)
    assert len(partials) > 1
    assert all(isinstance(partial, model) for partial in partials)
    assert partials[-1] == stream.result().value


def test_missing_fields_of_a_partial_value() -> None:
    partial = to_partial(Character, {"name": "Ada", "inventory": [{"name": "hat"}]})
    assert (partial.name, partial.age, partial.title) == ("Ada", None, None)
    assert (partial.inventory[0].name, partial.inventory[0].weight) == ("hat", None)
    assert partial.model_fields_set == {"name", "inventory"}
    tree = to_partial(Tree, {"children": [{}]})
    assert (tree.name, tree.children[0].name, tree.children[0].children) == (None, None, [])
    everything = to_partial(Everything, {"day": "2026-0", "color": "r", "either": {"name": "h"}})
    assert (everything.day, everything.color, everything.noted) == (None, None, 1)
    assert isinstance(everything.either, Item)


def test_every_type_has_a_schema_and_a_value() -> None:
    schema = schema_of(Everything)
    assert sorted(schema["$defs"]) == ["Everything", "Options", "Tree"]
    assert schema["$defs"]["Tree"]["description"] == "A tree of names."
    assert schema["$defs"]["Everything"]["properties"]["noted"] == {
        "type": "integer",
        "description": "How often",
        "default": 1,
    }
    value = to_python(Everything, EVERYTHING)
    assert (value.number, type(value.number)) == (1.0, float)
    assert (value.color, value.day, value.price) == (Color.BLUE, datetime.date(2026, 1, 2), decimal.Decimal("1.5"))
    assert value.moment == datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.timezone.utc)
    assert (value.pair, value.tags) == ((1, "x"), frozenset({"a", "b"}))
    assert value.by_name == {"sword": Item(name="sword", weight=2)}
    assert value.tree == Tree("root", [Tree("leaf")])
    assert value.either == Item(name="hat", weight=1)


def test_every_type_is_healed() -> None:
    damaged = json.dumps(EVERYTHING)[:-1].replace('"text"', "text")
    healed = heal(damaged, Everything)
    assert healed.value == to_python(Everything, EVERYTHING)
    assert {flag.kind for flag in healed.flags} == {"unquoted-key", "closed-truncated"}


def test_two_models_of_the_same_name_are_kept_apart() -> None:
    @dataclass
    class Pair:
        first: Item
        second: Any

    @dataclass
    class Tree:
        leaf: int

    Pair.__annotations__ = {"first": Holder, "second": Tree}
    schema = schema_of(Pair)
    assert sorted(schema["$defs"]) == ["Holder", "Pair", "Tree", "Tree_"]
    assert heal('{"first": {"tree": {"name": "x"}}, "second": {"leaf": 1}}', Pair).value.second == Tree(1)


@dataclass
class Holder:
    tree: Tree


def test_aliases_of_pydantic() -> None:
    class Aliased(pydantic.BaseModel):
        full_name: str = pydantic.Field(alias="fullName")

    assert heal('{"fullName": "Ada"}', Aliased).value.full_name == "Ada"
    assert to_partial(Aliased, {"fullName": "Ad"}).full_name == "Ad"


def test_a_root_model() -> None:
    class Items(pydantic.RootModel[List[Item]]):
        pass

    assert heal('[{"name": "hat", "weight": "1"}]', Items).value.root == [Item(name="hat", weight=1)]
    partial = to_partial(Items, [{"name": "hat"}])
    assert (partial.root[0].name, partial.root[0].weight) == ("hat", None)


@pytest.mark.parametrize("value", [None, 1, "x", [], [1], {}, {"tree": 1, "by_name": [], "pair": {}, "tags": "x"}])
def test_a_partial_value_never_fails(value: Any) -> None:
    partial = to_partial(Everything, value)
    assert partial is None or isinstance(partial, Everything)


def test_strict_models_and_dates() -> None:
    class Strict(pydantic.BaseModel, strict=True):
        day: datetime.date

    assert heal('{"day": "2026-01-02"}', Strict).value.day == datetime.date(2026, 1, 2)


def test_a_validator_of_the_model_may_reject_the_value() -> None:
    class Even(pydantic.BaseModel):
        number: int

        @pydantic.field_validator("number")
        @classmethod
        def check(cls, number: int) -> int:
            if number % 2:
                raise ValueError("must be even")
            return number

    with pytest.raises(HealingError, match="must be even") as caught:
        heal('{"number": 3}', Even)
    assert caught.value.value == {"number": 3}
    assert isinstance(caught.value.__cause__, pydantic.ValidationError)


def test_a_type_without_a_schema_is_named() -> None:
    with pytest.raises(TypeError, match="Thread"):
        heal("{}", __import__("threading").Thread)


def test_heal_without_a_model_and_with_options() -> None:
    assert heal("{a: 1,}").value == {"a": 1}
    long = "Ünïcode 😀 \n" * 20_000
    assert heal(json.dumps([long])[:-1]).value == [long]
    with pytest.raises(HealingError) as caught:
        heal("{a: 1,}", strict=True)
    assert caught.value.flags != ()
    with pytest.raises(HealingError):
        heal("there is nothing here", Character)
