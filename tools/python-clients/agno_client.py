"""The package `agno`: an agent with its models for both wires of OpenAI and for Anthropic."""

from __future__ import annotations

import base64
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

from agno.agent import Agent
from agno.exceptions import ModelProviderError
from agno.media import Image
from agno.models.anthropic import Claude
from agno.models.message import Message
from agno.models.openai import OpenAIChat, OpenAIResponses
from agno.run.agent import RunCompletedEvent, RunContentEvent, RunErrorEvent, ToolCallStartedEvent
from agno.tools.function import Function
from harness import RESULTS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of


def get_weather(city: str) -> str:
    """The weather in a city."""
    return RESULTS["get_weather"]


def get_time(zone: str) -> str:
    """The time in a zone."""
    return RESULTS["get_time"]


class RunFailed(Exception):
    """An agent reports an error as an event."""


class Agno:
    def __init__(self, connect: Callable[..., Any], thinking: dict[str, Any], loses_reasoning: str = "") -> None:
        self.connect = connect
        self.thinking = thinking
        self.loses_reasoning = loses_reasoning

    def agent(self, question: Question, **options: Any) -> Agent:
        return Agent(model=self.connect(question.model), telemetry=False, **options)

    async def events(self, question: Question, **options: Any) -> AsyncIterator[Any]:
        async for event in self.agent(question, **options).arun(question.prompt, stream=True, stream_events=True):
            if isinstance(event, RunErrorEvent):
                raise RunFailed(event.content)
            yield event

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for event in self.events(question):
            if isinstance(event, RunContentEvent):
                yield event.content or ""

    async def text(self, question: Question) -> dict[str, Any]:
        run = await self.agent(question).arun(question.prompt)
        return {"text": run.content, "usage": [run.metrics.input_tokens, run.metrics.output_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        events = [event async for event in self.events(question)]
        usage = [event.metrics for event in events if isinstance(event, RunCompletedEvent)][-1]
        deltas = [event.content or "" for event in events if isinstance(event, RunContentEvent)]
        return {"deltas": deltas, "usage": [usage.input_tokens, usage.output_tokens]}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        run = await self.agent(question, tools=[get_weather, get_time]).arun(question.prompt)
        return {"calls": [[call.tool_name, call.tool_args] for call in run.tools], "text": run.content}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [Function.from_callable(entry, strict=True) for entry in (get_weather, get_time)]
        for tool in tools:
            tool.strict = True
        events = [event async for event in self.events(question, tools=tools)]
        calls = [event.tool for event in events if isinstance(event, ToolCallStartedEvent)]
        return {"calls": [[call.tool_name, call.tool_args] for call in calls]}

    async def structured(self, question: Question) -> dict[str, Any]:
        value = (await self.agent(question, output_schema=Person).arun(question.prompt)).content
        events = [event async for event in self.events(question, output_schema=Person)]
        streamed = [event.content for event in events if isinstance(event, RunCompletedEvent)][-1]
        return {"value": value.model_dump(), "streamed": streamed.model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        image = Image(content=base64.b64decode(question.image), mime_type="image/png", format="png")
        return {"text": (await self.agent(question).arun(question.prompt, images=[image])).content}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        if self.loses_reasoning:
            raise Unsupported(self.loses_reasoning)
        agent = Agent(model=self.connect(question.model, **self.thinking), telemetry=False, tools=[get_weather])
        run = await agent.arun(question.prompt)
        first = next(message for message in run.messages if message.role == "assistant")
        return {"reasoning": first.reasoning_content or "", "text": run.content}

    async def error(self, question: Question) -> dict[str, Any]:
        async def call(prompt: str) -> None:
            await self.connect(question.model).aresponse([Message(role="user", content=prompt)])

        return await statuses_of(call, ModelProviderError)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), RunFailed)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


if __name__ == "__main__":
    url = sys.argv[1]

    def chat(model: str, **options: Any) -> Any:
        return OpenAIChat(id=model, api_key="any", base_url=f"{url}/v1", max_retries=0, **options)

    def responses(model: str, **options: Any) -> Any:
        return OpenAIResponses(id=model, api_key="any", base_url=f"{url}/v1", max_retries=0, store=False, **options)

    def messages(model: str, **options: Any) -> Any:
        parameters = {"base_url": url, "max_retries": 0}
        return Claude(id=model, api_key="any", client_params=parameters, max_tokens=4000, **options)

    summary = {"reasoning_effort": "low", "reasoning_summary": "auto", "include": ["reasoning.encrypted_content"]}
    serve(
        {
            "agno, chat": Agno(chat, {}, "it drops reasoning_details, which have the signature"),
            "agno, responses": Agno(responses, summary),
            "agno, anthropic": Agno(messages, {"thinking": {"type": "enabled", "budget_tokens": 1024}}),
        }
    )
