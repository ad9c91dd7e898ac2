"""The packages `langchain-openai`, with both wires of OpenAI, and `langchain-anthropic`."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import anthropic
import openai
from harness import (
    RESULTS,
    TOOLS,
    Person,
    Question,
    Unsupported,
    read_until_failure,
    serve,
    statuses_of,
)
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI
from openai_chat import tool

ERRORS: Any = (openai.APIError, anthropic.APIError)


def text_of(message: Any) -> str:
    return str(message.text)


def calls_of(message: Any) -> list[Any]:
    return [[call["name"], call["args"]] for call in message.tool_calls]


class LangChain:
    def __init__(self, connect: Callable[..., Any], thinking: dict[str, Any], loses_reasoning: str = "") -> None:
        self.connect = connect
        self.thinking = thinking
        self.loses_reasoning = loses_reasoning

    def model(self, question: Question, **options: Any) -> Any:
        return self.connect(model=question.model, max_retries=0, **options)

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for chunk in self.model(question).astream(question.prompt):
            yield text_of(chunk)

    async def text(self, question: Question) -> dict[str, Any]:
        message = await self.model(question).ainvoke(question.prompt)
        usage = message.usage_metadata
        return {"text": text_of(message), "usage": [usage["input_tokens"], usage["output_tokens"]]}

    async def stream(self, question: Question) -> dict[str, Any]:
        chunks = [chunk async for chunk in self.model(question, stream_usage=True).astream(question.prompt)]
        usage = sum(chunks[1:], chunks[0]).usage_metadata
        deltas = [text_of(chunk) for chunk in chunks]
        return {"deltas": deltas, "usage": [usage["input_tokens"], usage["output_tokens"]]}

    async def answer_calls(self, model: Any, question: Question) -> tuple[Any, Any]:
        asked = HumanMessage(question.prompt)
        first = await model.ainvoke([asked])
        results = [ToolMessage(RESULTS[call["name"]], tool_call_id=call["id"]) for call in first.tool_calls]
        return first, await model.ainvoke([asked, first, *results])

    async def two_tools(self, question: Question) -> dict[str, Any]:
        model = self.model(question).bind_tools([tool(definition) for definition in TOOLS])
        first, second = await self.answer_calls(model, question)
        return {"calls": calls_of(first), "text": text_of(second)}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [tool(definition, strict=True) for definition in TOOLS]
        model = self.model(question).bind_tools(tools, strict=True)
        chunks = [chunk async for chunk in model.astream(question.prompt)]
        return {"calls": calls_of(sum(chunks[1:], chunks[0]))}

    async def structured(self, question: Question) -> dict[str, Any]:
        model = self.model(question).with_structured_output(Person, method="json_schema")
        value = await model.ainvoke(question.prompt)
        parts = [part async for part in model.astream(question.prompt)]
        return {"value": value.model_dump(), "streamed": parts[-1].model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        image = {"type": "image", "base64": question.image, "mime_type": "image/png"}
        content = [{"type": "text", "text": question.prompt}, image]
        return {"text": text_of(await self.model(question).ainvoke([HumanMessage(content)]))}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        model = self.model(question, **self.thinking).bind_tools([tool(TOOLS[0])])
        first, second = await self.answer_calls(model, question)
        thoughts = [block["reasoning"] for block in first.content_blocks if block["type"] == "reasoning"]
        if self.loses_reasoning and not thoughts and text_of(second):
            raise Unsupported(self.loses_reasoning)
        return {"reasoning": "".join(thoughts), "text": text_of(second)}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(self.model(question).ainvoke, ERRORS)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        chunks = self.model(question).astream(question.prompt)
        async for chunk in chunks:
            if text := text_of(chunk):
                await chunks.aclose()
                return {"text": text}
        return {}


if __name__ == "__main__":
    url = sys.argv[1]

    def chat(**options: Any) -> Any:
        return ChatOpenAI(api_key="any", base_url=f"{url}/v1", use_responses_api=False, **options)

    def responses(**options: Any) -> Any:
        options = {"output_version": "responses/v1", "store": False, **options}
        return ChatOpenAI(api_key="any", base_url=f"{url}/v1", use_responses_api=True, **options)

    def messages(**options: Any) -> Any:
        return ChatAnthropic(api_key="any", base_url=url, max_tokens=4000, **options)

    summary = {"reasoning": {"effort": "low", "summary": "auto"}, "include": ["reasoning.encrypted_content"]}
    budget = {"thinking": {"type": "enabled", "budget_tokens": 1024}}
    serve(
        {
            "langchain-openai, chat": LangChain(
                chat, {"reasoning_effort": "low"}, "it drops the fields for reasoning, which OpenAI's chat API lacks"
            ),
            "langchain-openai, responses": LangChain(responses, summary),
            "langchain-anthropic": LangChain(messages, budget),
        }
    )
