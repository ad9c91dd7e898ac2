"""The package `smolagents`: its model for OpenAI's chat API, with the stop sequences that its agents send."""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import openai
from harness import Person, Question, Unsupported, drop, read_until_failure, serve, statuses_of
from PIL import Image
from smolagents import OpenAIModel
from smolagents.utils import encode_image_base64

STOP = ["Observation:", "Calling tools:"]

SCHEMA = {**Person.model_json_schema(), "additionalProperties": False}


def user(*content: dict[str, Any]) -> list[Any]:
    return [{"role": "user", "content": list(content)}]


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


class Smolagents:
    def __init__(self, url: str) -> None:
        self.url = url

    def model(self, question: Question) -> OpenAIModel:
        options = {"api_base": f"{self.url}/v1", "api_key": "any", "retry": False}
        return OpenAIModel(question.model, client_kwargs={"max_retries": 0}, **options)

    def generate(self, question: Question, messages: list[Any] | None = None, **options: Any) -> Any:
        asked = messages or user(text(question.prompt))
        return self.model(question).generate(asked, stop_sequences=STOP, **options)

    def chunks(self, question: Question, **options: Any) -> Any:
        return self.model(question).generate_stream(user(text(question.prompt)), stop_sequences=STOP, **options)

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        for chunk in self.chunks(question):
            yield chunk.content or ""

    async def text(self, question: Question) -> dict[str, Any]:
        message = self.generate(question)
        return {"text": message.content, "usage": [message.token_usage.input_tokens, message.token_usage.output_tokens]}

    async def stream(self, question: Question) -> dict[str, Any]:
        chunks = list(self.chunks(question))
        usage = [chunk.token_usage for chunk in chunks if chunk.token_usage][-1]
        deltas = [chunk.content or "" for chunk in chunks]
        return {"deltas": deltas, "usage": [usage.input_tokens, usage.output_tokens]}

    async def structured(self, question: Question) -> dict[str, Any]:
        schema = {"name": "person", "schema": SCHEMA, "strict": True}
        form: Any = {"type": "json_schema", "json_schema": schema}
        whole = self.generate(question, response_format=form).content
        streamed = "".join(chunk.content or "" for chunk in self.chunks(question, response_format=form))
        return {"value": json.loads(whole), "streamed": json.loads(streamed)}

    async def image(self, question: Question) -> dict[str, Any]:
        image = Image.open(io.BytesIO(base64.b64decode(question.image)))
        message = self.generate(question, user(text(question.prompt), {"type": "image", "image": image}))
        return {"text": message.content, "image": encode_image_base64(image)}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it sends calls and results back as text")

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it has no strict tools")

    async def reasoning(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it drops the reasoning")

    async def error(self, question: Question) -> dict[str, Any]:
        async def call(prompt: str) -> None:
            self.generate(question, user(text(prompt)))

        return await statuses_of(call, openai.APIStatusError)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), openai.APIError)

    async def cancel(self, question: Question) -> dict[str, Any]:
        chunks = self.chunks(question)
        for chunk in chunks:
            if chunk.content:
                await drop(chunks)
                return {"text": chunk.content}
        return {}


if __name__ == "__main__":
    serve({"smolagents": Smolagents(sys.argv[1])})
