"""The package `guidance`: its model for OpenAI's chat API, which asks for log probabilities."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import guidance
import openai
from guidance import assistant, gen, models, user
from guidance import json as gen_json
from harness import RESULTS, Person, Question, Unsupported, read_until_failure, serve, statuses_of
from pydantic import ConfigDict


class ClosedPerson(Person):
    """It marks every schema as strict, and OpenAI accepts only closed objects then."""

    model_config = ConfigDict(extra="forbid")


@guidance
def answer(model: Any, grammar: Any) -> Any:
    """A stream runs in a thread, where a block outside of it has no effect."""
    with assistant():
        model += grammar
    return model


class Guidance:
    def __init__(self, url: str) -> None:
        self.url = url

    def asked(self, question: Question, prompt: str | None = None) -> models.OpenAI:
        options = {"api_key": "any", "base_url": f"{self.url}/v1", "max_retries": 0}
        model = models.OpenAI(question.model, echo=False, **options)
        with user():
            model += prompt or question.prompt
        return model

    def generate(self, question: Question, grammar: Any, prompt: str | None = None) -> Any:
        return self.asked(question, prompt) + answer(grammar)

    def states(self, question: Question, grammar: Any) -> Iterator[Any]:
        yield from self.asked(question).stream() + answer(grammar)

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        said = ""
        for state in self.states(question, gen("answer")):
            _, marker, text = str(state).partition("<|im_start|>assistant\n")
            if marker:
                yield text[len(said) :]
                said = text

    async def text(self, question: Question) -> dict[str, Any]:
        model = self.generate(question, gen("answer"))
        usage = model._get_usage()
        return {"text": model["answer"], "usage": [usage.input_tokens, usage.forward_passes]}

    async def stream(self, question: Question) -> dict[str, Any]:
        return {"deltas": [text async for text in self.deltas(question)], "usage": None}

    async def two_tools(self, question: Question) -> dict[str, Any]:
        calls = []

        def get_weather(city: str) -> str:
            """The weather in a city."""
            calls.append(["get_weather", {"city": city}])
            return RESULTS["get_weather"]

        def get_time(zone: str) -> str:
            """The time in a zone."""
            calls.append(["get_time", {"zone": zone}])
            return RESULTS["get_time"]

        model = self.generate(question, gen(tools=[get_weather, get_time]))
        return {"calls": calls, "text": (model + answer(gen("answer")))["answer"]}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it has no strict tools")

    async def structured(self, question: Question) -> dict[str, Any]:
        model = self.generate(question, gen_json("person", schema=ClosedPerson))
        return {"value": json.loads(model["person"]), "streamed": None}

    async def image(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it sends images only to models that are named gpt-4o or o1")

    async def reasoning(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it drops the reasoning")

    async def error(self, question: Question) -> dict[str, Any]:
        async def call(prompt: str) -> None:
            self.generate(question, gen("answer"), prompt)

        return await statuses_of(call, openai.APIStatusError)

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), openai.APIError)

    async def cancel(self, question: Question) -> dict[str, Any]:
        raise Unsupported("it reads a stream in a thread that cannot be ended")


if __name__ == "__main__":
    serve({"guidance": Guidance(sys.argv[1])})
