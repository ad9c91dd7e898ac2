"""Uses the next model when the first one cannot be reached."""

from simple_agents import NetworkError, SimpleAgentsClient

unreachable = "http://127.0.0.1:9/v1"

client = SimpleAgentsClient(
    "openai",
    "any",
    base_url=unreachable,
    chains=[{"model": "gpt-4o", "targets": ["openai/gpt-4o", "simulated/simulated"]}],
    retry=False,
)
result = client.chat("Count to 5", model="gpt-4o")
print(f"{result.target} answered: {result.text}")

alone = SimpleAgentsClient("openai", "any", base_url=unreachable, retry=False)
try:
    alone.complete("Count to 5", model="gpt-4o")
except NetworkError as error:
    print(f"Without a fallback: {error}")
