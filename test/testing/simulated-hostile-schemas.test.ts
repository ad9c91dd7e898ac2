// The simulated model with excessive schemas: a bounded value or a clear error, embedded and over HTTP.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { SimpleAgentsError } from '../../src/core/error.ts';
import type { JsonSchema } from '../../src/core/json.ts';
import { text } from '../../src/core/message.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { createRandom } from '../../src/testing/model/random.ts';
import { mostCharacters, mostValues, SampleBudget } from '../../src/testing/sample/sample-budget.ts';
import { sampleValue } from '../../src/testing/sample/sample.ts';
import { schemaSizeProblem } from '../../src/testing/sample/schema-limit.ts';
import { createServer } from '../../src/server/server.ts';
import { sample } from '../support/enumeration.ts';
import { startSimulated } from '../support/gateway-server.ts';
import { hostileConstraints, type HostileConstraint } from '../support/simulated-hostile-schemas.ts';
import { never } from '../support/upstream.ts';
import { createGateway } from '../../src/node.ts';

const said = [{ role: 'user', content: [text('Call the tool named fill')] }] as const;

/** Counts values and characters, without recursion. */
function sizeOf(value: unknown): { values: number; characters: number } {
  const size = { values: 0, characters: 0 };
  const open = [value];
  while (open.length > 0) {
    const next = open.pop();
    size.values += 1;
    if (typeof next === 'string') size.characters += next.length;
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) size.characters += Object.keys(next).join('').length;
    for (const part of Object.values(next)) open.push(part);
  }
  return size;
}

function assertBounded(json: string): void {
  const { values, characters } = sizeOf(JSON.parse(json));
  assert.ok(values <= mostValues, `${values} values`);
  assert.ok(characters <= mostCharacters, `${characters} characters`);
}

function assertRefused(error: unknown, { refusal }: HostileConstraint, subject: string): true {
  assert.ok(error instanceof SimpleAgentsError, String(error));
  assert.equal(error.kind, 'bad-request');
  assert.match(error.message, refusal ?? /^there should be a value$/u);
  assert.ok(error.message.includes(subject), error.message);
  return true;
}

async function jsonOf(request: ChatRequest): Promise<string> {
  let json = '';
  for await (const event of await createSimulatedProvider().open(request, never)) {
    if (event.type === 'tool-call-delta') json += event.json;
    if (event.type === 'text-delta' && request.tools === undefined) json += event.text;
  }
  return json;
}

for (const [what, hostile] of Object.entries(hostileConstraints)) {
  describe(what, () => {
    test('spends no more than its budget', () => {
      if (schemaSizeProblem(hostile.schema) !== undefined) return;
      const budget = new SampleBudget();
      try {
        sampleValue(hostile.schema, createRandom('x'), { budget, subject: 'here' });
        assert.equal(hostile.refusal, undefined);
      } catch (error) {
        assertRefused(error, hostile, 'here: ');
      }
      for (const left of [budget.values, budget.characters, budget.steps]) assert.ok(left >= 0);
    });

    test('as a response format and as the parameters of a tool', async () => {
      const { refusal } = hostile;
      const schema = hostile.schema as JsonSchema;
      const format: ChatRequest = { model: 'm', messages: said, responseFormat: { type: 'json-schema', schema } };
      const tool: ChatRequest = { model: 'm', messages: said, tools: [{ name: 'fill', inputSchema: schema }] };
      if (refusal === undefined) for (const request of [format, tool]) assertBounded(await jsonOf(request));
      else {
        await assert.rejects(jsonOf(format), (error) => assertRefused(error, hostile, 'response_format'));
        await assert.rejects(jsonOf(tool), (error) => assertRefused(error, hostile, 'tools: parameters of "fill"'));
      }
    });
  });
}

async function startEmbedded(context: TestContext): Promise<string> {
  const gateway = createGateway({ providers: [{ name: 'simulated', type: 'simulated' }], onlyConfigured: true });
  const server = createServer({ port: 0, drain: 0, provider: gateway });
  context.after(async () => {
    await server.close();
    await gateway.close();
  });
  return server.listen();
}

function post(url: string, path: string, body: string): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    authorization: 'Bearer k',
    'x-api-key': 'k',
    'anthropic-version': '2023-06-01',
  };
  return fetch(url + path, { method: 'POST', headers, body });
}

const message = '"model":"simulated","messages":[{"role":"user","content":"Call fill"}]';

function requests(schema: string): readonly (readonly [path: string, body: string])[] {
  const format = `{"type":"json_schema","json_schema":{"name":"n","strict":false,"schema":${schema}}}`;
  return [
    ['/v1/chat/completions', `{${message},"response_format":${format}}`],
    [
      '/v1/chat/completions',
      `{${message},"tools":[{"type":"function","function":{"name":"fill","parameters":${schema}}}]}`,
    ],
    ['/v1/messages', `{${message},"max_tokens":100000,"tools":[{"name":"fill","input_schema":${schema}}]}`],
  ];
}

/** The gateway has its own limits for bodies and schemas, and reports a value that cannot fit. */
const gatewayRefusals = /use a smaller one|use fewer alternatives|the body is nested|the schema at #|"healing_failed"/u;

for (const [where, start, isOwn] of [
  ['simulate', async (context: TestContext) => (await startSimulated(context)).url, /^never$/u],
  ['a gateway with the embedded model', startEmbedded, gatewayRefusals],
] as const) {
  test(`over HTTP, ${where} responds to each with a value or with 400`, { timeout: 300_000 }, async (context) => {
    const url = await start(context);
    for (const [what, { schema, refusal }] of sample(Object.entries(hostileConstraints), 4)) {
      for (const [path, body] of requests(JSON.stringify(schema))) {
        const response = await post(url, path, body);
        const answer = await response.text();
        const shown = `${what} at ${path}: ${response.status} ${answer.slice(0, 300)}`;
        if (refusal === undefined) {
          assert.ok(response.status === 200 || isOwn.test(answer), shown);
          continue;
        }
        const { error } = JSON.parse(answer) as { error: { type: string; message: string } };
        assert.deepEqual([response.status, error.type], [400, 'invalid_request_error'], shown);
        assert.ok(refusal.test(error.message) || isOwn.test(error.message), shown);
      }
    }
  });
}

test('simulate rejects a schema nested 100,000 levels deep, strict or not', async (context) => {
  const { url } = await startSimulated(context);
  const deep = `${'{"type":"object","properties":{"a":'.repeat(100_000)}{}${'}}'.repeat(100_000)}`;
  for (const strict of [true, false]) {
    const format = `{"type":"json_schema","json_schema":{"name":"n","strict":${strict},"schema":${deep}}}`;
    const response = await post(url, '/v1/chat/completions', `{${message},"response_format":${format}}`);
    assert.equal(response.status, 400);
    assert.match(await response.text(), /nested deeper than 1000 levels/u);
  }
});
