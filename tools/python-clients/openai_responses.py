"""The package `openai` with responses, synchronous and asynchronous."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import openai
from harness import RESULTS, TOOLS, Person, Question, each, entered, read_until_failure, serve, settle, statuses_of


def tool(definition: dict[str, Any], strict: bool = False) -> dict[str, Any]:
    called = {"name": definition["name"], "description": definition["description"]}
    return {"type": "function", **called, "parameters": definition["schema"], "strict": strict}


def calls_in(response: Any) -> list[Any]:
    return [item for item in response.output if item.type == "function_call"]


def call_of(call: Any) -> list[Any]:
    return [call.name, json.loads(call.arguments)]


class Responses:
    def __init__(self, client: Any) -> None:
        self.responses = client.responses

    async def create(self, question: Question, **more: Any) -> Any:
        return await settle(self.responses.create(**{"model": question.model, "input": question.prompt, **more}))

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for event in each(await self.create(question, stream=True)):
            if event.type == "response.output_text.delta":
                yield event.delta

    async def text(self, question: Question) -> dict[str, Any]:
        response = await self.create(question)
        usage = response.usage
        return {"text": response.output_text, "usage": [usage.input_tokens, usage.output_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        deltas = []
        async with entered(self.responses.stream(model=question.model, input=question.prompt)) as stream:
            async for event in each(stream):
                if event.type == "response.output_text.delta":
                    deltas.append(event.delta)
            usage = (await settle(stream.get_final_response())).usage
        return {"deltas": deltas, "usage": [usage.input_tokens, usage.output_tokens]}

    async def answer_calls(self, question: Question, tools: list[Any], **more: Any) -> tuple[Any, Any]:
        """The conversation is sent whole, so that nothing depends on what a server keeps."""
        first = await self.create(question, tools=tools, store=False, **more)
        results = [
            {"type": "function_call_output", "call_id": call.call_id, "output": RESULTS[call.name]}
            for call in calls_in(first)
        ]
        conversation = [{"role": "user", "content": question.prompt}, *first.output, *results]
        return first, await self.create(question, input=conversation, tools=tools, store=False, **more)

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, [tool(definition) for definition in TOOLS])
        return {"calls": [call_of(call) for call in calls_in(first)], "text": second.output_text}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [tool(definition, strict=True) for definition in TOOLS]
        async with entered(self.responses.stream(model=question.model, input=question.prompt, tools=tools)) as stream:
            final = await settle(stream.get_final_response())
        return {"calls": [[call.name, call.parsed_arguments] for call in calls_in(final)]}

    async def structured(self, question: Question) -> dict[str, Any]:
        body = {"model": question.model, "input": question.prompt, "text_format": Person}
        parsed = (await settle(self.responses.parse(**body))).output_parsed
        async with entered(self.responses.stream(**body)) as stream:
            final = await settle(stream.get_final_response())
        return {"value": parsed.model_dump(), "streamed": final.output_parsed.model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        url = f"data:image/png;base64,{question.image}"
        content = [
            {"type": "input_text", "text": question.prompt},
            {"type": "input_image", "image_url": url, "detail": "auto"},
        ]
        return {"text": (await self.create(question, input=[{"role": "user", "content": content}])).output_text}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        asked = {"reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}
        first, second = await self.answer_calls(question, [tool(TOOLS[0])], **asked)
        items = [item for item in first.output if item.type == "reasoning"]
        summary = "".join(part.text for item in items for part in item.summary)
        return {"reasoning": summary, "text": second.output_text}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.create(question, input=prompt), openai.APIStatusError)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), openai.APIError)

    async def cancel(self, question: Question) -> dict[str, Any]:
        async with entered(await self.create(question, stream=True)) as stream:
            async for event in each(stream):
                if event.type == "response.output_text.delta":
                    return {"text": event.delta}
        return {}


if __name__ == "__main__":
    options: dict[str, Any] = {"api_key": "any", "base_url": f"{sys.argv[1]}/v1", "max_retries": 0}
    clients = {"openai, responses": openai.OpenAI(**options), "openai, responses, async": openai.AsyncOpenAI(**options)}
    serve({name: Responses(client) for name, client in clients.items()})
