"""The package `haystack-ai`, with both wires of OpenAI, and `anthropic-haystack`."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import anthropic
import openai
from harness import RESULTS, TOOLS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of
from haystack.components.generators.chat import OpenAIChatGenerator, OpenAIResponsesChatGenerator
from haystack.dataclasses import ChatMessage, ImageContent
from haystack.tools import Tool
from haystack.utils import Secret
from haystack_integrations.components.generators.anthropic import AnthropicChatGenerator

ERRORS: Any = (openai.APIError, anthropic.APIError)


def tool(definition: dict[str, Any]) -> Tool:
    def answer(**_: Any) -> str:
        return RESULTS[definition["name"]]

    return Tool(definition["name"], definition["description"], definition["schema"], answer)


def usage_of(message: ChatMessage) -> list[int]:
    usage = message.meta["usage"]
    if "prompt_tokens" in usage:
        return [usage["prompt_tokens"], usage["completion_tokens"]]
    return [usage["input_tokens"], usage["output_tokens"]]


def calls_of(message: ChatMessage) -> list[Any]:
    return [[call.tool_name, call.arguments] for call in message.tool_calls]


class Haystack:
    #: The arguments that ask for the usage of a stream.
    usage: Any = {}

    def __init__(self, connect: Callable[..., Any], schema: Any, thinking: dict[str, Any], **reasons: str) -> None:
        self.connect = connect
        #: The generation arguments that ask for a person.
        self.schema = schema
        self.thinking = thinking
        #: Why the client cannot express a case.
        self.reasons = reasons

    def expect(self, case: str) -> None:
        if case in self.reasons:
            raise Unsupported(self.reasons[case])

    async def run(self, question: Question, messages: Any = None, **options: Any) -> ChatMessage:
        model = self.connect(question.model)
        asked = messages or [ChatMessage.from_user(question.prompt)]
        return (await model.run_async(asked, **options))["replies"][0]

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        """It hands each chunk to a function. What that function raises ends the stream."""
        chunks: asyncio.Queue[Any] = asyncio.Queue()

        async def run() -> None:
            try:
                await self.run(question, streaming_callback=chunks.put)
            except ERRORS as failure:
                await chunks.put(failure)
            await chunks.put(None)

        task = asyncio.create_task(run())
        try:
            while (chunk := await chunks.get()) is not None:
                if isinstance(chunk, BaseException):
                    raise chunk
                yield chunk.content or ""
        finally:
            task.cancel()

    async def text(self, question: Question) -> dict[str, Any]:
        message = await self.run(question)
        return {"text": message.text, "usage": usage_of(message)}

    async def stream(self, question: Question) -> dict[str, Any]:
        chunks: list[Any] = []

        async def keep(chunk: Any) -> None:
            chunks.append(chunk)

        message = await self.run(question, streaming_callback=keep, generation_kwargs=self.usage)
        return {"deltas": [chunk.content or "" for chunk in chunks], "usage": usage_of(message)}

    async def answer_calls(self, question: Question, tools: list[Tool], **options: Any) -> tuple[Any, Any]:
        asked = ChatMessage.from_user(question.prompt)
        first = await self.run(question, [asked], tools=tools, **options)
        results = [ChatMessage.from_tool(RESULTS[call.tool_name], origin=call) for call in first.tool_calls]
        return first, await self.run(question, [asked, first, *results], tools=tools, **options)

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, [tool(definition) for definition in TOOLS])
        return {"calls": calls_of(first), "text": second.text}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        self.expect("strict")

        async def skip(chunk: Any) -> None:
            pass

        tools = [tool(definition) for definition in TOOLS]
        return {"calls": calls_of(await self.run(question, tools=tools, tools_strict=True, streaming_callback=skip))}

    async def structured(self, question: Question) -> dict[str, Any]:
        value = await self.run(question, generation_kwargs=self.schema)
        return {"value": json.loads(value.text or ""), "streamed": None}

    async def image(self, question: Question) -> dict[str, Any]:
        image = ImageContent(question.image, mime_type="image/png")
        message = ChatMessage.from_user(content_parts=[question.prompt, image])
        return {"text": (await self.run(question, [message])).text}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        self.expect("reasoning")
        first, second = await self.answer_calls(question, [tool(TOOLS[0])], generation_kwargs=self.thinking)
        thoughts = [thought.reasoning_text for thought in first.reasonings]
        return {"reasoning": "".join(thoughts), "text": second.text}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.run(question, [ChatMessage.from_user(prompt)]), ERRORS)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


class HaystackChat(Haystack):
    usage = {"stream_options": {"include_usage": True}}


if __name__ == "__main__":
    url = sys.argv[1]
    key = Secret.from_token("any")
    # Its class for Anthropic has no option for this.
    os.environ["ANTHROPIC_BASE_URL"] = url

    def chat(model: str) -> Any:
        return OpenAIChatGenerator(api_key=key, model=model, api_base_url=f"{url}/v1", max_retries=0)

    def responses(model: str) -> Any:
        return OpenAIResponsesChatGenerator(api_key=key, model=model, api_base_url=f"{url}/v1", max_retries=0)

    def messages(model: str) -> Any:
        limit = {"max_tokens": 4000}
        return AnthropicChatGenerator(
            api_key=key, model=model, generation_kwargs=limit, max_retries=0, ignore_tools_thinking_messages=False
        )

    schema = {**Person.model_json_schema(), "additionalProperties": False}
    summary = {
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
    }
    serve(
        {
            "haystack, chat": HaystackChat(
                chat, {"response_format": Person}, {}, reasoning="it drops the reasoning of the chat format"
            ),
            "haystack, responses": Haystack(
                responses,
                {"text_format": Person},
                summary,
                strict="it sends no strict, whose default at OpenAI is true",
            ),
            "haystack, anthropic": Haystack(
                messages,
                {"output_config": {"format": {"type": "json_schema", "schema": schema}}},
                {"thinking": {"type": "enabled", "budget_tokens": 1024}},
                strict="it has no strict tools for Anthropic",
            ),
        }
    )
