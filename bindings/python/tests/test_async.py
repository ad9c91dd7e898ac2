"""Event loops: gather, cancel, time-outs, several loops, and loops that cannot watch a socket."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from typing import Any

import pytest

from simple_agents import NetworkError, SimpleAgentsClient

COUNT = "1, 2, 3, 4, 5"


def test_complete_and_chat(client: SimpleAgentsClient) -> None:
    async def main() -> None:
        assert await client.complete_async("Count to 5") == COUNT
        assert (await client.chat_async("Count to 5")).usage.output == 4

    asyncio.run(main())


def test_gather_of_100(client: SimpleAgentsClient) -> None:
    async def read(limit: int) -> bool:
        text = "".join([piece async for piece in client.astream(f"Count to {limit}")])
        return text == ", ".join(str(each) for each in range(1, limit + 1))

    async def main() -> list[bool]:
        return await asyncio.gather(*(read(1 + number % 30) for number in range(100)))

    assert asyncio.run(main()) == [True] * 100


def test_a_stream_has_a_result(client: SimpleAgentsClient) -> None:
    async def main() -> None:
        async with client.astream("Count to 5") as stream:
            assert await stream.__anext__() == "1, "
            assert (await stream.result()).text == COUNT

    asyncio.run(main())


def test_other_tasks_run_while_one_waits(open_client: Any) -> None:
    async def main() -> int:
        call = asyncio.ensure_future(open_client({"stallBeforeMs": 300}).complete_async("Hello"))
        turns = 0
        while not call.done():
            await asyncio.sleep(0.01)
            turns += 1
        await call
        return turns

    assert asyncio.run(main()) > 5


def test_cancel_ends_the_call(open_client: Any) -> None:
    client = open_client({"stallBeforeMs": 60_000})

    async def main() -> None:
        task = asyncio.ensure_future(client.complete_async("Hello"))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    begin = time.monotonic()
    asyncio.run(main())
    assert time.monotonic() - begin < 30


def test_timeout_of_a_stream(open_client: Any) -> None:
    client = open_client({"stallAtByte": 700})

    async def main() -> list[str]:
        pieces: list[str] = []

        async def read() -> None:
            async for piece in client.astream("Count to 100"):
                pieces.append(piece)

        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(read(), 1)
        return pieces

    assert len(asyncio.run(main())) > 0


def test_a_stream_that_is_left_does_not_disturb_the_next_call(open_client: Any) -> None:
    async def main() -> str:
        async for _piece in open_client({"slow": 20}).astream("Count to 1000"):
            break
        return await open_client().complete_async("Count to 5")

    assert asyncio.run(main()) == COUNT


def test_errors_are_exceptions() -> None:
    client = SimpleAgentsClient("openai", "key", base_url="http://127.0.0.1:9", retry=False)

    async def main() -> None:
        with pytest.raises(NetworkError):
            await client.complete_async("Hello", model="m")

    asyncio.run(main())


def test_each_thread_may_have_a_loop(client: SimpleAgentsClient) -> None:
    texts: list[str] = []

    def run() -> None:
        texts.append(asyncio.run(client.complete_async("Count to 5")))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert texts == [COUNT] * 8


def test_a_loop_is_freed_with_its_port(client: SimpleAgentsClient) -> None:
    def run() -> weakref.ref[asyncio.AbstractEventLoop]:
        loop = asyncio.new_event_loop()
        loop.run_until_complete(client.complete_async("Hello"))
        loop.close()
        return weakref.ref(loop)

    reference = run()
    gc.collect()
    assert reference() is None


class BlindLoop(asyncio.SelectorEventLoop):
    """A loop like the default one of Windows, which cannot watch a socket."""

    def add_reader(self, *arguments: Any) -> None:
        raise NotImplementedError


def test_a_loop_that_cannot_watch_a_socket(client: SimpleAgentsClient) -> None:
    loop = BlindLoop()
    try:
        assert loop.run_until_complete(client.complete_async("Count to 5")) == COUNT
        texts = loop.run_until_complete(_gather(client))
        assert texts == [COUNT] * 20
    finally:
        loop.close()


async def _gather(client: SimpleAgentsClient) -> list[str]:
    return await asyncio.gather(*(client.complete_async("Count to 5") for _ in range(20)))
