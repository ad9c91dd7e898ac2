"""The package `mirascope`, with both wires of OpenAI."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import openai
from harness import RESULTS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of
from mirascope import llm
from mirascope.llm.providers.openai.completions.provider import OpenAICompletionsProvider
from mirascope.llm.providers.openai.responses.provider import OpenAIResponsesProvider

ERRORS: Any = (llm.ProviderError, openai.APIError)


@llm.tool
async def get_weather(city: str) -> str:
    """The weather in a city."""
    return RESULTS["get_weather"]


@llm.tool
async def get_time(zone: str) -> str:
    """The time in a zone."""
    return RESULTS["get_time"]


TOOLS = [get_weather, get_time]


def calls_of(response: Any) -> list[Any]:
    return [[call.name, json.loads(call.args)] for call in response.tool_calls]


class Mirascope:
    def __init__(self, mode: str, provider: Any, loses_reasoning: str = "") -> None:
        provider.async_client.max_retries = 0
        self.provider = provider
        self.mode = mode
        self.loses_reasoning = loses_reasoning

    def model(self, question: Question, **options: Any) -> llm.Model:
        llm.register_provider(self.provider, scope="openai/")
        return llm.Model(f"openai/{question.model}:{self.mode}", **options)

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        response = await self.model(question).stream_async(question.prompt)
        async for chunk in response.chunk_stream():
            if chunk.type == "text_chunk":
                yield chunk.delta

    async def text(self, question: Question) -> dict[str, Any]:
        response = await self.model(question).call_async(question.prompt)
        return {"text": response.text(), "usage": [response.usage.input_tokens, response.usage.output_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        response = await self.model(question).stream_async(question.prompt)
        deltas = [chunk.delta async for chunk in response.chunk_stream() if chunk.type == "text_chunk"]
        return {"deltas": deltas, "usage": [response.usage.input_tokens, response.usage.output_tokens]}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first = await self.model(question).call_async(question.prompt, tools=TOOLS)
        second = await first.resume(await first.execute_tools())
        return {"calls": calls_of(first), "text": second.text()}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        response = await self.model(question).stream_async(question.prompt, tools=TOOLS)
        await response.finish()
        return {"calls": calls_of(response)}

    async def structured(self, question: Question) -> dict[str, Any]:
        form = llm.format(Person, mode="strict")
        value = (await self.model(question).call_async(question.prompt, format=form)).parse()
        response = await self.model(question).stream_async(question.prompt, format=form)
        partials = [partial async for partial in response.structured_stream()]
        return {"value": value.model_dump(), "streamed": partials[-1].model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        source = llm.Base64ImageSource(type="base64_image_source", data=question.image, mime_type="image/png")
        response = await self.model(question).call_async([question.prompt, llm.Image(source=source)])
        return {"text": response.text()}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        if self.loses_reasoning:
            raise Unsupported(self.loses_reasoning)
        if not question.model.endswith("/simulated"):
            raise Unsupported("with Responses, it shortens provider/model to the provider")
        model = self.model(question, thinking={"level": "low", "include_thoughts": True})
        first = await model.call_async(question.prompt, tools=TOOLS[:1])
        second = await first.resume(await first.execute_tools())
        return {"reasoning": "".join(thought.thought for thought in first.thoughts), "text": second.text()}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(self.model(question).call_async, ERRORS)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


if __name__ == "__main__":
    base = f"{sys.argv[1]}/v1"
    completions = OpenAICompletionsProvider(api_key="any", base_url=base)
    responses = OpenAIResponsesProvider(api_key="any", base_url=base)
    serve(
        {
            "mirascope, chat": Mirascope("completions", completions, "it drops the reasoning of the chat format"),
            "mirascope, responses": Mirascope("responses", responses),
        }
    )
