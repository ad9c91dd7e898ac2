// The cases of the table of clients. Each has the prompt for the simulated model, and checks what the client saw and what
// arrived at the provider. The programs that use the clients contain no checks.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

import { parseScript } from '../../../src/testing/model/script.ts';
import { clientScript, pixel, type Upstream } from '../gateway-stack.ts';
import type { ArrivedRequest } from './arrived.ts';

export interface Cell {
  readonly upstream: Upstream;
  readonly seen: Readonly<Record<string, unknown>>;
  /** The calls of the model in this cell, in order. Read again at each use. */
  readonly arrived: () => readonly ArrivedRequest[];
}

export interface ClientCase {
  readonly name: string;
  readonly prompt: string | ((upstream: Upstream) => string);
  readonly check: (cell: Cell) => void | Promise<void>;
}

const claude = 'anthropic.claude-sonnet-4-6';

/**
 * Upstreams in place of those that return no reasoning: OpenAI's chat API has none, but OpenRouter speaks the same wire and
 * does; on Bedrock it depends on the family of the model.
 */
export const reasoningUpstreams: readonly Upstream[] = [
  { name: 'openrouter', model: 'openrouter/simulated', path: '/v1/chat/completions' },
  { name: 'bedrock', model: `bedrock/${claude}`, path: `/model/${claude}/converse` },
];

const inOrder = 'both in order';
/** Upstreams whose bytes pass to clients of the same wire. */
const passing = new Set(['openai', 'openai-responses', 'anthropic', 'bedrock-anthropic']);
const calls = [
  { name: 'get_weather', input: { city: 'Paris, the capital of France' } },
  { name: 'get_time', input: { zone: 'Europe/Paris, also called CET' } },
];

/** The script of the tests of clients, with what only this table needs. */
export const tableScript = parseScript({
  otherwise: 'reply',
  replies: [
    { match: { contains: inOrder, lastRole: 'user' }, toolCalls: calls },
    // Long enough for what breaks a silence.
    { match: 'Count to 3', text: '1, 2, 3', fault: { stallAtByte: 200, stallMs: 100 } },
    { match: 'hold the line', text: 'one two three '.repeat(60), fault: { stallAtByte: 6000 } },
    ...clientScript.replies,
  ],
});

/** What a client may see. Statuses of servers that fail pass unchanged if the provider speaks the client's format. */
const statuses: Readonly<Record<string, readonly number[]>> = {
  400: [400],
  401: [401],
  403: [403],
  404: [404],
  429: [429],
  500: [500, 502],
  503: [503],
  529: [503, 529],
};

export const clientCases: readonly ClientCase[] = [
  {
    name: 'text',
    prompt: 'Count to 3',
    check({ seen, arrived, upstream }) {
      assert.equal(seen['text'], '1, 2, 3');
      checkUsage(seen);
      assert.deepEqual(
        // Some clients always stream.
        arrived().map(({ path }) => path.replace(/-stream$|-with-response-stream$/, '').replace(':streamG', ':g')),
        [upstream.path],
      );
    },
  },
  {
    name: 'stream',
    prompt: 'Count to 3',
    check({ seen }) {
      const deltas = seen['deltas'] as string[];
      assert.equal(deltas.join(''), '1, 2, 3');
      assert.ok(deltas.filter((delta) => delta !== '').length > 1, `${deltas.length} deltas`);
      checkUsage(seen);
    },
  },
  {
    name: 'two tools',
    prompt: 'both, please',
    check({ seen, arrived }) {
      checkCalls(seen);
      assertAnswered(seen, 'get_weather', '21 °C');
      assertAnswered(seen, 'get_time', 'noon');
      const [first, second] = arrived();
      checkTools(first);
      const results = second?.results ?? [];
      // Google's clients may leave them out; the order tells which call a result belongs to.
      if (seen['omitsIds'] !== true) {
        assert.deepEqual(
          results.map(({ id }) => id),
          ['call_1', 'call_2'],
        );
      }
      // Some clients send results as JSON.
      assert.match(results.map(({ content }) => content).join(' '), /21 (?:°|\\+u00b0)C.*noon/u);
    },
  },
  {
    name: 'strict streamed tools',
    // The streaming helpers read one call at a time, and bytes that pass keep the order of the provider.
    prompt: ({ name }) => (passing.has(name) ? inOrder : 'both, please'),
    check({ seen, arrived }) {
      checkCalls(seen);
      const [first] = arrived();
      checkTools(first);
      assert.deepEqual(
        first?.tools.map(({ strict }) => strict),
        [true, true],
      );
    },
  },
  {
    name: 'structured',
    prompt: 'Invent a person',
    check({ seen, arrived }) {
      // Null if the client cannot stream values.
      const streamed = seen['streamed'] === null ? [] : [seen['streamed']];
      for (const value of [seen['value'], ...streamed]) {
        const { name, age } = value as { name: unknown; age: unknown };
        assert.deepEqual([typeof name, Number.isInteger(age)], ['string', true]);
      }
      for (const { schema, tools } of arrived()) {
        const properties = (schema ?? tools[0]?.schema)?.['properties'] as Record<string, unknown> | undefined;
        // Some clients write them in alphabetical order.
        const names = seen['sorted'] === true ? ['age', 'name'] : ['name', 'age'];
        assert.deepEqual(Object.keys(properties ?? {}), names);
      }
    },
  },
  {
    name: 'image',
    prompt: 'What is this?',
    check({ seen, arrived }) {
      assert.match(String(seen['text']), /You attached 1: image \(image\/png\)/u);
      // Some clients encode the image again.
      const { image = pixel } = seen as { image?: string };
      assert.ok(arrived()[0]?.body.includes(image), 'the bytes of the image arrive');
    },
  },
  {
    name: 'reasoning',
    prompt: 'What is the weather in Paris?',
    check({ seen, arrived }) {
      const [first, second] = arrived();
      assert.notEqual(seen['reasoning'], '');
      assertAnswered(seen, 'get_weather', '21 °C');
      assert.deepEqual(first?.reasoning, []);
      const [returned, ...more] = second?.reasoning ?? [];
      assert.deepEqual(more, []);
      assert.equal(returned?.text, seen['reasoning']);
      assert.match(String(returned?.seal), /^(?:simulated-|rs_)/u);
    },
  },
  {
    name: 'error',
    prompt: 'status',
    check({ seen }) {
      const received = seen['statuses'] as Record<string, number>;
      assert.deepEqual(Object.keys(received), Object.keys(statuses));
      for (const [status, expected] of Object.entries(statuses))
        assert.ok(expected.includes(received[status] ?? 0), status);
    },
  },
  {
    name: 'broken stream',
    prompt: 'break in the middle',
    check({ seen }) {
      assert.match(String(seen['text']), /^one/u);
      assert.equal(seen['failed'], true);
    },
  },
  {
    name: 'cancel',
    prompt: 'hold the line',
    async check({ seen, arrived }) {
      assert.match(String(seen['text']), /^one/u);
      // Less than the gateway waits for a provider that is silent.
      for (let waited = 0; arrived()[0]?.disconnected !== true; waited += 10) {
        assert.ok(waited < 30_000, 'the connection to the provider is still open');
        await sleep(10);
      }
    },
  },
];

/** Clients of Google's API may wrap a result in an object. */
function assertAnswered({ text }: Cell['seen'], tool: string, result: string): void {
  const escaped = JSON.stringify(result).replace('°', String.raw`\u00b0`);
  const answers = [result, JSON.stringify({ result }), escaped].map((content) => `${tool} answered: ${content}`);
  assert.ok(
    answers.some((answer) => String(text).includes(answer)),
    String(text),
  );
}

function checkUsage({ usage }: Cell['seen']): void {
  // The client does not show it.
  if (usage === null) return;
  const [input, output] = usage as [number, number];
  assert.ok(input > 0 && output > 0, `${input} and ${output} tokens`);
}

function checkCalls({ calls: received }: Cell['seen']): void {
  assert.deepEqual(
    received,
    calls.map(({ name, input }) => [name, input]),
  );
}

function checkTools(request: ArrivedRequest | undefined): void {
  const properties = { 'get_weather': 'city', 'get_time': 'zone' };
  assert.deepEqual(
    // Some clients sort them.
    request?.tools.map(({ name }) => String(name)).toSorted(),
    Object.keys(properties).toSorted(),
  );
  for (const { name, schema } of request?.tools ?? []) {
    const property = properties[name as keyof typeof properties];
    const { type } = (schema['properties'] as Record<string, { type?: unknown }>)[property] ?? {};
    assert.deepEqual([type, schema['required']], ['string', [property]]);
  }
}
