"""Measures one library in one scenario: `measure.py LIBRARY SCENARIO ADDRESS`. Prints one line of JSON.

Times begin before the import. Every library does the same work against the same server.
"""

import time

BEGIN = time.perf_counter(), time.process_time()

import json  # noqa: E402
import sys  # noqa: E402

KEY = "sk-test"
MODEL = "gpt-4o"
CONCURRENT = 100
TEXT = '```json\n{name: "Ada", "age": "36", tags: ["a", "b",], "notes": "' + "long text " * 90 + '"'


class SimpleAgents:
    def __init__(self, address):
        from simple_agents import SimpleAgentsClient

        self.client = SimpleAgentsClient("openai", KEY, base_url=address, model=MODEL)

    def complete(self, prompt):
        return self.client.complete(prompt)

    def stream(self, prompt):
        return self.client.stream(prompt)

    async def astream(self, prompt):
        async for piece in self.client.astream(prompt):
            yield piece


class OpenAi:
    def __init__(self, address):
        import openai

        self.client = openai.OpenAI(api_key=KEY, base_url=address)
        self.make_async = lambda: openai.AsyncOpenAI(api_key=KEY, base_url=address)
        self.async_client = None

    def complete(self, prompt):
        return self.client.chat.completions.create(model=MODEL, messages=_messages(prompt)).choices[0].message.content

    def stream(self, prompt):
        return _texts(self.client.chat.completions.create(model=MODEL, messages=_messages(prompt), stream=True))

    async def astream(self, prompt):
        self.async_client = self.async_client or self.make_async()
        create = self.async_client.chat.completions.create
        async for chunk in await create(model=MODEL, messages=_messages(prompt), stream=True):
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content


class LiteLlm:
    def __init__(self, address):
        import litellm

        self.litellm = litellm
        self.options = {"model": f"openai/{MODEL}", "api_key": KEY, "api_base": address}

    def complete(self, prompt):
        return self.litellm.completion(messages=_messages(prompt), **self.options).choices[0].message.content

    def stream(self, prompt):
        return _texts(self.litellm.completion(messages=_messages(prompt), stream=True, **self.options))

    async def astream(self, prompt):
        async for chunk in await self.litellm.acompletion(messages=_messages(prompt), stream=True, **self.options):
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content


LIBRARIES = {"simple_agents": SimpleAgents, "openai": OpenAi, "litellm": LiteLlm}


def measure_first(library):
    assert library.complete("Count to 5") == _numbers(5)
    return {**_since(BEGIN), "rss": _memory()}


def measure_pieces(library):
    list(library.stream("Count to 10"))
    begin = _now()
    count = sum(1 for _ in library.stream("Count to 1000"))
    return {**_since(begin), "pieces": count}


def measure_threads(library):
    from concurrent.futures import ThreadPoolExecutor

    library.complete("Hello")
    begin = _now()
    with ThreadPoolExecutor(CONCURRENT) as pool:
        texts = list(pool.map(lambda _: "".join(library.stream("Count to 50")), range(CONCURRENT)))
    assert texts == [_numbers(50)] * CONCURRENT
    return {**_since(begin), "rss": _memory()}


def measure_asyncio(library):
    import asyncio

    async def read():
        return "".join([piece async for piece in library.astream("Count to 50")])

    async def main():
        await read()
        begin = _now()
        assert await asyncio.gather(*(read() for _ in range(CONCURRENT))) == [_numbers(50)] * CONCURRENT
        return {**_since(begin), "rss": _memory()}

    return asyncio.run(main())


def measure_healing(name):
    import pydantic

    class Person(pydantic.BaseModel):
        name: str
        age: int
        tags: list
        notes: str

    if name == "simple_agents":
        from simple_agents import heal

        work = lambda: heal(TEXT, Person).value  # noqa: E731
    else:
        import json_repair

        work = lambda: Person.model_validate(json_repair.loads(TEXT))  # noqa: E731
    assert work().age == 36
    begin = _now()
    for _ in range(200):
        work()
    return {**_since(begin), "pieces": 200}


def _messages(prompt):
    return [{"role": "user", "content": prompt}]


def _texts(chunks):
    for chunk in chunks:
        if chunk.choices and chunk.choices[0].delta.content:
            yield chunk.choices[0].delta.content


def _numbers(limit):
    return ", ".join(str(number) for number in range(1, limit + 1))


def _now():
    return time.perf_counter(), time.process_time()


def _since(begin):
    wall, cpu = _now()
    return {"wall": (wall - begin[0]) * 1e3, "cpu": (cpu - begin[1]) * 1e3}


def _memory():
    """Megabytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) / 1e3 for line in status if line.startswith("VmRSS"))


def main():
    name, scenario, address = sys.argv[1:]
    if scenario == "healing":
        print(json.dumps(measure_healing(name)))
    else:
        print(json.dumps(globals()[f"measure_{scenario}"](LIBRARIES[name](address))))


main()
