"""The package `crewai`: its models for both wires of OpenAI and for Anthropic."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import anthropic
import openai
from crewai.events.event_bus import crewai_event_bus
from crewai.events.types.llm_events import LLMStreamChunkEvent
from crewai.llms.providers.anthropic.completion import AnthropicCompletion
from crewai.llms.providers.openai.completion import OpenAICompletion
from harness import RESULTS, TOOLS, Person, Question, Unsupported, serve, statuses_of
from openai_chat import tool

#: A model that is not found is a ValueError.
ERRORS: Any = (openai.APIError, anthropic.APIError, ValueError)


def status_of(failure: BaseException) -> Any:
    return getattr(failure.__cause__, "status_code", None) or getattr(failure, "status_code", None)


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def call_of(call: Any) -> dict[str, Any]:
    """A call in the form of OpenAI's chat API. Each of the models returns its own."""
    if isinstance(call, dict) and "function" in call:
        return call
    if isinstance(call, dict):
        name, arguments, identity = call["name"], call["arguments"], call["id"]
    elif hasattr(call, "function"):
        name, arguments, identity = call.function.name, call.function.arguments, call.id
    else:
        name, arguments, identity = call.name, json.dumps(call.input), call.id
    return {"id": identity, "type": "function", "function": {"name": name, "arguments": arguments}}


def calls_of(calls: list[dict[str, Any]]) -> list[Any]:
    return [[call["function"]["name"], json.loads(call["function"]["arguments"])] for call in calls]


class CrewAi:
    def __init__(self, connect: Callable[..., Any], **reasons: str) -> None:
        self.connect = connect
        #: Why the client cannot express a case.
        self.reasons = reasons

    def expect(self, case: str) -> None:
        if case in self.reasons:
            raise Unsupported(self.reasons[case])

    def usage_of(self, model: Any) -> list[int]:
        usage = model.get_token_usage_summary()
        return [usage.prompt_tokens, usage.completion_tokens]

    async def texts(self, question: Question, model: Any) -> list[str]:
        """What it reports while it reads a stream."""
        texts: list[str] = []
        with crewai_event_bus.scoped_handlers():

            @crewai_event_bus.on(LLMStreamChunkEvent)
            def keep(_source: Any, event: LLMStreamChunkEvent) -> None:
                texts.append(event.chunk)

            await model.acall(question.prompt)
            crewai_event_bus.flush()
        return texts

    async def text(self, question: Question) -> dict[str, Any]:
        model = self.connect(question.model)
        return {"text": await model.acall(question.prompt), "usage": self.usage_of(model)}

    async def stream(self, question: Question) -> dict[str, Any]:
        model = self.connect(question.model, stream=True)
        return {"deltas": await self.texts(question, model), "usage": self.usage_of(model)}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        model = self.connect(question.model)
        tools = [tool(definition) for definition in TOOLS]
        calls = [call_of(call) for call in await model.acall([user(question.prompt)], tools=tools)]
        results = [
            {"role": "tool", "tool_call_id": call["id"], "content": RESULTS[call["function"]["name"]]} for call in calls
        ]
        said = {"role": "assistant", "content": None, "tool_calls": calls}
        second = await model.acall([user(question.prompt), said, *results], tools=tools)
        return {"calls": calls_of(calls), "text": second}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        self.expect("strict")
        model = self.connect(question.model, stream=True)
        tools = [tool(definition, strict=True) for definition in TOOLS]
        calls = await model.acall([user(question.prompt)], tools=tools)
        return {"calls": calls_of([call_of(call) for call in calls])}

    async def structured(self, question: Question) -> dict[str, Any]:
        value = await self.connect(question.model).acall(question.prompt, response_model=Person)
        if not isinstance(value, Person):
            value = Person.model_validate_json(value)
        return {"value": value.model_dump(), "streamed": None}

    async def image(self, question: Question) -> dict[str, Any]:
        url = f"data:image/png;base64,{question.image}"
        content = [{"type": "text", "text": question.prompt}, {"type": "image_url", "image_url": {"url": url}}]
        self.expect("image")
        return {"text": await self.connect(question.model).acall([user(content)])}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it drops the reasoning")

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(self.connect(question.model).acall, ERRORS, status_of)

    async def unsupported(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it returns a stream when it has ended")

    broken_stream = cancel = unsupported


if __name__ == "__main__":
    base = sys.argv[1]

    def chat(model: str, **options: Any) -> Any:
        return OpenAICompletion(model=model, api_key="any", base_url=f"{base}/v1", max_retries=0, **options)

    def responses(model: str, **options: Any) -> Any:
        return chat(model, api="responses", **options)

    def messages(model: str, **options: Any) -> Any:
        return AnthropicCompletion(
            model=model, api_key="any", base_url=base, max_retries=0, max_tokens=4000, **options
        )

    serve(
        {
            "crewai, chat": CrewAi(chat),
            "crewai, responses": CrewAi(
                responses,
                strict="it returns no calls of a streamed response",
                image="it sends the parts of the chat format",
            ),
            "crewai, anthropic": CrewAi(messages),
        }
    )
