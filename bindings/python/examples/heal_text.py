"""Heals a damaged text into a typed value, without any model."""

from dataclasses import dataclass
from typing import List

from simple_agents import HealingError, heal


@dataclass
class Person:
    name: str
    age: int
    tags: List[str]


text = """Sure! Here is the person:
```json
{name: "Ada", "age": "36", 'tags': ["math", "poetry",
"""

healed = heal(text, Person)
print(healed.value)
print(f"confidence {healed.confidence:.2f}")
for flag in healed.flags:
    print(flag.kind, *flag.path)

try:
    heal("I would rather not.", Person)
except HealingError as error:
    print(f"Not healed: {error}")
