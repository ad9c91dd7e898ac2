"""The requests of one chat: the first, and one more after each round of tool calls. It does no I/O."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union, cast

from .error import ToolLoopError
from .option import to_request_fields
from .response_model import ResponseModel, to_response_model
from .result import ChatResult, Flag, ToolCall, Usage
from .tool import ToolInput, ToolSet, to_tool_set

Message = Union[Tuple[str, str], Mapping[str, Any]]
"""A role and a text, or a message such as ``{"role": "user", "content": …}``."""
Messages = Union[str, Sequence[Message]]
"""A text stands for one message of the user."""

DEFAULT_TOOL_ROUNDS = 10


class Conversation:
    """The state of one chat between its calls."""

    def __init__(
        self,
        messages: Messages,
        response_model: Any,
        tools: Optional[Sequence[ToolInput]],
        max_tool_rounds: Optional[int],
        options: Mapping[str, Any],
    ) -> None:
        self.model: Optional[ResponseModel] = to_response_model(response_model)
        self.tools: ToolSet = to_tool_set(tools)
        self._messages = to_messages(messages)
        self._fields = to_request_fields(options)
        self._rounds_left = DEFAULT_TOOL_ROUNDS if max_tool_rounds is None else max_tool_rounds
        self._completions: List[Mapping[str, Any]] = []
        self._since: List[Dict[str, Any]] = []

    @property
    def request(self) -> Dict[str, Any]:
        """The next request for the engine."""
        request = {"messages": [*self._messages, *self._since], **self._fields}
        if self.model is not None:
            request["schema"] = self.model.schema
        if self.tools.definitions:
            request["tools"] = self.tools.definitions
        return request

    def take(self, completion: Mapping[str, Any]) -> List[ToolCall]:
        """Takes a response. Returns the tool calls to run; the chat has ended if there are none."""
        self._completions.append(completion)
        message = completion["message"]
        self._since.append({"role": message["role"], "content": message["content"]})
        calls = [ToolCall.from_reply(block) for block in completion["toolCalls"]]
        if not self.tools.can_run(calls):
            return []
        if self._rounds_left <= 0:
            raise ToolLoopError("the model still calls tools after the last round; raise max_tool_rounds")
        self._rounds_left -= 1
        return calls

    def answer(self, results: Sequence[Mapping[str, Any]]) -> None:
        """Adds the results of the tool calls."""
        self._since.append({"role": "user", "content": list(results)})

    def result(self) -> ChatResult[Any]:
        """The result after the last response."""
        last = self._completions[-1]
        calls = tuple(ToolCall.from_reply(block) for block in last["toolCalls"])
        has_value = self.model is not None and not calls
        usages = [Usage.from_reply(each["usage"]) for each in self._completions]
        return ChatResult(
            text=last["text"],
            value=cast(ResponseModel, self.model).value_of(last) if has_value else None,
            usage=sum(usages[1:], usages[0]),
            cost=_sum_of([each.get("cost") for each in self._completions]),
            flags=tuple(Flag.from_reply(flag) for flag in last.get("flags", ())),
            confidence=last.get("confidence", 1.0),
            stop_reason=last["stopReason"],
            model=last["model"],
            target=last["target"],
            tool_calls=calls,
            messages=list(self._since),
            notices=tuple(notice for each in self._completions for notice in each["notices"]),
        )


def to_messages(messages: Messages) -> List[Any]:
    """The messages for the engine, which checks them."""
    if isinstance(messages, str):
        return [{"role": "user", "content": messages}]
    return [_to_message(each) for each in messages]


def _to_message(message: Message) -> Any:
    if not isinstance(message, tuple):
        return message
    if len(message) != 2:
        raise TypeError("messages: a tuple must be a role and a text")
    role, content = message
    return {"role": role, "content": content}


def _sum_of(costs: List[Optional[float]]) -> Optional[float]:
    """Unknown if one of them is."""
    known = [cost for cost in costs if cost is not None]
    return sum(known, 0.0) if len(known) == len(costs) else None
