"""Asks one question. Without a key the simulated model answers."""

import os

from simple_agents import SimpleAgentsClient

key = os.environ.get("OPENAI_API_KEY", "")
client = SimpleAgentsClient("openai", key, model="gpt-4o-mini") if key else SimpleAgentsClient("simulated", "")

print(client.complete([("user", "Hello!")]))
