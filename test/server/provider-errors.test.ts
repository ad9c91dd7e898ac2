// Errors of providers, as clients of the same format and of other formats get them.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { startGateway } from '../support/gateway-server.ts';
import { startHttpServer } from '../support/server.ts';

interface Refusal {
  readonly status: number;
  readonly error: Readonly<Record<string, unknown>>;
}

/** A provider that answers everything with one error. */
async function startRefusing(
  context: TestContext,
  { status, body }: { readonly status: number; readonly body: unknown },
) {
  const upstream = await startHttpServer(context, (request, response) => {
    request.resume();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  return startGateway(context, upstream.origin);
}

const invalid = 'invalid_request_error';
const openaiErrors: readonly Refusal[] = [
  [
    400,
    "Unsupported parameter: 'max_tokens' is not supported with this model.",
    invalid,
    'max_tokens',
    'unsupported_parameter',
  ],
  [400, "Unsupported value: 'temperature' does not support 0.2.", invalid, 'temperature', 'unsupported_value'],
  [400, 'Unknown parameter: tool.', invalid, 'tool', 'unknown_parameter'],
  [400, "Invalid value: 'robot'.", invalid, 'messages[0].role', 'invalid_value'],
  [400, 'Invalid type for n.', invalid, 'n', 'invalid_type'],
  [400, 'Your input exceeds the context window.', invalid, 'messages', 'context_length_exceeded'],
  [400, 'Invalid prompt.', invalid, null, 'invalid_prompt'],
  [400, 'Invalid schema for response_format.', invalid, 'response_format', 'invalid_json_schema'],
  [
    403,
    'Country, region, or territory not supported',
    'request_forbidden',
    null,
    'unsupported_country_region_territory',
  ],
  [404, 'The model `x` does not exist.', invalid, null, 'model_not_found'],
  [413, 'Too large.', invalid, null, 'request_too_large'],
  [422, 'Unprocessable.', invalid, null, null],
  [429, 'Rate limit reached.', 'tokens', null, 'rate_limit_exceeded'],
  [429, 'You exceeded your current quota.', 'insufficient_quota', null, 'insufficient_quota'],
  [500, 'The server had an error.', 'server_error', null, null],
  [503, 'The engine is overloaded.', 'server_error', null, 'engine_overloaded'],
].map(([status, message, type, param, code]) => ({
  status: Number(status),
  error: { message, type, param, code, newer_member: { kept: [1, null] } },
}));

const ask = (model: string) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'Hello' }] });
const questions = {
  'openai': ['/v1/chat/completions', ask('openai/m')],
  'responses': ['/v1/responses', { model: 'responses/m', input: 'Hello' }],
} as const;

describe('an error of a provider of the same format', () => {
  for (const [upstream, [path, question]] of Object.entries(questions)) {
    for (const stream of [false, true]) {
      test(`passes with status and body: ${upstream}, ${stream ? 'streamed' : 'whole'}`, async (context) => {
        for (const { status, error } of openaiErrors) {
          const { post } = await startRefusing(context, { status, body: { error } });
          const response = await post(path, { ...question, stream });
          assert.equal(response.status, status, String(error['message']));
          assert.deepEqual(await response.json(), { error });
        }
      });
    }
  }

  test('passes to clients of Anthropic and Google', async (context) => {
    const anthropic = [
      [400, 'invalid_request_error'],
      [403, 'permission_error'],
      [413, 'request_too_large'],
      [529, 'overloaded_error'],
    ] as const;
    for (const [status, type] of anthropic) {
      const body = { type: 'error', error: { type, message: 'No.', newer: 1 }, request_id: 'req_1' };
      const { post } = await startRefusing(context, { status, body });
      const response = await post('/v1/messages', ask('anthropic/m'));
      assert.equal(response.status, status);
      assert.deepEqual(await response.json(), body);
    }
    const body = { error: { code: 400, message: 'No.', status: 'FAILED_PRECONDITION', details: [{ '@type': 'x' }] } };
    const { post } = await startRefusing(context, { status: 400, body });
    const contents = [{ role: 'user', parts: [{ text: 'Hello' }] }];
    const response = await post('/v1beta/models/google/m:generateContent', { contents });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), body);
  });

  test('inside a stream, before any content, keeps its code', async (context) => {
    const error = { message: 'Blocked.', type: invalid, param: 'prompt', code: 'content_policy_violation' };
    const upstream = await startHttpServer(context, (request, response) => {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(`data: ${JSON.stringify({ error })}\n\n`);
    });
    const { post } = await startGateway(context, upstream.origin);
    const response = await post('/v1/chat/completions', { ...ask('openai/m'), stream: true });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { error });
  });

  test('passes to clients of embeddings', async (context) => {
    const error = { message: 'No.', type: invalid, param: 'input', code: 'array_above_max_length' };
    const { post } = await startRefusing(context, { status: 400, body: { error } });
    const response = await post('/v1/embeddings', { model: 'openai/text-embedding-3-small', input: 'Hello' });
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), { error });
  });

  test('contains no credential of the gateway', async (context) => {
    const body = {
      error: { message: 'No: upstream-key', type: invalid, param: null, code: null, seen: ['upstream-key'] },
    };
    const { post } = await startRefusing(context, { status: 400, body });
    const response = await post('/v1/chat/completions', ask('openai/m'));
    assert.deepEqual(await response.json(), {
      error: { ...body.error, message: 'No: [key]', seen: ['[key]'] },
    });
    const named = await startRefusing(context, {
      status: 400,
      body: { error: { 'message': 'No.', 'upstream-key': 1 } },
    });
    assert.doesNotMatch(await (await named.post('/v1/chat/completions', ask('openai/m'))).text(), /upstream-key/);
  });

  test('that rejects the credential of the gateway does not pass', async (context) => {
    const seen = {
      message: 'Incorrect API key provided: sk-…abcd.',
      type: invalid,
      param: null,
      code: 'invalid_api_key',
    };
    for (const status of [401, 403]) {
      const { post } = await startRefusing(context, { status, body: { error: { ...seen, organization: 'org-1' } } });
      const response = await post('/v1/chat/completions', ask('openai/m'));
      assert.equal(response.status, 401);
      assert.doesNotMatch(await response.text(), /org-1/);
    }
  });

  test('of another shape is translated', async (context) => {
    const { post } = await startRefusing(context, { status: 422, body: { detail: 'temperature is too high' } });
    const response = await post('/v1/chat/completions', ask('openai/m'));
    assert.equal(response.status, 400);
    assert.deepEqual(await response.json(), {
      error: { message: 'temperature is too high', type: invalid, param: null, code: null },
    });
  });
});

describe('an error of a provider of another format', () => {
  test('that forbids the request is 403, not a wrong key', async (context) => {
    const body = {
      error: { message: 'Country not supported', type: 'request_forbidden', code: 'unsupported_country' },
    };
    const { post } = await startRefusing(context, { status: 403, body });
    const anthropic = await post('/v1/messages', ask('openai/m'));
    assert.equal(anthropic.status, 403);
    assert.equal(((await anthropic.json()) as { error: { type: string } }).error.type, 'permission_error');
    const responses = await post('/v1/responses', { model: 'openai/m', input: 'Hello' });
    assert.equal(responses.status, 403);
    assert.equal(((await responses.json()) as { error: { code: string } }).error.code, 'permission_denied');
  });

  test('never passes its body', async (context) => {
    const body = { type: 'error', error: { type: 'invalid_request_error', message: 'No.', newer: 1 } };
    const { post } = await startRefusing(context, { status: 400, body });
    const response = await post('/v1/chat/completions', ask('anthropic/m'));
    assert.deepEqual(await response.json(), { error: { message: 'No.', type: invalid, param: null, code: null } });
  });
});
