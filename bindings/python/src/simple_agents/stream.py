"""Streams: the pieces of an answer while it arrives.

A stream is read call by call, so a program that reads slowly slows down the provider. It is cancelled when it is
closed, when its `with` block ends, and when it is dropped.
"""

from __future__ import annotations

import os
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, Generic, Iterator, Mapping, Optional, Type, TypeVar, cast

from .conversation import Conversation
from .engine import call, call_async, send
from .error import BadRequestError
from .result import ChatResult

P = TypeVar("P")
T = TypeVar("T")


class Partial(Generic[T]):
    """The type of a value that is still arriving, for type checkers: every field may be `None`.

    At run time it is an instance of the model.
    """

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Optional[Any]: ...
        def __getitem__(self, key: Any) -> Optional[Any]: ...
        def __iter__(self) -> Iterator[Optional[Any]]: ...
        def __len__(self) -> int: ...


class _Reader:
    """What streams of threads and of event loops share."""

    def __init__(self, connect: Callable[[], int], conversation: Conversation, is_monotone: bool) -> None:
        self._connect = connect
        self._conversation = conversation
        self._is_monotone = is_monotone
        self._process = os.getpid()
        self._handle: Optional[int] = None
        self._is_closed = False
        self._result: Optional[ChatResult[Any]] = None

    def _open_fields(self) -> Dict[str, Any]:
        is_typed = self._conversation.model is not None
        partials = False if not is_typed else True if self._is_monotone else "live"
        return {"client": self._connect(), "input": self._conversation.request, "partials": partials}

    def _read_fields(self) -> Dict[str, Any]:
        if self._process != os.getpid():
            raise BadRequestError("the stream was opened by another process; open it in this one")
        return {"stream": self._handle}

    def _piece_of(self, item: Mapping[str, Any]) -> Any:
        """The piece of an item; `None` if it has nothing to show."""
        model = self._conversation.model
        if "partial" in item and model is not None:
            return model.partial_of(item["partial"])
        event = item.get("event", {})
        return event["text"] if event.get("type") == "text-delta" else None

    def _finish(self) -> None:
        self._result = self._conversation.result()

    def _close(self) -> None:
        handle, self._handle, self._is_closed = self._handle, None, True
        if handle is not None and self._process == os.getpid():
            send("close-stream", stream=handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self._close()

    def _take_result(self) -> ChatResult[Any]:
        if self._result is None:
            raise BadRequestError("the stream was closed before its end, so it has no result")
        return self._result


class ChatStream(_Reader, Generic[P, T]):
    """An answer that arrives in pieces: texts, or partial values of the response model.

    >>> with client.stream("Count to 5") as stream:
    ...     for piece in stream:
    ...         print(piece, end="")
    ... print(stream.result().usage)
    """

    def __iter__(self) -> Iterator[P]:
        return self

    def __next__(self) -> P:
        while True:
            item = self._read()
            if item is None:
                raise StopIteration
            piece = self._piece_of(item)
            if piece is not None:
                return cast(P, piece)

    def events(self) -> Iterator[Mapping[str, Any]]:
        """The events of a stream without a response model, instead of its texts."""
        while True:
            item = self._read()
            if item is None:
                return
            if "event" in item:
                yield item["event"]

    def result(self) -> ChatResult[T]:
        """The complete answer. Reads the rest of the stream first."""
        while self._read() is not None:
            pass
        return self._take_result()

    def close(self) -> None:
        """Cancels the call if it is still running."""
        self._close()

    def __enter__(self) -> ChatStream[P, T]:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._close()

    def _read(self) -> Optional[Mapping[str, Any]]:
        """The next item; `None` at the end."""
        if self._is_closed:
            return None
        try:
            if self._handle is None:
                self._handle = call("open-stream", **self._open_fields())["stream"]
            item: Mapping[str, Any] = call("read-stream", **self._read_fields())
            if "completion" not in item:
                return item
            self._handle = None
            calls = self._conversation.take(item["completion"])
            if calls:
                self._conversation.answer(self._conversation.tools.run(calls))
                return {}
            self._finish()
        except BaseException:
            self._close()
            raise
        self._is_closed = True
        return None


class AsyncChatStream(_Reader, Generic[P, T]):
    """An answer that arrives in pieces, for event loops: texts, or partial values of the response model.

    >>> async with client.astream("Count to 5") as stream:
    ...     async for piece in stream:
    ...         print(piece, end="")
    ... print((await stream.result()).usage)
    """

    def __aiter__(self) -> AsyncChatStream[P, T]:
        return self

    async def __anext__(self) -> P:
        while True:
            item = await self._read()
            if item is None:
                raise StopAsyncIteration
            piece = self._piece_of(item)
            if piece is not None:
                return cast(P, piece)

    async def result(self) -> ChatResult[T]:
        """The complete answer. Reads the rest of the stream first."""
        while await self._read() is not None:
            pass
        return self._take_result()

    async def aclose(self) -> None:
        """Cancels the call if it is still running."""
        self._close()

    async def __aenter__(self) -> AsyncChatStream[P, T]:
        return self

    async def __aexit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self._close()

    async def _read(self) -> Optional[Mapping[str, Any]]:
        """The next item; `None` at the end."""
        if self._is_closed:
            return None
        try:
            if self._handle is None:
                self._handle = (await call_async("open-stream", **self._open_fields()))["stream"]
            item: Mapping[str, Any] = await call_async("read-stream", **self._read_fields())
            if "completion" not in item:
                return item
            self._handle = None
            calls = self._conversation.take(item["completion"])
            if calls:
                self._conversation.answer(await self._conversation.tools.run_async(calls))
                return {}
            self._finish()
        except BaseException:
            self._close()
            raise
        self._is_closed = True
        return None
