"""Starts `simple-agents simulate` for the tests: a real server with the API of OpenAI, on a port of this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Iterator

import pytest

from simple_agents import SimpleAgentsClient

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def simulate() -> Iterator[str]:
    """The address of the server."""
    # Provides the command if the checkout is elsewhere, such as when the installed package is tested.
    command = os.environ.get("SIMPLE_AGENTS_COMMAND", f"node {REPOSITORY / 'bin/simple-agents'}").split()
    server = subprocess.Popen([*command, "simulate", "--port", "0"], stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    yield server.stdout.readline().strip().split()[-1]
    server.terminate()
    server.communicate()


Open = Callable[..., SimpleAgentsClient]


@pytest.fixture
def open_client(simulate: str) -> Open:
    """A client of the server. `fault` is what the server does wrong, see docs/simulate.md."""

    def open_(fault: dict[str, Any] | None = None, **options: Any) -> SimpleAgentsClient:
        headers = {} if fault is None else {"x-simulate-fault": json.dumps(fault)}
        given = {"base_url": f"{simulate}/v1", "headers": headers, "model": "gpt-4o", "retry": False, **options}
        return SimpleAgentsClient("openai", "sk-test", **given)

    return open_


@pytest.fixture
def client(open_client: Open) -> SimpleAgentsClient:
    """A client of a server that works."""
    return open_client()


@pytest.fixture
def run_program() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a Python program with this interpreter."""

    def run(source: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-W", "error", "-c", source, *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    return run
