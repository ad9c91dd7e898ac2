"""Processes: fork, multiprocessing, Ctrl-C, and the end of the interpreter."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import pytest

from simple_agents import BadRequestError, HealingError, SimpleAgentsClient, heal

COUNT = "1, 2, 3, 4, 5"
needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def in_child(work: Any) -> int:
    """Runs the function in a forked process. Returns the exit code: 0 if it returned true."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if work() else 2
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
def test_a_forked_child_has_its_own_engine(client: SimpleAgentsClient) -> None:
    client.complete("Hello")
    assert in_child(lambda: client.complete("Count to 5") == COUNT) == 0
    assert in_child(lambda: "".join(client.stream("Count to 5")) == COUNT) == 0
    assert client.complete("Count to 5") == COUNT


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
def test_a_fork_while_other_threads_call(client: SimpleAgentsClient) -> None:
    is_done = threading.Event()

    def keep_calling() -> None:
        while not is_done.is_set():
            client.complete("Count to 5")

    threads = [threading.Thread(target=keep_calling) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            assert in_child(lambda: client.complete("Count to 5") == COUNT) == 0
    finally:
        is_done.set()
        for thread in threads:
            thread.join()


@needs_fork
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
def test_a_stream_of_the_parent_cannot_be_read_by_the_child(client: SimpleAgentsClient) -> None:
    stream = client.stream("Count to 5")
    next(stream)

    def read() -> bool:
        # Opens a stream with the same number in the engine of the child.
        next(client.stream("Count to 5"))
        with pytest.raises(BadRequestError, match="another process"):
            next(stream)
        return True

    assert in_child(read) == 0
    assert "".join(stream) == "2, 3, 4, 5"


def count_in_process(client: SimpleAgentsClient) -> str:
    return client.complete("Count to 5")


def fail_in_process(_number: int) -> None:
    heal("nothing", {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}})


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork")
@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_multiprocessing(client: SimpleAgentsClient, method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    client.complete("Hello")
    context = multiprocessing.get_context(method)
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        assert list(pool.map(count_in_process, [client] * 4)) == [COUNT] * 4
        with pytest.raises(HealingError) as caught:
            pool.submit(fail_in_process, 1).result()
    assert caught.value.kind == "healing"
    assert caught.value.code is not None


WAITING = {
    "complete": 'client.complete("Hello")',
    "stream": 'list(client.stream("Count to 1000"))',
    "asyncio": 'asyncio.run(client.complete_async("Hello"))',
}

INTERRUPTED = """
import asyncio, sys, time
from simple_agents import SimpleAgentsClient
client = SimpleAgentsClient("openai", "key", base_url=sys.argv[1], model="m", retry=False,
    headers={"x-simulate-stall-before": "60000"})
print("ready", flush=True)
try:
    CALL
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("name", list(WAITING))
def test_ctrl_c_ends_a_call_at_once(simulate: str, name: str) -> None:
    source = INTERRUPTED.replace("CALL", WAITING[name])
    command = [sys.executable, "-c", source, f"{simulate}/v1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        time.sleep(0.5)
        sent = time.time()
        program.send_signal(signal.SIGINT)
        word, when = program.stdout.readline().split()
    assert (word, program.returncode) == ("interrupted", 0)
    # 20 ms are usual. The limit allows for a machine that is busy with something else.
    assert float(when) - sent < 1


def test_the_interpreter_ends_with_open_streams_and_clients(simulate: str, run_program: Any) -> None:
    source = """
import sys, threading
from simple_agents import SimpleAgentsClient
client = SimpleAgentsClient("openai", "key", base_url=sys.argv[1], model="m", headers={"x-simulate-slow": "50"})
stream = client.stream("Count to 1000")
next(stream)
threading.Thread(target=lambda: client.complete("Count to 1000"), daemon=True).start()
print("end")
"""
    ended = run_program(source, f"{simulate}/v1")
    assert (ended.stdout, ended.stderr, ended.returncode) == ("end\n", "", 0)
