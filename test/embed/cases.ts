// The cases of the conformance suite, as JSON values: what a program asks, and how the provider behaves. `{server}` is the
// address of a simulated provider that plays the script, `{closed}` one where nothing listens.

import type { Fault } from '../../src/testing/model/fault.ts';
import type { JsonSchema } from '../../src/heal/index.ts';
import { flagExamples } from '../support/heal-examples.ts';

export interface HealCase {
  readonly name: string;
  readonly text: string;
  readonly schema?: JsonSchema;
  readonly options?: object;
}

export interface ClientCase {
  readonly name: string;
  readonly options: object;
  readonly input: unknown;
  readonly model?: string;
  readonly mode: 'complete' | 'stream' | 'partials';
  readonly replies?: readonly object[];
}

export const healCases: readonly HealCase[] = flagExamples.flatMap(({ flag, text, schema, early }) => {
  if (early === true) return [];
  const given = schema === undefined ? {} : { schema };
  return [
    { name: flag, text, ...given },
    { name: `${flag}, strict`, text, ...given, options: { strict: true } },
    { name: `${flag}, everything`, text, ...given, options: { minConfidence: 0, locate: true } },
    { name: `${flag}, first half`, text: text.slice(0, text.length / 2), ...given },
  ];
});

const vendors = [
  { provider: 'openai', apiKey: 'sk-test', baseUrl: '{server}/v1' },
  { provider: 'anthropic', apiKey: 'sk-test', baseUrl: '{server}' },
] as const;

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['name', 'age'],
};

const weather = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const inputs: Readonly<Record<string, unknown>> = {
  'a text': 'Count to 5',
  messages: [
    { role: 'system', content: 'Be short.' },
    { role: 'user', content: 'Hello' },
  ],
  'a request': { messages: 'Hello', maxTokens: 50, temperature: 0.5, stop: ['x'] },
  tools: { messages: 'What is the weather in Lisbon?', tools: [weather] },
  schema: { messages: 'A person', schema: person },
  'odd text': 'Ünïcode \u0000 \u{1F600} and "quotes"',
  'no messages': { messages: [] },
  'an unknown field': { messages: 'Hello', temprature: 1 },
  'a wrong schema': { messages: 'Hello', schema: { type: 'nothing' } },
};

const modes = ['complete', 'stream'] as const;

const usual: readonly ClientCase[] = vendors.flatMap((options) =>
  Object.entries(inputs).flatMap(([what, input]) =>
    modes.map((mode) => ({ name: `${options.provider}, ${what}, ${mode}`, options, input, model: 'm', mode })),
  ),
);

const text = '{"name": "Ada", "age": 36, "tags": ["a", "b"]}';
const damagedTexts = [
  text,
  "{'name': 'Ada', 'age': '36'}",
  'Sure!\n```json\n{"name": "Ada", "age": 36,}\n```',
  '{"name": "Ada", "age": 36, "tags": ["a", "b',
  '{name: Ada, age: thirty-six}',
  'I cannot do that.',
];

const typed: readonly ClientCase[] = vendors.flatMap((options) =>
  damagedTexts.flatMap((answer, index) =>
    (['complete', 'stream', 'partials'] as const).map((mode) => ({
      name: `${options.provider}, typed answer ${index}, ${mode}`,
      options,
      input: { messages: 'A person', schema: person },
      model: 'm',
      mode,
      replies: [{ text: answer }],
    })),
  ),
);

const faults: Readonly<Record<string, Fault>> = {
  'status 400': { status: 400, message: 'wrong field' },
  'status 401': { status: 401 },
  'status 404': { status: 404 },
  'status 429': { status: 429, retryAfter: '0' },
  'status 500': { status: 500 },
  'status 529': { status: 529 },
  'an error event': { errorAfterEvents: 3, message: 'fell over' },
  'a cut body': { cutAtByte: 150 },
  'an early end': { endAtByte: 150 },
  'a reset': { reset: true },
  garbage: { garbage: 100 },
  'malformed events': { malformedSse: true },
  'small chunks': { chunkSize: 1 },
  gzip: { gzip: true },
  'no usage': { omitUsage: true },
  'no end': { omitDone: true },
  'another content type': { contentType: 'text/html' },
};

const faulty: readonly ClientCase[] = vendors.flatMap((vendor) =>
  Object.entries(faults).flatMap(([what, fault]) =>
    modes.flatMap((mode) =>
      [false, { maxAttempts: 3, baseDelay: 1, maxDelay: 2 }].map((retry) => ({
        name: `${vendor.provider}, ${what}, ${mode}, ${retry === false ? 'once' : 'with retries'}`,
        options: { ...vendor, retry },
        input: 'Hello',
        model: 'm',
        mode,
        // The second attempt succeeds.
        replies: [{ fault, text: 'First' }, { text: 'Second' }],
      })),
    ),
  ),
);

const routed: readonly ClientCase[] = modes.flatMap((mode) => [
  { name: `the simulated model, ${mode}`, options: { provider: 'simulated' }, input: 'Count to 3', mode },
  { name: `an unknown provider, ${mode}`, options: { provider: 'opnai' }, input: 'Hello', mode },
  { name: `an unknown option, ${mode}`, options: { provider: 'openai', apiKye: 'x' }, input: 'Hello', mode },
  {
    name: `a refused connection, ${mode}`,
    options: { ...vendors[0], baseUrl: '{closed}/v1', retry: false },
    input: 'Hello',
    model: 'm',
    mode,
  },
  {
    name: `a wrong address, ${mode}`,
    options: { ...vendors[0], baseUrl: 'ftp://x' },
    input: 'Hello',
    model: 'm',
    mode,
  },
  { name: `no key, ${mode}`, options: { provider: 'openai' }, input: 'Hello', model: 'm', mode },
]);

export const clientCases: readonly ClientCase[] = [...usual, ...typed, ...faulty, ...routed];
