"""The package `openai` with chat completions, synchronous and asynchronous."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import openai
from harness import RESULTS, TOOLS, Person, Question, each, entered, read_until_failure, serve, settle, statuses_of


def tool(definition: dict[str, Any], **more: Any) -> dict[str, Any]:
    called = {"name": definition["name"], "description": definition["description"]}
    return {"type": "function", "function": {**called, "parameters": definition["schema"], **more}}


def user(content: Any) -> list[dict[str, Any]]:
    return [{"role": "user", "content": content}]


def call_of(call: Any) -> list[Any]:
    return [call.function.name, json.loads(call.function.arguments)]


class Chat:
    def __init__(self, client: Any) -> None:
        self.client = client
        self.completions = client.chat.completions

    async def create(self, question: Question, **more: Any) -> Any:
        body = {"model": question.model, "messages": user(question.prompt), **more}
        return await settle(self.completions.create(**body))

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async with entered(await self.create(question, stream=True)) as stream:
            async for chunk in each(stream):
                if chunk.choices:
                    yield chunk.choices[0].delta.content or ""

    async def text(self, question: Question) -> dict[str, Any]:
        completion = await self.create(question)
        usage = completion.usage
        text = completion.choices[0].message.content
        return {"text": text, "usage": [usage.prompt_tokens, usage.completion_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        deltas, usage = [], None
        async for chunk in each(await self.create(question, stream=True, stream_options={"include_usage": True})):
            deltas += [choice.delta.content or "" for choice in chunk.choices]
            usage = chunk.usage or usage
        return {"deltas": deltas, "usage": [usage.prompt_tokens, usage.completion_tokens]}

    async def answer_calls(self, question: Question, tools: list[Any], **more: Any) -> tuple[Any, Any]:
        first = (await self.create(question, tools=tools, **more)).choices[0].message
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": RESULTS[call.function.name]}
            for call in first.tool_calls
        ]
        messages = [*user(question.prompt), first, *results]
        second = await self.create(question, messages=messages, tools=tools, **more)
        return first, second.choices[0].message

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, [tool(each_tool) for each_tool in TOOLS])
        return {"calls": [call_of(call) for call in first.tool_calls], "text": second.content}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [tool(definition, strict=True) for definition in TOOLS]
        calls = []
        body = {"model": question.model, "messages": user(question.prompt), "tools": tools}
        async with entered(self.completions.stream(**body)) as stream:
            async for event in each(stream):
                if event.type == "tool_calls.function.arguments.done":
                    calls.append([event.name, event.parsed_arguments])
        return {"calls": calls}

    async def structured(self, question: Question) -> dict[str, Any]:
        body = {"model": question.model, "messages": user(question.prompt), "response_format": Person}
        parsed = (await settle(self.completions.parse(**body))).choices[0].message.parsed
        async with entered(self.completions.stream(**body)) as stream:
            final = await settle(stream.get_final_completion())
        return {"value": parsed.model_dump(), "streamed": final.choices[0].message.parsed.model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        url = f"data:image/png;base64,{question.image}"
        content = [{"type": "text", "text": question.prompt}, {"type": "image_url", "image_url": {"url": url}}]
        return {"text": (await self.create(question, messages=user(content))).choices[0].message.content}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        # The types do not know `reasoning_content`; the message keeps it and returns it.
        first, second = await self.answer_calls(question, [tool(TOOLS[0])], reasoning_effort="low")
        return {"reasoning": first.reasoning_content, "text": second.content}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.create(question, messages=user(prompt)), openai.APIStatusError)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), openai.APIError)

    async def cancel(self, question: Question) -> dict[str, Any]:
        async with entered(await self.create(question, stream=True)) as stream:
            async for chunk in each(stream):
                if text := chunk.choices[0].delta.content:
                    return {"text": text}
        return {}


if __name__ == "__main__":
    options: dict[str, Any] = {"api_key": "any", "base_url": f"{sys.argv[1]}/v1", "max_retries": 0}
    clients = {"openai, chat": openai.OpenAI(**options), "openai, chat, async": openai.AsyncOpenAI(**options)}
    serve({name: Chat(client) for name, client in clients.items()})
