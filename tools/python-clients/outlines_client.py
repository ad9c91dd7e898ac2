"""The package `outlines`, with the clients of OpenAI and of Anthropic."""

from __future__ import annotations

import base64
import io
import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import openai
import outlines
from harness import Person, Question, Unsupported, drop, each, read_until_failure, serve, settle, statuses_of
from outlines.exceptions import APIError
from PIL import Image


#: It translates the errors of a stream only before it begins.
ERRORS: Any = (APIError, openai.APIError)


def status_of(failure: BaseException) -> Any:
    return getattr(failure.__cause__, "status_code", None)


class Outlines:
    def __init__(self, connect: Any, **options: Any) -> None:
        self.connect = connect
        self.options = options

    async def generate(self, question: Question, content: Any = None, kind: Any = None) -> Any:
        return await settle(self.connect(question.model)(content or question.prompt, kind, **self.options))

    def chunks(self, question: Question, kind: Any = None) -> Any:
        return self.connect(question.model).stream(question.prompt, kind, **self.options)

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for text in each(self.chunks(question)):
            yield text

    async def image(self, question: Question) -> dict[str, Any]:
        image = outlines.inputs.Image(Image.open(io.BytesIO(base64.b64decode(question.image))))
        return {"text": await self.generate(question, [question.prompt, image]), "image": image.image_str}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.generate(question, prompt), APIError, status_of)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), ERRORS)

    async def cancel(self, question: Question) -> dict[str, Any]:
        chunks = self.chunks(question)
        async for text in each(chunks):
            if text:
                await drop(chunks)
                return {"text": text}
        return {}

    async def text(self, question: Question) -> dict[str, Any]:
        return {"text": await self.generate(question), "usage": None}

    async def stream(self, question: Question) -> dict[str, Any]:
        return {"deltas": [text async for text in self.deltas(question)], "usage": None}

    async def structured(self, question: Question) -> dict[str, Any]:
        value = await self.generate(question, kind=Person)
        streamed = "".join([text async for text in each(self.chunks(question, Person))])
        return {"value": json.loads(value), "streamed": json.loads(streamed)}

    async def unsupported(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it has no tools and drops the reasoning")

    two_tools = strict_streamed_tools = reasoning = unsupported


class OutlinesAnthropic(Outlines):
    async def structured(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it asks Anthropic for no types")


if __name__ == "__main__":
    url = sys.argv[1]
    by_openai = openai.OpenAI(api_key="any", base_url=f"{url}/v1", max_retries=0)
    by_anthropic = anthropic.Anthropic(api_key="any", base_url=url, max_retries=0)
    serve(
        {
            "outlines, openai": Outlines(lambda model: outlines.from_openai(by_openai, model)),
            "outlines, anthropic": OutlinesAnthropic(
                lambda model: outlines.from_anthropic(by_anthropic, model), max_tokens=1000
            ),
        }
    )
