"""The package `instructor`: structured output with a tool, its default, and with a schema, of each wire's client."""

from __future__ import annotations

import sys
from typing import Any

import anthropic
import instructor
import openai
from harness import Person, Question, Unsupported, serve, statuses_of
from instructor import Mode
from instructor.core import InstructorRetryException

ERRORS: Any = (openai.APIError, anthropic.APIError, InstructorRetryException)


def status_of(failure: BaseException) -> Any:
    """The status of the error that it gave up with."""
    cause: BaseException | None = failure
    while cause is not None and not hasattr(cause, "status_code"):
        cause = cause.__cause__ or cause.__context__
    return getattr(cause, "status_code", None)


class Instructor:
    def __init__(self, client: Any, **options: Any) -> None:
        self.client = client
        self.options = {"max_retries": 0, **options}

    def body(self, question: Question, prompt: str | None = None) -> dict[str, Any]:
        messages = [{"role": "user", "content": prompt or question.prompt}]
        return {"model": question.model, "response_model": Person, "messages": messages, **self.options}

    async def structured(self, question: Question) -> dict[str, Any]:
        value = await self.client.create(**self.body(question))
        partials = [partial async for partial in self.client.create_partial(**self.body(question))]
        return {"value": value.model_dump(), "streamed": partials[-1].model_dump()}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(lambda prompt: self.client.create(**self.body(question, prompt)), ERRORS, status_of)

    async def unsupported(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it returns values of a schema only")

    text = stream = two_tools = strict_streamed_tools = image = reasoning = broken_stream = cancel = unsupported


if __name__ == "__main__":
    url = sys.argv[1]
    by_openai = openai.AsyncOpenAI(api_key="any", base_url=f"{url}/v1", max_retries=0)
    by_anthropic = anthropic.AsyncAnthropic(api_key="any", base_url=url, max_retries=0)
    serve(
        {
            "instructor, openai tools": Instructor(instructor.from_openai(by_openai)),
            "instructor, openai schema": Instructor(instructor.from_openai(by_openai, mode=Mode.JSON_SCHEMA)),
            "instructor, responses": Instructor(instructor.from_openai(by_openai, mode=Mode.RESPONSES_TOOLS)),
            "instructor, anthropic": Instructor(instructor.from_anthropic(by_anthropic), max_tokens=1000),
        }
    )
