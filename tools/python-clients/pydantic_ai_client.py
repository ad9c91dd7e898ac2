"""The package `pydantic-ai`: an agent with a model of each wire of OpenAI.

Its model for Anthropic does not work with the pinned version of `anthropic`.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

from harness import RESULTS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of
from openai import APIError, AsyncOpenAI
from pydantic_ai import Agent, BinaryContent, NativeOutput, Tool
from pydantic_ai.exceptions import AgentRunError
from pydantic_ai.messages import ModelResponse, ThinkingPart, ToolCallPart
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider


# An error in the middle of a stream is the one of the SDK.
ERRORS: Any = (AgentRunError, APIError)


def get_weather(city: str) -> str:
    """The weather in a city."""
    return RESULTS["get_weather"]


def get_time(zone: str) -> str:
    """The time in a zone."""
    return RESULTS["get_time"]


def parts_in(messages: list[Any], kind: type) -> list[Any]:
    responses = [message for message in messages if isinstance(message, ModelResponse)]
    return [part for response in responses for part in response.parts if isinstance(part, kind)]


def calls_in(messages: list[Any]) -> list[Any]:
    return [[call.tool_name, call.args_as_dict()] for call in parts_in(messages, ToolCallPart)]


class PydanticAi:
    #: Why the reasoning of the first turn cannot return.
    loses_reasoning: str | None = None

    def __init__(self, connect: Callable[[str], Any]) -> None:
        self.connect = connect

    def agent(self, question: Question, **options: Any) -> Agent[None, Any]:
        return Agent(self.connect(question.model), retries=0, **options)

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async with self.agent(question).run_stream(question.prompt) as result:
            async for text in result.stream_text(delta=True, debounce_by=None):
                yield text

    async def text(self, question: Question) -> dict[str, Any]:
        result = await self.agent(question).run(question.prompt)
        return {"text": result.output, "usage": [result.usage.input_tokens, result.usage.output_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        async with self.agent(question).run_stream(question.prompt) as result:
            deltas = [text async for text in result.stream_text(delta=True, debounce_by=None)]
            usage = result.usage
        return {"deltas": deltas, "usage": [usage.input_tokens, usage.output_tokens]}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        result = await self.agent(question, tools=[get_weather, get_time]).run(question.prompt)
        return {"calls": calls_in(result.all_messages()), "text": result.output}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [Tool(get_weather, strict=True), Tool(get_time, strict=True)]
        async with self.agent(question, tools=tools).run_stream(question.prompt) as result:
            await result.get_output()
            return {"calls": calls_in(result.all_messages())}

    async def structured(self, question: Question) -> dict[str, Any]:
        agent = self.agent(question, output_type=NativeOutput(Person))
        value = (await agent.run(question.prompt)).output
        async with agent.run_stream(question.prompt) as result:
            streamed = await result.get_output()
        return {"value": value.model_dump(), "streamed": streamed.model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        image = BinaryContent(base64.b64decode(question.image), media_type="image/png")
        return {"text": (await self.agent(question).run([question.prompt, image])).output}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        settings: Any = {
            "max_tokens": 4000,
            "openai_reasoning_effort": "low",
            "openai_reasoning_summary": "auto",
        }
        agent = self.agent(question, tools=[get_weather], model_settings=settings)
        result = await agent.run(question.prompt)
        thoughts = parts_in(result.all_messages()[:2], ThinkingPart)
        if self.loses_reasoning is not None and thoughts:
            raise Unsupported(self.loses_reasoning)
        return {"reasoning": "".join(thought.content for thought in thoughts), "text": result.output}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.agent(question).run(prompt), ERRORS)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


class PydanticAiChat(PydanticAi):
    loses_reasoning = "it keeps the text of the reasoning and drops reasoning_details, which have the signature"


if __name__ == "__main__":
    url = sys.argv[1]
    by_openai = OpenAIProvider(openai_client=AsyncOpenAI(api_key="any", base_url=f"{url}/v1", max_retries=0))
    # It guesses this from the name of the model.
    reasons: Any = {"openai_supports_encrypted_reasoning_content": True}
    serve(
        {
            "pydantic-ai, openai chat": PydanticAiChat(lambda model: OpenAIChatModel(model, provider=by_openai)),
            "pydantic-ai, responses": PydanticAi(
                lambda model: OpenAIResponsesModel(model, provider=by_openai, profile=reasons)
            ),
        }
    )
