"""The package `llama-index-llms-openai-like`, with both wires of OpenAI.

`llama-index-llms-anthropic` accepts only the names of models that it knows.
"""

from __future__ import annotations

import base64
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import openai
from harness import RESULTS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of
from llama_index.core.llms import ChatMessage, ImageBlock, TextBlock
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike, OpenAILikeResponses


def get_weather(city: str) -> str:
    """The weather in a city."""
    return RESULTS["get_weather"]


def get_time(zone: str) -> str:
    """The time in a zone."""
    return RESULTS["get_time"]


TOOLS = [FunctionTool.from_defaults(get_weather), FunctionTool.from_defaults(get_time)]


def asked(question: Question) -> list[ChatMessage]:
    return [ChatMessage(role="user", content=question.prompt)]


def usage_of(response: Any) -> list[int]:
    raw = getattr(response.raw, "response", response.raw)
    usage = raw["usage"] if isinstance(raw, dict) else raw.usage
    if hasattr(usage, "prompt_tokens"):
        return [usage.prompt_tokens, usage.completion_tokens]
    return [usage.input_tokens, usage.output_tokens]


class LlamaIndex:
    def __init__(self, connect: Callable[..., Any], loses_reasoning: str, streams_values: bool = True) -> None:
        self.connect = connect
        self.loses_reasoning = loses_reasoning
        self.streams_values = streams_values

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for part in await self.connect(question.model).astream_chat(asked(question)):
            yield part.delta or ""

    async def text(self, question: Question) -> dict[str, Any]:
        response = await self.connect(question.model).achat(asked(question))
        return {"text": response.message.content, "usage": usage_of(response)}

    async def stream(self, question: Question) -> dict[str, Any]:
        parts = [part async for part in await self.connect(question.model).astream_chat(asked(question))]
        return {"deltas": [part.delta or "" for part in parts], "usage": usage_of(parts[-1])}

    def calls_of(self, model: Any, response: Any) -> list[Any]:
        return model.get_tool_calls_from_response(response, error_on_no_tool_call=False)

    async def two_tools(self, question: Question) -> dict[str, Any]:
        model = self.connect(question.model)
        messages = asked(question)
        first = await model.achat_with_tools(TOOLS, chat_history=list(messages), allow_parallel_tool_calls=True)
        calls = self.calls_of(model, first)
        results = [
            ChatMessage(role="tool", content=RESULTS[call.tool_name], additional_kwargs={"tool_call_id": call.tool_id})
            for call in calls
        ]
        second = await model.achat_with_tools(TOOLS, chat_history=[*messages, first.message, *results])
        return {"calls": [[call.tool_name, call.tool_kwargs] for call in calls], "text": second.message.content}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        model = self.connect(question.model, strict=True)
        stream = await model.astream_chat_with_tools(
            TOOLS, chat_history=asked(question), allow_parallel_tool_calls=True
        )
        last = [part async for part in stream][-1]
        return {"calls": [[call.tool_name, call.tool_kwargs] for call in self.calls_of(model, last)]}

    async def structured(self, question: Question) -> dict[str, Any]:
        model = self.connect(question.model)
        value = await model.astructured_predict(Person, PromptTemplate(question.prompt))
        if not self.streams_values:
            return {"value": value.model_dump(), "streamed": None}
        parts = await model.astream_structured_predict(Person, PromptTemplate(question.prompt))
        streamed = [part async for part in parts]
        return {"value": value.model_dump(), "streamed": streamed[-1].model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        image = ImageBlock(image=base64.b64decode(question.image), image_mimetype="image/png")
        message = ChatMessage(role="user", blocks=[TextBlock(text=question.prompt), image])
        return {"text": (await self.connect(question.model).achat([message])).message.content}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        raise Unsupported(self.loses_reasoning)

    async def error(self, question: Question) -> dict[str, Any]:
        model = self.connect(question.model)
        return await statuses_of(lambda prompt: model.achat([ChatMessage(role="user", content=prompt)]), openai.APIError)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), openai.APIError)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


if __name__ == "__main__":
    url = sys.argv[1]

    def chat(model: str, **options: Any) -> Any:
        more = {"is_function_calling_model": True, "is_chat_model": True, **options}
        usage = {"stream_options": {"include_usage": True}}
        return OpenAILike(
            model=model, api_key="any", api_base=f"{url}/v1", max_retries=0, additional_kwargs=usage, **more
        )

    def responses(model: str, **options: Any) -> Any:
        more = {"is_function_calling_model": True, "max_retries": 0, **options}
        return OpenAILikeResponses(model=model, api_key="any", api_base=f"{url}/v1", **more)

    serve(
        {
            "llama-index, chat": LlamaIndex(chat, "it drops the reasoning of earlier turns"),
            "llama-index, responses": LlamaIndex(
                responses,
                "it sends reasoning back by its id only",
                # It looks for the call where its class for Responses does not put it.
                streams_values=False,
            ),
        }
    )
