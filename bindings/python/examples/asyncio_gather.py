"""Streams to several tasks of one event loop."""

import asyncio

from simple_agents import SimpleAgentsClient


async def count(client: SimpleAgentsClient, limit: int) -> str:
    pieces = [piece async for piece in client.astream(f"Count to {limit}")]
    return f"{len(pieces)} pieces: {''.join(pieces)}"


async def main() -> None:
    client = SimpleAgentsClient("simulated", "")
    for line in await asyncio.gather(*(count(client, limit) for limit in (3, 5, 8))):
        print(line)


asyncio.run(main())
