"""Gives the model a Python function to call."""

from typing import Annotated

from simple_agents import SimpleAgentsClient


def get_weather(city: Annotated[str, "The name of a city"], days: int = 1) -> str:
    """The weather forecast for a city."""
    return f"sunny in {city} for {days} day(s)"


client = SimpleAgentsClient("simulated", "")
result = client.chat("What is the weather in Lisbon?", tools=[get_weather])

print(result.text)
for message in result.messages:
    print(message["role"], [block["type"] for block in message["content"]])
