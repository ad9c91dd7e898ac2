"""The package `dspy`, whose requests are sent by a client of its own, `lm15`, in three formats."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Sequence
from typing import Any

import dspy
from dspy.clients.engines.lm15_engine import AsyncLM15Engine
from dspy.lm15 import (
    Config,
    FunctionTool,
    ImagePart,
    LM15Error,
    Message,
    Reasoning,
    Request,
    RouterConfig,
    TextDelta,
    TextPart,
    ThinkingPart,
)
from dspy.utils.exceptions import LMError
from harness import RESULTS, TOOLS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of

ERRORS: Any = (LMError, LM15Error)


def status_of(failure: BaseException) -> Any:
    return getattr(failure, "status", None)


def text_in(event: Any) -> str:
    return event.delta.text if event.type == "delta" and isinstance(event.delta, TextDelta) else ""


def tool(definition: dict[str, Any]) -> FunctionTool:
    return FunctionTool(definition["name"], definition["description"], definition["schema"])


class Dspy:
    def __init__(self, url: str, provider: str, vendor: str, model_type: Any, loses_reasoning: str = "") -> None:
        self.url = url
        #: Its name in the client that sends the requests.
        self.provider = provider
        self.vendor = vendor
        self.model_type = model_type
        self.loses_reasoning = loses_reasoning

    def name(self, question: Question) -> str:
        return f"{self.vendor}/{question.model}"

    def model(self, question: Question) -> dspy.LM:
        options = {"api_base": self.url, "api_key": "any", "engine": "lm15", "cache": False, "num_retries": 0}
        return dspy.LM(self.name(question), model_type=self.model_type, **options)

    def request(self, question: Question, *messages: Message, tools: Sequence[Any] = (), **config: Any) -> Request:
        asked = messages or (Message.user(question.prompt),)
        more = {"tools": tuple(map(tool, tools)), "config": Config(max_tokens=4000, **config)}
        return Request(self.name(question), asked, **more)

    def events(self, question: Question, **config: Any) -> AsyncIterator[Any]:
        """DSPy streams the fields of its own prompts only, so this uses the client below it."""
        routes = RouterConfig(api_keys={self.provider: "any"}, base_urls={self.provider: self.url})
        return AsyncLM15Engine(routes, model_type=self.model_type).stream(self.request(question, **config))

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for event in self.events(question):
            yield text_in(event)

    async def text(self, question: Question) -> dict[str, Any]:
        response = await self.model(question).acall(self.request(question))
        return {"text": response.text, "usage": [response.usage.input_tokens, response.usage.output_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        events = [event async for event in self.events(question)]
        usage = events[-1].usage
        return {"deltas": [text_in(event) for event in events], "usage": [usage.input_tokens, usage.output_tokens]}

    async def answer_calls(self, question: Question, tools: Sequence[Any], **config: Any) -> tuple[Any, Any]:
        model = self.model(question)
        asked = Message.user(question.prompt)
        first = await model.acall(self.request(question, asked, tools=tools, **config))
        results = Message.tool({call.id: RESULTS[call.name] for call in first.tool_calls})
        second = self.request(question, asked, first.message, results, tools=tools, **config)
        return first, await model.acall(second)

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, TOOLS)
        return {"calls": [[call.name, call.input] for call in first.tool_calls], "text": second.text}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it has no strict tools")

    async def structured(self, question: Question) -> dict[str, Any]:
        schema = {**Person.model_json_schema(), "additionalProperties": False}
        form = {"type": "json_schema", "name": "person", "schema": schema, "strict": True}
        whole = await self.model(question).acall(self.request(question, response_format=form))
        streamed = "".join([text_in(event) async for event in self.events(question, response_format=form)])
        return {"value": json.loads(whole.text), "streamed": json.loads(streamed)}

    async def image(self, question: Question) -> dict[str, Any]:
        image = ImagePart(media_type="image/png", data=question.image)
        asked = Message.user((image, TextPart(question.prompt)))
        return {"text": (await self.model(question).acall(self.request(question, asked))).text}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        if self.loses_reasoning:
            raise Unsupported(self.loses_reasoning)
        budget = 1024 if self.vendor == "anthropic" else None
        summary = None if budget else "auto"
        reasoning = Reasoning("low", thinking_budget=budget, summary=summary)
        extensions = {} if budget else {"include": ["reasoning.encrypted_content"]}
        first, second = await self.answer_calls(question, TOOLS[:1], reasoning=reasoning, extensions=extensions)
        thoughts = first.message.parts_of(ThinkingPart)
        return {"reasoning": "".join(thought.text for thought in thoughts), "text": second.text}

    async def error(self, question: Question) -> dict[str, Any]:
        model = self.model(question)
        return await statuses_of(
            lambda prompt: model.acall(self.request(question, Message.user(prompt))), ERRORS, status_of
        )

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


if __name__ == "__main__":
    base = f"{sys.argv[1]}/v1"
    serve(
        {
            "dspy, chat": Dspy(base, "openai-chat", "openai", "chat", "it sends reasoning of the chat format back as text"),
            "dspy, responses": Dspy(base, "openai", "openai", "responses"),
            "dspy, anthropic": Dspy(base, "anthropic", "anthropic", "chat"),
        }
    )
