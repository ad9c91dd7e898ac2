"""The package `litellm` as a client of each wire: `completion` with OpenAI's and Anthropic's format, and `responses`."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import litellm
import openai
import openai_responses
from harness import RESULTS, TOOLS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of
from openai_chat import call_of, tool, user

# Errors in the middle of a stream are of a class of their own, without a status.
ERRORS: Any = (openai.APIError, litellm.exceptions.MidStreamFallbackError)


def status_of(failure: BaseException) -> Any:
    """The status that arrived. Its own errors replace some, such as 503 by 500."""
    cause = failure.__context__
    while cause is not None and not isinstance(getattr(cause, "status_code", None), int):
        cause = cause.__context__
    return getattr(cause or failure, "status_code", None)


class Completion:
    """`acompletion` with a provider's format. The format follows from the prefix of the model's name."""

    def __init__(self, prefix: str, base_url: str, **thinking: Any) -> None:
        self.prefix = prefix
        self.thinking = thinking
        self.options = {"api_key": "any", "api_base": base_url, "max_retries": 0, "num_retries": 0}

    async def create(self, question: Question, **more: Any) -> Any:
        model = f"{self.prefix}/{question.model}"
        return await litellm.acompletion(
            **{"model": model, "messages": user(question.prompt), **self.options, **more},
        )

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for chunk in await self.create(question, stream=True):
            yield chunk.choices[0].delta.content or ""

    async def text(self, question: Question) -> dict[str, Any]:
        completion = await self.create(question)
        usage = completion.usage
        text = completion.choices[0].message.content
        return {"text": text, "usage": [usage.prompt_tokens, usage.completion_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        options = {"stream": True, "stream_options": {"include_usage": True}}
        chunks = [chunk async for chunk in await self.create(question, **options)]
        usage = litellm.stream_chunk_builder(chunks).usage
        deltas = [choice.delta.content or "" for chunk in chunks for choice in chunk.choices]
        return {"deltas": deltas, "usage": [usage.prompt_tokens, usage.completion_tokens]}

    async def answer_calls(self, question: Question, tools: list[Any], **more: Any) -> tuple[Any, Any]:
        first = (await self.create(question, tools=tools, **more)).choices[0].message
        results = [
            {"role": "tool", "tool_call_id": call.id, "content": RESULTS[call.function.name]}
            for call in first.tool_calls
        ]
        messages = [*user(question.prompt), self.returned(first), *results]
        second = await self.create(question, messages=messages, tools=tools, **more)
        return first, second.choices[0].message

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, [tool(definition) for definition in TOOLS])
        return {"calls": [call_of(call) for call in first.tool_calls], "text": second.content}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        if self.prefix == "anthropic":
            raise Unsupported("it sends no strict flag in Anthropic's format")
        tools = [tool(definition, strict=True) for definition in TOOLS]
        chunks = [chunk async for chunk in await self.create(question, tools=tools, stream=True)]
        message = litellm.stream_chunk_builder(chunks).choices[0].message
        return {"calls": [call_of(call) for call in message.tool_calls]}

    async def structured(self, question: Question) -> dict[str, Any]:
        completion = await self.create(question, response_format=Person)
        chunks = [chunk async for chunk in await self.create(question, response_format=Person, stream=True)]
        streamed = litellm.stream_chunk_builder(chunks).choices[0].message
        texts = (completion.choices[0].message.content, streamed.content)
        value, other = (json.loads(text) for text in texts)
        return {"value": value, "streamed": other}

    async def image(self, question: Question) -> dict[str, Any]:
        url = f"data:image/png;base64,{question.image}"
        content = [{"type": "text", "text": question.prompt}, {"type": "image_url", "image_url": {"url": url}}]
        return {"text": (await self.create(question, messages=user(content))).choices[0].message.content}

    def returned(self, message: Any) -> Any:
        """Fields that it does not know are not sent back unless they are copied."""
        details = (message.provider_specific_fields or {}).get("reasoning_details")
        return message if details is None else {**message.model_dump(), "reasoning_details": details}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, [tool(TOOLS[0])], **self.thinking)
        return {"reasoning": first.reasoning_content, "text": second.content}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.create(question, messages=user(prompt)), ERRORS, status_of)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


class Responses(openai_responses.Responses):
    """`aresponses`, which has no helpers for streams."""

    def __init__(self, base_url: str) -> None:
        self.options = {"api_key": "any", "api_base": base_url, "max_retries": 0}

    async def create(self, question: Question, **more: Any) -> Any:
        model = f"openai/{question.model}"
        # For models that it does not know, it splits a whole response into events, and does not let them reason.
        known = {"litellm_provider": "openai", "supports_native_streaming": True, "supports_reasoning": True}
        litellm.register_model({model: known, question.model: known})
        return await litellm.aresponses(**{"model": model, "input": question.prompt, **self.options, **more})

    async def final(self, question: Question, **more: Any) -> tuple[list[str], Any]:
        deltas, final = [], None
        async for event in await self.create(question, stream=True, **more):
            if event.type == "response.output_text.delta":
                deltas.append(event.delta)
            elif event.type == "response.completed":
                final = event.response
        return deltas, final

    async def stream(self, question: Question) -> dict[str, Any]:
        deltas, final = await self.final(question)
        return {"deltas": deltas, "usage": [final.usage.input_tokens, final.usage.output_tokens]}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [openai_responses.tool(definition, strict=True) for definition in TOOLS]
        _, final = await self.final(question, tools=tools)
        return {"calls": [openai_responses.call_of(call) for call in openai_responses.calls_in(final)]}

    async def structured(self, question: Question) -> dict[str, Any]:
        response = await self.create(question, text_format=Person)
        deltas, _ = await self.final(question, text_format=Person)
        return {"value": json.loads(response.output_text), "streamed": json.loads("".join(deltas))}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.create(question, input=prompt), ERRORS, status_of)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


if __name__ == "__main__":
    url = sys.argv[1]
    serve(
        {
            # It does not know that the model reasons.
            "litellm, openai": Completion(
                "openai", f"{url}/v1", reasoning_effort="low", allowed_openai_params=["reasoning_effort"]
            ),
            "litellm, anthropic": Completion(
                "anthropic",
                url,
                thinking={"type": "enabled", "budget_tokens": 1024},
                allowed_openai_params=["thinking"],
            ),
            "litellm, responses": Responses(f"{url}/v1"),
        }
    )
