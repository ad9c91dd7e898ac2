"""The package `google-genai`, synchronous and asynchronous."""

from __future__ import annotations

import base64
import sys
from collections.abc import AsyncIterator
from typing import Any

from google import genai
from google.genai import errors, types
from harness import RESULTS, TOOLS, Person, Question, cancel_at_first, each, read_until_failure, serve, settle, statuses_of


def declaration(definition: dict[str, Any]) -> types.FunctionDeclaration:
    return types.FunctionDeclaration(
        name=definition["name"],
        description=definition["description"],
        parameters_json_schema=definition["schema"],
    )


def tools_of(definitions: Any) -> list[types.Tool]:
    return [types.Tool(function_declarations=[declaration(definition) for definition in definitions])]


def calls_of(response: types.GenerateContentResponse) -> list[list[Any]]:
    return [[call.name, call.args] for call in response.function_calls or []]


def usage_of(response: types.GenerateContentResponse) -> list[Any]:
    usage = response.usage_metadata
    return [usage.prompt_token_count, usage.candidates_token_count]


class Gemini:
    def __init__(self, models: Any) -> None:
        self.models = models

    async def generate(self, question: Question, contents: Any = None, **config: Any) -> types.GenerateContentResponse:
        call = self.models.generate_content(
            model=question.model,
            contents=question.prompt if contents is None else contents,
            config=types.GenerateContentConfig(max_output_tokens=4000, **config),
        )
        return await settle(call)

    async def chunks(self, question: Question, **config: Any) -> AsyncIterator[types.GenerateContentResponse]:
        stream = self.models.generate_content_stream(
            model=question.model,
            contents=question.prompt,
            config=types.GenerateContentConfig(max_output_tokens=4000, **config),
        )
        async for chunk in each(await settle(stream)):
            yield chunk

    async def deltas(self, question: Question) -> AsyncIterator[str]:
        async for chunk in self.chunks(question):
            yield chunk.text or ""

    async def text(self, question: Question) -> dict[str, Any]:
        response = await self.generate(question)
        return {"text": response.text, "usage": usage_of(response)}

    async def stream(self, question: Question) -> dict[str, Any]:
        chunks = [chunk async for chunk in self.chunks(question)]
        return {"deltas": [chunk.text or "" for chunk in chunks], "usage": usage_of(chunks[-1])}

    async def answer_calls(self, question: Question, definitions: Any, **config: Any) -> tuple[Any, Any]:
        tools = tools_of(definitions)
        first = await self.generate(question, tools=tools, **config)
        results = [
            types.FunctionResponse(id=call.id, name=call.name, response={"output": RESULTS[call.name]})
            for call in first.function_calls
        ]
        contents = [
            types.UserContent(question.prompt),
            first.candidates[0].content,
            types.UserContent([types.Part(function_response=result) for result in results]),
        ]
        return first, await self.generate(question, contents, tools=tools, **config)

    async def two_tools(self, question: Question) -> dict[str, Any]:
        first, second = await self.answer_calls(question, TOOLS)
        return {"calls": calls_of(first), "text": second.text}

    async def strict_streamed_tools(self, question: Question) -> dict[str, Any]:
        mode = types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.VALIDATED)
        config = {"tools": tools_of(TOOLS), "tool_config": types.ToolConfig(function_calling_config=mode)}
        return {"calls": [call async for chunk in self.chunks(question, **config) for call in calls_of(chunk)]}

    async def structured(self, question: Question) -> dict[str, Any]:
        config = {"response_mime_type": "application/json", "response_schema": Person}
        parsed = (await self.generate(question, **config)).parsed
        text = "".join([chunk.text or "" async for chunk in self.chunks(question, **config)])
        return {"value": parsed.model_dump(), "streamed": Person.model_validate_json(text).model_dump()}

    async def image(self, question: Question) -> dict[str, Any]:
        image = types.Part.from_bytes(data=base64.b64decode(question.image), mime_type="image/png")
        return {"text": (await self.generate(question, [image, question.prompt])).text}

    async def reasoning(self, question: Question) -> dict[str, Any]:
        thinking = types.ThinkingConfig(include_thoughts=True, thinking_budget=1024)
        first, second = await self.answer_calls(question, TOOLS[:1], thinking_config=thinking)
        thoughts = [part.text for part in first.candidates[0].content.parts if part.thought]
        return {"reasoning": "".join(thoughts), "text": second.text}

    async def error(self, question: Question) -> dict[str, Any]:
        return await statuses_of(
            lambda prompt: self.generate(question, prompt), errors.APIError, lambda failure: failure.code
        )

    async def broken_stream(self, question: Question) -> dict[str, Any]:
        return await read_until_failure(self.deltas(question), errors.APIError)

    async def cancel(self, question: Question) -> dict[str, Any]:
        return await cancel_at_first(self.deltas(question))


class SyncGemini(Gemini):
    async def cancel(self, question: Question) -> dict[str, Any]:
        stream = self.models.generate_content_stream(model=question.model, contents=question.prompt)
        for chunk in stream:
            if chunk.text:
                stream.close()
                return {"text": chunk.text}
        return {}


if __name__ == "__main__":
    options = types.HttpOptions(base_url=sys.argv[1], retry_options=types.HttpRetryOptions(attempts=1))
    client = genai.Client(api_key="any", http_options=options)
    serve({"google-genai": SyncGemini(client.models), "google-genai, async": Gemini(client.aio.models)})
