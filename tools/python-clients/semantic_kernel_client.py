"""The package `semantic-kernel`, with its services for OpenAI's chat API and for Anthropic.

Tools are given as their definitions: functions of a kernel have the name of a plugin before their own.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import anthropic
import anthropic_messages
import openai
import openai_chat
from harness import RESULTS, TOOLS, Person, Question, Unsupported, cancel_at_first, read_until_failure, serve, statuses_of
from semantic_kernel.connectors.ai.anthropic import AnthropicChatCompletion, AnthropicChatPromptExecutionSettings
from semantic_kernel.connectors.ai.open_ai import OpenAIChatCompletion, OpenAIChatPromptExecutionSettings
from semantic_kernel.contents import (
    AuthorRole,
    ChatHistory,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
    ImageContent,
    TextContent,
)
from semantic_kernel.exceptions import ServiceException

ERRORS: Any = (ServiceException, openai.APIError, anthropic.APIError)


def status_of(failure: BaseException) -> Any:
    return getattr(failure.__cause__, "status_code", None)


def asked(prompt: str) -> ChatHistory:
    history = ChatHistory()
    history.add_user_message(prompt)
    return history


def calls_in(message: Any) -> list[FunctionCallContent]:
    return [item for item in message.items if isinstance(item, FunctionCallContent)]


def calls_of(message: Any) -> list[Any]:
    calls = sorted(calls_in(message), key=lambda call: call.index or 0)
    return [[call.name, call.parse_arguments()] for call in calls]


def usage_of(metadata: Any) -> list[int] | None:
    usage = metadata["usage"]
    # It reads the input tokens of Anthropic's streams where they begin. The simulated model counts them at the end.
    if isinstance(usage, dict):
        return None
    if hasattr(usage, "prompt_tokens"):
        return [usage.prompt_tokens, usage.completion_tokens]
    return [usage.input_tokens, usage.output_tokens]


class SemanticKernel:
    def __init__(self, connect: Callable[[str], Any], settings: Any, tool: Any, **reasons: str) -> None:
        self.connect = connect
        self.settings = settings
        self.tool = tool
        #: Why the client cannot express a case.
        self.reasons = reasons

    def expect(self, case: str) -> None:
        if case in self.reasons:
            raise Unsupported(self.reasons[case])

    async def run(self, question: Question, history: ChatHistory | None = None, **settings: Any) -> Any:
        messages = history or asked(question.prompt)
        return await self.connect(question.model).get_chat_message_content(messages, self.settings(**settings))

    def chunks(self, question: Question, **settings: Any) -> AsyncIterator[Any]:
        service = self.connect(question.model)
        return service.get_streaming_chat_message_content(asked(question.prompt), self.settings(**settings))

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for chunk in self.chunks(question):
            yield chunk.content

    async def text(self, question: Question) -> dict[str, Any]:
        message = await self.run(question)
        return {"text": message.content, "usage": usage_of(message.metadata)}

    async def stream(self, question: Question) -> dict[str, Any]:
        chunks = [chunk async for chunk in self.chunks(question)]
        return {"deltas": [chunk.content for chunk in chunks], "usage": usage_of(chunks[-1].metadata)}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        tools = [self.tool(definition) for definition in TOOLS]
        history = asked(question.prompt)
        first = await self.run(question, history, tools=tools)
        history.add_message(first)
        for call in calls_in(first):
            result = FunctionResultContent.from_function_call_content_and_result(call, RESULTS[call.name])
            history.add_message(ChatMessageContent(role=AuthorRole.TOOL, items=[result]))
        return {"calls": calls_of(first), "text": (await self.run(question, history, tools=tools)).content}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        tools = [self.tool(definition, strict=True) for definition in TOOLS]
        chunks = [chunk async for chunk in self.chunks(question, tools=tools)]
        return {"calls": calls_of(sum(chunks[1:], chunks[0]))}

    async def structured(self, question: Question) -> dict[str, Any]:
        self.expect("structured")
        value = await self.run(question, response_format=Person)
        chunks = [chunk.content async for chunk in self.chunks(question, response_format=Person)]
        return {"value": json.loads(value.content), "streamed": json.loads("".join(chunks))}

    async def image(self, question: Question) -> dict[str, Any]:
        self.expect("image")
        image = ImageContent(data_uri=f"data:image/png;base64,{question.image}")
        history = ChatHistory()
        history.add_message(ChatMessageContent(role=AuthorRole.USER, items=[TextContent(text=question.prompt), image]))
        return {"text": (await self.run(question, history)).content}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it drops the reasoning")

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.run(question, asked(prompt)), ERRORS, status_of)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


if __name__ == "__main__":
    url = sys.argv[1]
    by_openai = openai.AsyncOpenAI(api_key="any", base_url=f"{url}/v1", max_retries=0)
    by_anthropic = anthropic.AsyncAnthropic(api_key="any", base_url=url, max_retries=0)
    serve(
        {
            "semantic-kernel, chat": SemanticKernel(
                lambda model: OpenAIChatCompletion(model, async_client=by_openai),
                OpenAIChatPromptExecutionSettings,
                openai_chat.tool,
            ),
            "semantic-kernel, anthropic": SemanticKernel(
                lambda model: AnthropicChatCompletion(model, api_key="any", async_client=by_anthropic),
                AnthropicChatPromptExecutionSettings,
                anthropic_messages.tool,
                structured="it asks Anthropic for no schema",
                image="it leaves images out of requests to Anthropic",
            ),
        }
    )
