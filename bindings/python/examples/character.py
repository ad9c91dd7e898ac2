"""Streams a typed value: each line shows the character as far as it has arrived."""

from dataclasses import dataclass
from typing import List

from simple_agents import SimpleAgentsClient


@dataclass
class Item:
    name: str
    weight: float


@dataclass
class Character:
    name: str
    age: int
    inventory: List[Item]


client = SimpleAgentsClient("simulated", "")

with client.stream("Invent a character for a fantasy novel.", response_model=Character) as stream:
    for character in stream:
        # A field that has not arrived yet is None.
        print(character)
    result = stream.result()

print(f"{result.value.name} carries {len(result.value.inventory)} items.")
print(f"{result.usage.output} tokens, confidence {result.confidence}, {len(result.flags)} corrections")
