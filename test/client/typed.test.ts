// Typed responses end to end: the client, over real HTTP on both wires, against a model that damages its JSON in every
// known way. The value is the intended one, streamed or not, and the changes are reported.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import type { Client } from '../../src/client/client.ts';
import type { ClientOptions } from '../../src/client/options.ts';
import { SimpleAgentsError } from '../../src/core/error.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import type { JsonSchema } from '../../src/core/json.ts';
import type { ToolDefinition } from '../../src/core/request.ts';
import { HealError, type PartialOf } from '../../src/heal/index.ts';
import { damageKinds, type DamageKind } from '../../src/testing/damage/damage.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { sample } from '../support/enumeration.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { createClient } from '../../src/node.ts';

const character = z.object({
  name: z.string(),
  age: z.int().min(0).max(120),
  isKind: z.boolean(),
  nickname: z.string().nullable(),
  abilities: z.array(z.object({ title: z.string(), level: z.int() })),
});
type Character = z.infer<typeof character>;

const prompt = 'Invent a character called "Ada Lovelace"';

const folder = temporaryFolder();
let server: SimulateServer;
before(async () => {
  server = await createSimulateServer();
});
after(() => server.close());

const wires = {
  openai: (options: Partial<ClientOptions> = {}) =>
    createClient({ provider: 'openai', apiKey: 'any', baseUrl: `${server.url}/v1`, ...options }),
  anthropic: (options: Partial<ClientOptions> = {}) =>
    createClient({ provider: 'anthropic', apiKey: 'any', baseUrl: server.url, ...options }),
};

function damagedBy(damage: DamageKind): Partial<ClientOptions> {
  return { headers: { 'x-simulate-fault': JSON.stringify({ damage }) } };
}

/** Removes the line breaks that one kind of damage inserts into text. */
function unbroken<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll('\\n"', '"').replaceAll('\\n', ' ')) as T;
}

/** Damage that changes the value: it cuts off a part, inserts text, or adds a value or a member. */
const changing = /^truncated|escape|^raw-tab$|^line-continuation$|^smaller-value|^extra-key$/;

/** Damage that says something twice, and means the second. */
const correcting = /^(first-attempt-before|key-again-in-other-case|duplicate-key)$/;

const keeping = sample(
  damageKinds.filter((kind) => !changing.test(kind)),
  4,
);

for (const [wire, connect] of Object.entries(wires)) {
  describe(`a typed response over ${wire}`, () => {
    let meant: Character;
    before(async () => {
      ({ value: meant } = await connect().complete({ messages: prompt, schema: character }));
    });

    test('without damage is unchanged', async () => {
      const { value, flags, confidence, text } = await connect().complete({ messages: prompt, schema: character });
      assert.deepEqual(value, meant);
      assert.deepEqual(flags, []);
      assert.equal(confidence, 1);
      assert.deepEqual(JSON.parse(text), value);
    });

    for (const damage of keeping) {
      test(`with ${damage} is healed, plain and streamed`, async () => {
        const client = connect(damagedBy(damage));
        const { value, confidence } = await client.complete({ messages: prompt, schema: character });
        assert.deepEqual(unbroken(value), meant);
        assert.ok(confidence >= 0.7);
        const stream = client.stream({ messages: prompt, schema: character });
        let last: PartialOf<typeof character> | undefined;
        for await (const partial of stream.partials({ monotone: !correcting.test(damage) })) last = partial;
        const final = await stream.final();
        assert.deepEqual(final.value, value);
        assert.deepEqual(last, value);
      });
    }

    test('that is cut off is rejected or flagged, never taken for complete', async () => {
      const client = connect(damagedBy('truncated'));
      const outcome = await client.complete({ messages: prompt, schema: character }).catch((error: unknown) => error);
      if (outcome instanceof SimpleAgentsError) assert.equal(outcome.kind, 'healing');
      else assert.ok((outcome as { flags: { kind: string }[] }).flags.some(({ kind }) => kind === 'closed-truncated'));
    });
  });
}

describe('partials', () => {
  test('only grow: values stay, texts get longer, items are added', async () => {
    const client = wires.openai(damagedBy('fence'));
    let earlier: PartialOf<typeof character> = {};
    let count = 0;
    for await (const partial of client.stream({ messages: prompt, schema: character }).partials()) {
      assertGrown(earlier, partial, '');
      earlier = partial;
      count += 1;
    }
    assert.ok(count > 5, `${count} partial values`);
  });

  test('throw at the end if the final value contradicts them, and the final value is still there', async () => {
    for (const damage of ['first-attempt-before', 'key-again-in-other-case', 'duplicate-key'] as const) {
      const stream = wires.openai(damagedBy(damage)).stream({ messages: prompt, schema: character });
      let earlier: PartialOf<typeof character> = {};
      await assert.rejects(
        async () => {
          for await (const partial of stream.partials()) {
            assertGrown(earlier, partial, '');
            earlier = partial;
          }
        },
        (error) => {
          assert.ok(error instanceof SimpleAgentsError && error.kind === 'healing', String(error));
          assert.match(
            error.message,
            /^[\w.[\]]+: the final value contradicts a partial value; use the value of final\(\)/,
          );
          assert.equal((error.value as Character).name, 'Ada Lovelace');
          return true;
        },
      );
      const { value, flags } = await stream.final();
      assert.equal(value.name, 'Ada Lovelace');
      assert.ok(flags.length > 0);
    }
  });

  test('correct themselves on request', async () => {
    const stream = scripted({ text: '{"a": "first"} No: {"a": "second"}' }).stream({
      messages: prompt,
      schema: z.object({ a: z.string() }),
    });
    const seen: unknown[] = [];
    for await (const { a } of stream.partials({ monotone: false })) seen.push(a);
    assert.ok(seen.includes('first'));
    assert.equal(seen.at(-1), 'second');
  });

  test('may end with a value that the schema library has transformed', async () => {
    const schema = z.object({ a: z.string().transform((text) => text.length) });
    const seen: unknown[] = [];
    for await (const partial of scripted({ json: { a: 'abc' } })
      .stream({ messages: prompt, schema })
      .partials()) {
      seen.push(partial);
    }
    assert.deepEqual(seen.at(-1), { a: 3 });
  });

  test('throw at the end if there is no value', async () => {
    const client = scripted({ text: 'I would rather not say.' });
    await assert.rejects(async () => {
      for await (const _partial of client.stream({ messages: prompt, schema: character }).partials());
    }, isHealingError());
  });

  test('can be read while the events are read', async () => {
    const stream = scripted({ json: { name: 'Ada', age: 36 } }).stream({
      messages: prompt,
      schema: z.object({ name: z.string(), age: z.int() }),
    });
    const seen: unknown[] = [];
    for await (const event of stream) if (event.type === 'text-delta') seen.push(stream.partialValue);
    assert.deepEqual(seen.at(-1), { name: 'Ada', age: 36 });
    assert.equal((await stream.final()).value.age, 36);
  });
});

function assertGrown(earlier: unknown, now: unknown, path: string): void {
  if (typeof earlier === 'string') assert.ok(String(now).startsWith(earlier), `${path}: ${earlier} → ${String(now)}`);
  else if (typeof earlier === 'object' && earlier !== null) {
    for (const [key, value] of Object.entries(earlier))
      assertGrown(value, (now as Record<string, unknown>)[key], `${path}.${key}`);
  } else assert.equal(now, earlier, path);
}

/** A client of the simulated server with these replies. */
function scripted(...replies: ScriptedReply[]): Client {
  server.playScript({ replies });
  return wires.openai();
}

function isHealingError(details: Partial<Record<keyof SimpleAgentsError, unknown>> = {}) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof SimpleAgentsError, String(error));
    assert.equal(error.kind, 'healing');
    assert.ok(error.cause instanceof HealError);
    for (const [name, value] of Object.entries(details))
      assert.deepEqual(error[name as keyof SimpleAgentsError], value, name);
    return true;
  };
}

describe('a response without a usable value', () => {
  const simple = z.object({ name: z.string(), age: z.int() });

  test('is an error with text, value, flags and confidence', async () => {
    const answer = scripted({ text: '{"name": "Ada"}' }).complete({ messages: prompt, schema: simple });
    await assert.rejects(
      answer,
      isHealingError({
        message: 'age: required, but missing from the text',
        text: '{"name": "Ada"}',
        value: { name: 'Ada' },
        flags: [],
        confidence: 0,
        field: 'age',
        target: 'openai',
      }),
    );
  });

  test('is an error if its confidence is too low', async () => {
    const ask = { messages: prompt, schema: simple, healing: { minConfidence: 0.999 } } as const;
    await assert.rejects(scripted({ text: '{"name": "Ada", "age": "36"}' }).complete(ask), (error) => {
      isHealingError({ value: { name: 'Ada', age: 36 } })(error);
      const { flags = [], confidence = 0 } = error as SimpleAgentsError;
      assert.deepEqual(
        flags.map(({ kind }) => kind),
        ['type-coercion'],
      );
      return confidence > 0.7 && confidence < 0.999;
    });
  });

  test('is an error if strict is set and anything had to be changed', async () => {
    const ask = { messages: prompt, schema: simple, healing: { strict: true } } as const;
    await assert.rejects(scripted({ text: '{"name":"Ada","age":36,}' }).complete(ask), isHealingError());
    await assert.rejects(
      scripted({ text: '{"name":"Ada","age":36,}' }).complete({ ...ask, healing: { enabled: false } }),
      isHealingError(),
    );
  });

  test('follows the settings of a configuration file', async () => {
    const answer = '{"name":"Ada","age":36,}';
    folder.write('replies.json', JSON.stringify({ replies: [{ text: answer, times: 3 }] }));
    const simulated = '[[providers]]\ntype = "simulated"\nscript = "replies.json"\n';
    const config = folder.write('strict.toml', `${simulated}[healing]\nstrict_mode = true`);
    const client = createClient({ config, provider: 'simulated' });
    await assert.rejects(client.complete({ messages: prompt, schema: simple }), isHealingError());
    const lenient = createClient({ config, provider: 'simulated', healing: { strict: false } });
    assert.equal((await lenient.complete({ messages: prompt, schema: simple })).value.age, 36);
    const ask = { messages: prompt, schema: simple, healing: { strict: false } };
    assert.equal((await client.complete(ask)).value.age, 36);
  });

  test('is an error if a custom check of the schema fails, with its message', async () => {
    const schema = simple.refine(({ age }) => age < 30, { message: 'too old', path: ['age'] });
    const answer = scripted({ json: { name: 'Ada', age: 36 } }).complete({ messages: prompt, schema });
    await assert.rejects(answer, isHealingError({ message: 'age: too old', value: { name: 'Ada', age: 36 } }));
  });

  test('is an error if the model refuses', async () => {
    const answer = scripted({ text: 'No.', stopReason: 'refusal' }).complete({ messages: prompt, schema: simple });
    await assert.rejects(answer, isHealingError({ message: 'the model refused to answer', text: 'No.' }));
  });

  test('is an error if it was cut off, with the reason', async () => {
    const reply = { text: '{"name": "Ada', stopReason: 'length' } as const;
    const answer = scripted(reply).complete({ messages: prompt, schema: simple });
    await assert.rejects(
      answer,
      isHealingError({
        message: 'age: required, but missing from the text (the response was cut off at its token limit)',
      }),
    );
  });

  test('fails the stream, after all events of the model', async () => {
    const stream = scripted({ text: 'No.' }).stream({ messages: prompt, schema: simple });
    const events: StreamEvent[] = [];
    await assert.rejects(async () => {
      for await (const event of stream) events.push(event);
    }, isHealingError());
    assert.equal(events.at(-1)?.type, 'message-end');
    await assert.rejects(stream.final(), isHealingError());
  });
});

describe('repair', () => {
  const schema = z.object({ name: z.string(), age: z.int() });
  const replies: ScriptedReply[] = [
    { text: '{"name": "Ada"}', usage: { input: 10, output: 5 } },
    { text: 'Age: unknown', usage: { input: 20, output: 5 } },
    { text: '{"name": "Ada", "age": 36}', usage: { input: 40, output: 5 } },
  ];

  for (const [wire, connect] of Object.entries(wires)) {
    test(`calls the model again with the response and the error, over ${wire}`, async () => {
      server.playScript({ replies });
      const seen = server.requests.length;
      const client = connect({ healing: { repair: 3 } });
      const { value, usage, notices } = await client.complete({ messages: prompt, schema });
      assert.deepEqual(value, { name: 'Ada', age: 36 });
      // Anthropic's format always has the counts of the prompt cache.
      const cached = wire === 'anthropic' ? { cacheRead: 0, cacheWrite: 0 } : {};
      assert.deepEqual(usage, { input: 70, output: 15, ...cached });
      assert.deepEqual(
        notices.map(({ kind }) => kind),
        ['repair', 'repair'],
      );
      const turns = server.requests.slice(seen).map(({ body }) => (body as { messages: unknown[] }).messages);
      assert.deepEqual(
        turns.map((messages) => messages.length),
        [1, 3, 5],
      );
      const words = JSON.stringify(turns.at(-1));
      assert.ok(words.includes('age: required, but missing from the text'));
      assert.ok(words.includes('Age: unknown'));
    });
  }

  test('is off by default', async () => {
    const seen = server.requests.length;
    await assert.rejects(scripted(...replies).complete({ messages: prompt, schema }), isHealingError());
    assert.equal(server.requests.length - seen, 1);
  });

  test('ends after the configured number of attempts', async () => {
    const seen = server.requests.length;
    const ask = { messages: prompt, schema, healing: { repair: 1 } };
    await assert.rejects(scripted(...replies).complete(ask), isHealingError({ text: 'Age: unknown' }));
    assert.equal(server.requests.length - seen, 2);
  });

  test('is not tried if the model refuses', async () => {
    const ask = { messages: prompt, schema, healing: { repair: 5 } };
    await assert.rejects(scripted({ text: 'No.', stopReason: 'refusal' }).complete(ask), isHealingError());
  });

  test('keeps partial values growing, or throws if the next response contradicts them', async () => {
    const seen: unknown[] = [];
    const read = async (...texts: string[]) => {
      seen.length = 0;
      const stream = scripted(...texts.map((text) => ({ text }))).stream({
        messages: prompt,
        schema,
        healing: { repair: 2 },
      });
      for await (const { name } of stream.partials()) if (name !== seen.at(-1)) seen.push(name);
    };
    await read('{"name": "Ada"}', '{"name": "Ada Lovelace", "age": 36}');
    assert.deepEqual([...new Set(seen)].slice(-2), ['Ada', 'Ada Lovelace']);
    await assert.rejects(read('{"name": "Ada"}', '{"name": "Eva", "age": 36}'), /name: the final value contradicts/);
    assert.equal(seen.at(-1), 'Ada');
    await read('No value.', '{"name": "Eva", "age": 36}');
    assert.equal(seen.at(-1), 'Eva');
  });

  test('is reported in the stream, and the next response follows', async () => {
    const stream = scripted(...replies).stream({ messages: prompt, schema, healing: { repair: 2 } });
    const types: string[] = [];
    for await (const event of stream) {
      if (['message-start', 'message-end', 'notice'].includes(event.type)) types.push(event.type);
    }
    const answer = ['message-start', 'message-end'];
    assert.deepEqual(types, [...answer, 'notice', ...answer, 'notice', ...answer]);
    assert.equal((await stream.final()).value.age, 36);
  });
});

describe('tools with a schema', () => {
  const weather: ToolDefinition = {
    name: 'get_weather',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  };
  const schema = z.object({ summary: z.string() });

  test('leave the value undefined while the model calls them', async () => {
    const client = scripted(
      { toolCalls: [{ name: 'get_weather', input: { city: 'Rome' } }] },
      { json: { summary: 'Sun' } },
    );
    const first = await client.complete({ messages: 'How is it in Rome?', tools: [weather], schema });
    assert.equal(first.value, undefined);
    assert.equal(first.toolCalls[0]?.name, 'get_weather');
    const second = await client.complete({ messages: 'And now?', tools: [weather], schema });
    assert.deepEqual(second.value, { summary: 'Sun' });
  });

  for (const [wire, connect] of Object.entries(wires)) {
    for (const damage of keeping) {
      test(`arguments with ${damage} are healed over ${wire}`, async () => {
        server.playScript(undefined);
        const ask = { messages: 'What is the weather in Paris?', tools: [weather] };
        const { toolCalls } = await connect(damagedBy(damage)).stream(ask).final();
        assert.equal(toolCalls[0]?.error, undefined);
        assert.deepEqual(unbroken(toolCalls[0]?.input), { city: 'Paris' });
      });
    }

    test(`arguments cut off by the length limit are dropped over ${wire}`, async () => {
      server.playScript({
        replies: [{ toolCalls: [{ name: 'get_weather', rawInput: '{"city": "Par' }], stopReason: 'length' }],
      });
      const { toolCalls, message } = await connect()
        .stream({ messages: 'Weather', tools: [weather] })
        .final();
      assert.deepEqual(toolCalls, []);
      assert.equal(message.dropped[0]?.raw, '{"city": "Par');
    });
  }
});

function lastBody(): Record<string, JsonSchema> {
  return server.requests.at(-1)?.body as Record<string, JsonSchema>;
}

describe('the schema is sent', () => {
  test('without annotations for healing, in the format of each vendor', async () => {
    const schema = z.object({ name: z.string().meta({ 'x-alias': ['title'] }) });
    const expected = {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    };
    server.playScript({ replies: [{ json: { name: 'a' } }], otherwise: 'reply' });
    await wires.openai().complete({ messages: prompt, schema });
    assert.deepEqual(lastBody()['response_format'], {
      type: 'json_schema',
      json_schema: { name: 'response', schema: expected, strict: true },
    });
    await wires.anthropic().complete({ messages: prompt, schema });
    assert.deepEqual(lastBody()['output_config'], { format: { type: 'json_schema', schema: expected } });
  });

  test('as a tool if the vendor has no structured output, with the same result', async () => {
    server.playScript(undefined);
    const client = createClient({ provider: 'deepseek', apiKey: 'any', baseUrl: `${server.url}/v1` });
    const { value, text, toolCalls, stopReason } = await client.complete({ messages: prompt, schema: character });
    assert.equal(value.name, 'Ada Lovelace');
    assert.deepEqual(JSON.parse(text), value);
    assert.deepEqual(toolCalls, []);
    assert.equal(stopReason, 'end');
    assert.equal(lastBody()['response_format'], undefined);
    assert.deepEqual(lastBody()['tool_choice'], { type: 'function', function: { name: 'respond' } });
  });

  test('as an instruction for a list, which no vendor supports as structured output', async () => {
    const answer = await scripted({ text: 'Here: ["a", "b",]' }).complete({
      messages: prompt,
      schema: z.array(z.string()),
    });
    assert.deepEqual(answer.value, ['a', 'b']);
    assert.equal(lastBody()['response_format'], undefined);
    assert.match(JSON.stringify(lastBody()['messages']), /JSON Schema/);
  });

  test('never if it cannot be used', async () => {
    const seen = server.requests.length;
    const schema = { type: 'object', properties: { a: { type: 'strnig' } } };
    await assert.rejects(wires.openai().complete({ messages: prompt, schema }), {
      kind: 'bad-request',
      field: 'schema',
    });
    assert.equal(server.requests.length, seen);
  });
});
