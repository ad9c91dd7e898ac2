"""The package `anthropic`, synchronous and asynchronous."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from typing import Any

import anthropic
from harness import RESULTS, TOOLS, Person, Question, each, entered, read_until_failure, serve, settle, statuses_of


def tool(definition: dict[str, Any], **more: Any) -> dict[str, Any]:
    called = {"name": definition["name"], "description": definition["description"]}
    return {**called, "input_schema": definition["schema"], **more}


def user(content: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def text_of(message: Any) -> str:
    return "".join(block.text for block in message.content if block.type == "text")


def calls_in(message: Any) -> list[Any]:
    return [block for block in message.content if block.type == "tool_use"]


class Messages:
    def __init__(self, client: Any) -> None:
        self.messages = client.messages

    def body(self, question: Question, **more: Any) -> dict[str, Any]:
        return {"model": question.model, "max_tokens": 4000, "messages": user(question.prompt), **more}

    async def create(self, question: Question, **more: Any) -> Any:
        return await settle(self.messages.create(**self.body(question, **more)))

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async with entered(self.messages.stream(**self.body(question))) as stream:
            async for text in each(stream.text_stream):
                yield text

    async def text(self, question: Question) -> dict[str, Any]:
        message = await self.create(question)
        return {"text": text_of(message), "usage": [message.usage.input_tokens, message.usage.output_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        async with entered(self.messages.stream(**self.body(question))) as stream:
            deltas = [text async for text in each(stream.text_stream)]
            usage = (await settle(stream.get_final_message())).usage
        return {"deltas": deltas, "usage": [usage.input_tokens, usage.output_tokens]}

    async def answer_calls(self, question: Question, tools: list[Any], **more: Any) -> tuple[Any, Any]:
        first = await self.create(question, tools=tools, **more)
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": RESULTS[call.name]} for call in calls_in(first)
        ]
        messages = [*user(question.prompt), {"role": "assistant", "content": first.content}, *user(results)]
        return first, await self.create(question, messages=messages, tools=tools, **more)

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, [tool(definition) for definition in TOOLS])
        return {"calls": [[call.name, call.input] for call in calls_in(first)], "text": text_of(second)}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [tool(definition, strict=True) for definition in TOOLS]
        async with entered(self.messages.stream(**self.body(question, tools=tools))) as stream:
            final = await settle(stream.get_final_message())
        return {"calls": [[call.name, call.input] for call in calls_in(final)]}

    async def structured(self, question: Question) -> dict[str, Any]:
        body = self.body(question, output_format=Person)
        parsed = (await settle(self.messages.parse(**body))).parsed_output
        async with entered(self.messages.stream(**body)) as stream:
            final = await settle(stream.get_final_message())
        return {"value": parsed.model_dump(), "streamed": final.parsed_output.model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        source = {"type": "base64", "media_type": "image/png", "data": question.image}
        content = [{"type": "image", "source": source}, {"type": "text", "text": question.prompt}]
        return {"text": text_of(await self.create(question, messages=user(content)))}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        thinking = {"type": "enabled", "budget_tokens": 1024}
        first, second = await self.answer_calls(question, [tool(TOOLS[0])], thinking=thinking)
        thoughts = [block.thinking for block in first.content if block.type == "thinking"]
        return {"reasoning": "".join(thoughts), "text": text_of(second)}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.create(question, messages=user(prompt)), anthropic.APIStatusError)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), anthropic.APIError)

    async def cancel(self, question: Question) -> dict[str, Any]:
        async with entered(self.messages.stream(**self.body(question))) as stream:
            async for text in each(stream.text_stream):
                return {"text": text}
        return {}


if __name__ == "__main__":
    options: dict[str, Any] = {"api_key": "any", "base_url": sys.argv[1], "max_retries": 0}
    clients = {"anthropic": anthropic.Anthropic(**options), "anthropic, async": anthropic.AsyncAnthropic(**options)}
    serve({name: Messages(client) for name, client in clients.items()})
