"""Tools: Python functions that a model may call. The signature gives the schema of the arguments."""

from __future__ import annotations

import inspect
import json
import typing
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

from .conversion import to_json, to_python
from .result import ToolCall
from .scalar import Schema
from .schema import signature_schema

ToolInput = Union[Callable[..., Any], Mapping[str, Any]]
"""A function, or a definition with ``name``, ``description`` and ``inputSchema`` that the caller handles."""


class Tool:
    """A function with its definition for the model."""

    def __init__(self, function: Callable[..., Any]) -> None:
        name = getattr(function, "__name__", None)
        if name is None or name == "<lambda>":
            raise TypeError("tools: a tool must be a function with a name")
        self.name: str = name
        self.is_async = inspect.iscoroutinefunction(function)
        self.definition: Schema = {"name": name, "inputSchema": signature_schema(function)}
        description = inspect.getdoc(function)
        if description:
            self.definition["description"] = description
        self._function = function
        self._hints = typing.get_type_hints(function, include_extras=True)

    def bind(self, given: Mapping[str, Any]) -> Callable[[], Any]:
        """The call with these arguments, as values of the parameters' types."""
        arguments = {name: to_python(self._hints.get(name, Any), value) for name, value in given.items()}
        return lambda: self._function(**arguments)


class ToolSet:
    """The tools of a request."""

    def __init__(self, tools: Sequence[ToolInput]) -> None:
        self._tools: Dict[str, Tool] = {}
        self._foreign: Dict[str, Mapping[str, Any]] = {}
        for each in tools:
            if callable(each):
                tool = Tool(each)
                self._tools[tool.name] = tool
            else:
                self._foreign[str(each.get("name"))] = each

    @property
    def definitions(self) -> List[Any]:
        """For the request."""
        return [*(tool.definition for tool in self._tools.values()), *self._foreign.values()]

    def check_sync(self) -> None:
        """Raises `TypeError` if a tool needs an event loop."""
        for tool in self._tools.values():
            if tool.is_async:
                raise TypeError(f"tools: {tool.name} is a coroutine function; use chat_async or astream")

    def can_run(self, calls: Sequence[ToolCall]) -> bool:
        """Whether there are calls, and the caller does not handle one of them."""
        return bool(calls) and bool(self._tools) and not any(call.name in self._foreign for call in calls)

    def run(self, calls: Sequence[ToolCall]) -> List[Mapping[str, Any]]:
        """The results of the calls, one after the other."""
        return [self._run_one(call) for call in calls]

    async def run_async(self, calls: Sequence[ToolCall]) -> List[Mapping[str, Any]]:
        """The results of the calls, all at the same time. Plain functions run in threads."""
        import asyncio

        return list(await asyncio.gather(*(self._run_one_async(call) for call in calls)))

    def _run_one(self, call: ToolCall) -> Mapping[str, Any]:
        try:
            return _result(call, self._bind(call)())
        except Exception as error:
            return _failure(call, error)

    async def _run_one_async(self, call: ToolCall) -> Mapping[str, Any]:
        import asyncio

        try:
            bound = self._bind(call)
            is_async = self._tools[call.name].is_async
            return _result(call, await bound() if is_async else await asyncio.to_thread(bound))
        except Exception as error:
            return _failure(call, error)

    def _bind(self, call: ToolCall) -> Callable[[], Any]:
        tool = self._tools.get(call.name)
        if tool is None:
            raise LookupError(f"there is no tool {call.name}; the tools are {', '.join(self._tools)}")
        if call.error is not None:
            raise ValueError(call.error)
        return tool.bind(call.input)


def to_tool_set(tools: Optional[Sequence[ToolInput]]) -> ToolSet:
    """The tools of a request; empty without any."""
    return ToolSet(tools or ())


def _result(call: ToolCall, value: Any) -> Mapping[str, Any]:
    text = value if isinstance(value, str) else json.dumps(value, default=to_json, ensure_ascii=False)
    return {"type": "tool-result", "callId": call.id, "content": [{"type": "text", "text": text}]}


def _failure(call: ToolCall, error: Exception) -> Mapping[str, Any]:
    """A failing tool is a result that the model reads."""
    return {**_result(call, f"{type(error).__name__}: {error}"), "isError": True}
