"""The client: one interface to every model of every provider."""

from __future__ import annotations

import os
import weakref
from types import TracebackType
from typing import TYPE_CHECKING, Any, Mapping, Optional, Tuple, Type, TypeVar, overload

from .conversation import Conversation, Messages
from .engine import call, call_async, send
from .error import BadRequestError
from .option import AnswerOptions, CallOptions, ClientOptions, Tools, to_client_options, without_secrets
from .result import ChatResult
from .signature import with_options
from .stream import AsyncChatStream, ChatStream, Partial

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
OtherModel = object
"""A JSON Schema, or a type that type checkers do not take for a class, such as a `Union`."""


class SimpleAgentsClient:
    """A client of one provider, or of all that the environment has keys for.

    >>> client = SimpleAgentsClient("openai", api_key)
    >>> client.complete([("user", "Hello!")], model="gpt-4")

    Without `api_key`, the provider's environment variable is read. ``SimpleAgentsClient("simulated", "")`` answers
    without a key and without a network. Threads, tasks and forked processes may share a client.

    The methods take the options of `RequestOptions`, `response_model`, `tools` and `max_tool_rounds` by name;
    ``help(SimpleAgentsClient.chat)`` describes them. A pickled client contains no API key: where it is loaded, the
    provider's environment variable is read.
    """

    @with_options(ClientOptions)
    def __init__(
        self, provider: Optional[str] = None, api_key: Optional[str] = None, **options: Unpack[ClientOptions]
    ) -> None:
        """Refuses unknown providers, options and values."""
        self._options = to_client_options(provider, api_key, options)
        self._opened: Optional[Tuple[int, int]] = None
        self._is_closed = False
        self._connect()

    @overload
    def complete(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: Type[T],
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> T: ...
    @overload
    def complete(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: None = None,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> str: ...
    @overload
    def complete(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: OtherModel,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> Any: ...
    @with_options(AnswerOptions, CallOptions)
    def complete(self, messages: Messages, model: Optional[str] = None, **options: Any) -> Any:
        """The text of the answer; with `response_model`, its value."""
        return _answer_of(self._chat(messages, model=model, **options), options)

    @overload
    async def complete_async(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: Type[T],
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> T: ...
    @overload
    async def complete_async(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: None = None,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> str: ...
    @overload
    async def complete_async(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: OtherModel,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> Any: ...
    @with_options(AnswerOptions, CallOptions)
    async def complete_async(self, messages: Messages, model: Optional[str] = None, **options: Any) -> Any:
        """As `complete`, for event loops. If the task is cancelled, the call is cancelled."""
        return _answer_of(await self._chat_async(messages, model=model, **options), options)

    @overload
    def chat(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: Type[T],
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> ChatResult[T]: ...
    @overload
    def chat(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: None = None,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> ChatResult[None]: ...
    @overload
    def chat(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: OtherModel,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> ChatResult[Any]: ...
    @with_options(AnswerOptions, CallOptions)
    def chat(self, messages: Messages, model: Optional[str] = None, **options: Any) -> ChatResult[Any]:
        """The answer with its usage, cost, flags and confidence."""
        return self._chat(messages, model=model, **options)

    @overload
    async def chat_async(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: Type[T],
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> ChatResult[T]: ...
    @overload
    async def chat_async(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: None = None,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> ChatResult[None]: ...
    @overload
    async def chat_async(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: OtherModel,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> ChatResult[Any]: ...
    @with_options(AnswerOptions, CallOptions)
    async def chat_async(self, messages: Messages, model: Optional[str] = None, **options: Any) -> ChatResult[Any]:
        """As `chat`, for event loops. If the task is cancelled, the call is cancelled."""
        return await self._chat_async(messages, model=model, **options)

    @overload
    def stream(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: Type[T],
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        monotone: bool = True,
        **options: Unpack[CallOptions],
    ) -> ChatStream[Partial[T], T]: ...
    @overload
    def stream(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: None = None,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> ChatStream[str, None]: ...
    @overload
    def stream(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: OtherModel,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        monotone: bool = True,
        **options: Unpack[CallOptions],
    ) -> ChatStream[Any, Any]: ...
    @with_options(AnswerOptions, CallOptions)
    def stream(
        self, messages: Messages, model: Optional[str] = None, *, monotone: bool = True, **options: Any
    ) -> ChatStream[Any, Any]:
        """The answer in pieces: texts, or with `response_model` the value so far.

        A partial value is an instance of the model in which missing fields are ``None`` or their default. What was
        shown does not change; with ``monotone=False``, values appear a little earlier and may be corrected.
        """
        conversation = _to_conversation(messages, model=model, **options)
        conversation.tools.check_sync()
        return ChatStream(self._connect, conversation, monotone)

    @overload
    def astream(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: Type[T],
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        monotone: bool = True,
        **options: Unpack[CallOptions],
    ) -> AsyncChatStream[Partial[T], T]: ...
    @overload
    def astream(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: None = None,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        **options: Unpack[CallOptions],
    ) -> AsyncChatStream[str, None]: ...
    @overload
    def astream(
        self,
        messages: Messages,
        model: Optional[str] = None,
        *,
        response_model: OtherModel,
        tools: Tools = None,
        max_tool_rounds: Optional[int] = None,
        monotone: bool = True,
        **options: Unpack[CallOptions],
    ) -> AsyncChatStream[Any, Any]: ...
    @with_options(AnswerOptions, CallOptions)
    def astream(
        self, messages: Messages, model: Optional[str] = None, *, monotone: bool = True, **options: Any
    ) -> AsyncChatStream[Any, Any]:
        """As `stream`, for event loops: ``async for piece in client.astream(…)``."""
        return AsyncChatStream(self._connect, _to_conversation(messages, model=model, **options), monotone)

    def close(self) -> None:
        """Closes idle connections. Calls in progress fail, and later ones are refused. May be called again."""
        if not self._is_closed and self._opened is not None and self._opened[0] == os.getpid():
            call("close-client", client=self._opened[1])
        self._is_closed = True

    def __enter__(self) -> SimpleAgentsClient:
        return self

    def __exit__(
        self, kind: Optional[Type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        # Without the key.
        return f"SimpleAgentsClient({self._options.get('provider')!r})"

    def __reduce__(self) -> Tuple[Any, ...]:
        # A process that is given the client opens its own.
        return (_restore, (without_secrets(self._options), self._is_closed))

    def _chat(self, messages: Messages, **options: Any) -> ChatResult[Any]:
        conversation = _to_conversation(messages, **options)
        conversation.tools.check_sync()
        while True:
            calls = conversation.take(call("complete", client=self._connect(), input=conversation.request))
            if not calls:
                return conversation.result()
            conversation.answer(conversation.tools.run(calls))

    async def _chat_async(self, messages: Messages, **options: Any) -> ChatResult[Any]:
        conversation = _to_conversation(messages, **options)
        while True:
            request = conversation.request
            calls = conversation.take(await call_async("complete", client=self._connect(), input=request))
            if not calls:
                return conversation.result()
            conversation.answer(await conversation.tools.run_async(calls))

    def _connect(self) -> int:
        """The number of this client in the engine of this process."""
        if self._is_closed:
            raise BadRequestError("the client was closed; create a new one")
        process = os.getpid()
        if self._opened is None or self._opened[0] != process:
            handle: int = call("open-client", options=self._options)["client"]
            self._opened = (process, handle)
            weakref.finalize(self, _close, process, handle)
        return self._opened[1]


def _restore(options: Mapping[str, Any], is_closed: bool) -> SimpleAgentsClient:
    client = SimpleAgentsClient.__new__(SimpleAgentsClient)
    client.__dict__.update(_options=dict(options), _opened=None, _is_closed=is_closed)
    return client


def _close(process: int, handle: int) -> None:
    if process == os.getpid():
        send("close-client", client=handle)


def _to_conversation(
    messages: Messages,
    *,
    response_model: Any = None,
    tools: Tools = None,
    max_tool_rounds: Optional[int] = None,
    **options: Any,
) -> Conversation:
    return Conversation(messages, response_model, tools, max_tool_rounds, options)


def _answer_of(result: ChatResult[Any], options: Mapping[str, Any]) -> Any:
    return result.text if options.get("response_model") is None else result.value
