"""The calls of an event loop to the engine."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import weakref
from typing import Any, Dict, List, Mapping, MutableMapping, Optional

from . import _native


class LoopPort:
    """The calls of one event loop. The loop watches a socket; what has arrived is taken in one batch.

    The port does not keep its loop alive.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.process = os.getpid()
        self._queue = _native.ReplyQueue()
        self._waiting: Dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        descriptor = self._queue.fileno()
        try:
            if descriptor is None:
                raise NotImplementedError
            loop.add_reader(descriptor, self._take)
        except NotImplementedError:
            # The default loop of Windows cannot watch sockets.
            arguments = (self._queue, weakref.ref(loop), weakref.WeakMethod(self._deliver))
            threading.Thread(target=_forward, args=arguments, name="simple-agents-replies", daemon=True).start()

    async def call(self, text: str) -> Mapping[str, Any]:
        """Sends a call and returns its reply."""
        future: asyncio.Future[Mapping[str, Any]] = asyncio.get_running_loop().create_future()
        number = self._queue.start(text)
        self._waiting[number] = future
        try:
            return await future
        except asyncio.CancelledError:
            self._queue.cancel(number)
            raise
        finally:
            del self._waiting[number]

    def _take(self) -> None:
        self._deliver(self._queue.take())

    def _deliver(self, replies: List[str]) -> None:
        for text in replies:
            reply = json.loads(text)
            future = self._waiting.get(reply["id"])
            if future is not None and not future.done():
                future.set_result(reply)


def _forward(
    queue: _native.ReplyQueue,
    weak_loop: weakref.ref[asyncio.AbstractEventLoop],
    weak_deliver: weakref.WeakMethod[Any],
) -> None:
    """Hands replies to a loop until the loop is closed."""
    while True:
        has_replies = queue.wait(1.0)
        loop, deliver = weak_loop(), weak_deliver()
        if loop is None or deliver is None or loop.is_closed():
            return
        if has_replies:
            try:
                loop.call_soon_threadsafe(deliver, queue.take())
            except RuntimeError:
                return  # The loop was closed in between.
        del loop, deliver


_ports: MutableMapping[asyncio.AbstractEventLoop, LoopPort] = weakref.WeakKeyDictionary()


def current_port() -> LoopPort:
    """The port of the running event loop."""
    loop = asyncio.get_running_loop()
    port: Optional[LoopPort] = _ports.get(loop)
    # The engine of the parent process does not run in a forked child.
    if port is None or port.process != os.getpid():
        port = _ports[loop] = LoopPort(loop)
    return port
