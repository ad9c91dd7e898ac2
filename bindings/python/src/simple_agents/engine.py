"""Calls to the engine: JSON out, JSON back, an exception for an error.

A thread waits in the native module. The tasks of an event loop wait through its `LoopPort`.
"""

from __future__ import annotations

import json
from typing import Any, Mapping

from . import _native
from .conversion import to_json
from .error import to_exception
from .option import to_python_names


def call(name: str, **fields: Any) -> Any:
    """Calls the engine and waits for the result."""
    return result_of(json.loads(_native.call(_encode(name, fields))))


def call_healing(**fields: Any) -> Any:
    """Heals a text in an engine of its own, so that a large text does not delay the answers of models."""
    return result_of(json.loads(_native.heal(_encode("heal", fields))))


def send(name: str, **fields: Any) -> None:
    """Calls the engine without waiting. The result is dropped."""
    _native.send(_encode(name, fields))


async def call_async(name: str, **fields: Any) -> Any:
    """Calls the engine. If the task is cancelled, the call is cancelled too."""
    # A program without an event loop does not pay for the import of asyncio, which is half of the start.
    from .loop_port import current_port

    return result_of(await current_port().call(_encode(name, fields)))


def result_of(reply: Mapping[str, Any]) -> Any:
    """The result of a reply, or its error as an exception."""
    if "error" in reply:
        raise to_exception(_in_python_names(reply["error"]))
    return reply["result"]


def _in_python_names(error: Mapping[str, Any]) -> Mapping[str, Any]:
    """An error about an option or a request. What a provider wrote stays as it is."""
    if error.get("kind") not in ("configuration", "bad-request", "auth") or "status" in error:
        return error
    texts = {name: to_python_names(error[name]) for name in ("message", "field") if name in error}
    return {**error, **texts}


def _encode(name: str, fields: Mapping[str, Any]) -> str:
    return json.dumps({"call": name, **fields}, default=to_json, allow_nan=False)
