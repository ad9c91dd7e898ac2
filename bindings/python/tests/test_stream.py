"""Streams: pieces, results, and what happens to one that is left."""

from __future__ import annotations

import gc
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator

import pytest

from simple_agents import SimpleAgentsClient, SimpleAgentsError
from simple_agents import _native as native


def test_pieces_and_result(client: SimpleAgentsClient) -> None:
    stream = client.stream("Count to 5")
    assert list(stream) == ["1, ", "2, ", "3, ", "4, ", "5"]
    assert stream.result().text == "1, 2, 3, 4, 5"
    assert stream.result().usage.output == 4
    assert list(stream) == []


def test_the_result_reads_the_rest(client: SimpleAgentsClient) -> None:
    stream = client.stream("Count to 5")
    assert next(stream) == "1, "
    assert stream.result().text == "1, 2, 3, 4, 5"


def test_events(client: SimpleAgentsClient) -> None:
    kinds = [event["type"] for event in client.stream("Count to 2").events()]
    assert kinds == ["message-start", "text-delta", "text-delta", "block-end", "message-end"]


@pytest.fixture
def closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The calls that the package sends without waiting."""
    sent: list[str] = []

    def record(text: str) -> None:
        sent.append(text)
        send(text)

    send = native.send
    monkeypatch.setattr(native, "send", record)
    yield sent


def test_a_stream_that_is_left_is_cancelled(open_client: Any, closed: list[str]) -> None:
    client = open_client({"slow": 50})
    for _piece in client.stream("Count to 1000"):
        break
    gc.collect()
    assert len([text for text in closed if "close-stream" in text]) == 1
    with client.stream("Count to 1000") as stream:
        next(stream)
    assert len([text for text in closed if "close-stream" in text]) == 2
    assert list(stream) == []
    with pytest.raises(SimpleAgentsError, match="closed before its end"):
        stream.result()


def test_a_stream_that_was_read_is_not_closed_again(client: SimpleAgentsClient, closed: list[str]) -> None:
    with client.stream("Count to 5") as stream:
        list(stream)
    del stream
    gc.collect()
    assert [text for text in closed if "close-stream" in text] == []


def test_an_error_in_the_middle_ends_the_stream(open_client: Any) -> None:
    stream = open_client({"cutAtByte": 600}).stream("Count to 100")
    pieces: list[str] = []
    with pytest.raises(SimpleAgentsError) as caught:
        pieces.extend(stream)
        for piece in stream:
            pieces.append(piece)
    assert caught.value.kind in ("network", "bad-response", "upstream")
    assert list(stream) == []


def test_a_slow_stream_does_not_hold_other_threads(open_client: Any) -> None:
    """A thread that waits has released the interpreter."""
    slow = open_client({"stallBeforeMs": 1_000})
    thread = threading.Thread(target=lambda: slow.complete("Hello"))
    begin = time.monotonic()
    thread.start()
    rounds = 0
    while time.monotonic() - begin < 0.3:
        rounds += 1
    assert thread.is_alive()
    assert rounds > 1_000
    thread.join()


def test_100_threads_with_20_streams_each(client: SimpleAgentsClient) -> None:
    """Every byte of 2,000 streams is right."""

    def read(number: int) -> int:
        for turn in range(20):
            limit = 1 + (number * 20 + turn) % 40
            expected = ", ".join(str(each) for each in range(1, limit + 1))
            assert "".join(client.stream(f"Count to {limit}")) == expected
        return number

    with ThreadPoolExecutor(100) as pool:
        assert list(pool.map(read, range(100))) == list(range(100))
