// Access to the chat over real HTTP: validation, users, rate limits, the application's own routes, and metrics.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test } from 'node:test';
import { defineTool, type Tool } from '../../src/agent/tool.ts';
import type { Clock } from '../../src/core/clock.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { inBothWires } from '../support/agent-model.ts';
import { readAnswer, startChat, startEmbedded } from '../support/chat-server.ts';
import { exchangeRaw } from '../support/gateway-server.ts';

const hello = { match: { contains: '' }, text: 'Hello.' };

describe('an invalid chat request', () => {
  for (const [what, messages, complaint] of [
    ['no messages', [], /messages: must contain at least one message/],
    ['a message that is none', ['Hi'], /messages\.0 ?: must be an object/],
    ['an unknown role', [{ role: 'tool', content: 'x' }], /messages\.0\.role: must be one of "user", "assistant"/],
    ['a system prompt', [{ role: 'system', content: 'Obey' }], /messages\.0\.role: must be one of "user", "assistant"/],
    ['no content', [{ role: 'user' }], /messages\.0\.content: required field is missing/],
    ['a picture', [{ role: 'user', content: [{ type: 'image', text: '' }] }], /messages\.0\.content\.0\.type/],
    ['nothing said', [{ role: 'user', content: ' \n' }], /messages\.0\.content: must not be empty/],
    ['the last word of another', [{ role: 'assistant', content: 'Hi' }], /role: must be "user" in the last message/],
    [
      'a tool’s result',
      [{ role: 'user', content: 'x', tool_call_id: 'a' }],
      /messages\.0\.tool_call_id: is not allowed here; send only role and content/,
    ],
  ] as const) {
    test(`${what}: 400 that names the field`, async (context) => {
      const { ask, model } = await startChat(context, 'openai', { replies: [hello] });
      const response = await ask(messages as readonly object[]);
      assert.equal(response.status, 400);
      const { error } = (await response.json()) as { error: { message: string; type: string } };
      assert.match(error.message, complaint);
      assert.equal(model.requests.length, 0);
    });
  }

  test('a body that is too large, not JSON, or names a model', async (context) => {
    const { url } = await startChat(context, 'openai', { replies: [hello], bodyLimit: 1000 });
    const post = (body: string, type = 'application/json') =>
      fetch(`${url}/api/chat/stream`, { method: 'POST', headers: { 'content-type': type }, body });
    assert.equal((await post(JSON.stringify({ messages: 'x'.repeat(2000) }))).status, 413);
    assert.equal((await post('{', 'application/json')).status, 400);
    assert.equal((await post('{}', 'text/plain')).status, 415);
    const named = await post(JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }], model: 'dear' }));
    assert.match(await named.text(), /model: is not allowed here/);
    assert.equal((await fetch(`${url}/api/chat/stream`)).status, 405);
  });
});

describe('a user', () => {
  test('is identified by its key, if the server has keys', async (context) => {
    const seen: string[] = [];
    const key = 'correct-horse';
    const { ask, log } = await startChat(context, 'anthropic', {
      replies: [{ ...hello, match: { lastRole: 'user' }, toolCalls: [{ name: 'who' }] }, { text: 'You.' }],
      keys: [hash('sha256', key, 'hex')],
      tools: ({ id }) => [defineTool({ name: 'who', description: 'Who', run: () => void seen.push(id) })],
    });
    assert.equal((await ask('Hi')).status, 401);
    assert.equal((await ask('Hi', { 'x-api-key': 'wrong' })).status, 401);
    await readAnswer(await ask('Hi', { 'x-api-key': key }));
    assert.match(seen[0] ?? '', /^key-[0-9a-f]{12}$/);
    assert.equal(log[0]?.['user'], seen[0]);
    assert.ok(!JSON.stringify(log).includes(key));
  });

  interface Person {
    readonly id: string;
    readonly name: string;
  }
  const people: Readonly<Record<string, Person>> = {
    'session=a': { id: 'ada', name: 'Ada' },
    'session=g': { id: 'grace', name: 'Grace' },
  };
  const greet = ({ name }: Person): Tool[] => [defineTool({ name: 'who', description: 'Who asks', run: () => name })];

  inBothWires('is identified by the application, and tools run on their behalf', async (context, wire) => {
    const { ask, asked, log } = await startChat<Person>(context, wire, {
      replies: [
        { match: { lastRole: 'tool' }, text: 'There you are.' },
        { match: { lastRole: 'user' }, toolCalls: [{ name: 'who', id: 'w' }] },
      ],
      // Keys are not accepted here.
      keys: [hash('sha256', 'k', 'hex')],
      authenticate: async (request) => people[request.headers.get('cookie') ?? ''],
      tools: greet,
    });
    assert.equal((await ask('Hi')).status, 401);
    assert.equal((await ask('Hi', { 'x-api-key': 'k' })).status, 401);
    assert.equal((await ask('Hi', { cookie: 'session=x' })).status, 401);
    await Promise.all(['a', 'g'].map(async (name) => readAnswer(await ask('Hi', { cookie: `session=${name}` }))));
    const told = asked().flatMap((lines) => lines.filter((line) => line.includes('→')));
    assert.deepEqual(told.toSorted(), ['user: w → Ada', 'user: w → Grace']);
    assert.deepEqual(new Set(log.map(({ user }) => user)), new Set(['ada', 'grace']));
  });

  for (const [what, authenticate] of [
    ['throws', () => assert.fail('the sessions’ database is away')],
    ['returns something that is not a user', () => true as never],
    ['gives a user without an id', () => ({ id: '' })],
  ] as const) {
    test(`is rejected when authenticate ${what}`, async (context) => {
      const { ask, log, model } = await startChat(context, 'openai', { replies: [hello], authenticate });
      const response = await ask('Hi');
      assert.equal(response.status, 401);
      assert.ok(!(await response.text()).includes('database'));
      assert.deepEqual([log.length, log[0]?.message], [1, '[Chat] authentication failed']);
      assert.equal(model.requests.length, 0);
    });
  }

  test('whose tools cannot be created gets an internal error', async (context) => {
    const { ask } = await startChat(context, 'openai', {
      replies: [hello],
      tools: () => Promise.reject(new Error('no such table: users')),
    });
    const response = await ask('Hi');
    assert.equal(response.status, 500);
    assert.match(await response.text(), /internal error; see the log of the gateway/);
  });

  test('may not use a page of another origin or another host name', async (context) => {
    const { ask, url } = await startChat(context, 'openai', { replies: [hello], corsOrigins: ['https://app.example'] });
    assert.equal((await ask('Hi', { origin: 'https://evil.example' })).status, 403);
    const allowed = await ask('Hi', { origin: 'https://app.example' });
    assert.equal(allowed.headers.get('access-control-allow-origin'), 'https://app.example');
    await readAnswer(allowed);
    const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hi' }] });
    const head = `POST /api/chat/stream HTTP/1.1\r\nhost: evil.example\r\ncontent-type: application/json\r\n`;
    const told = await exchangeRaw(url, `${head}content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
    assert.match(told, /^HTTP\/1\.1 403 /);
  });
});

class TestClock implements Clock {
  time = 0;
  readonly now = (): number => this.time;
  readonly random = (): number => 0.5;
  readonly sleep = (): Promise<void> => Promise.resolve();
}

describe('the rate limit', () => {
  test('applies to each user, responds with 429 and Retry-After, and resets', async (context) => {
    const clock = new TestClock();
    const { ask } = await startChat(context, 'openai', {
      replies: [hello],
      clock,
      chat: { rateLimit: 2, rateWindow: 60_000 },
      authenticate: (request) => ({ id: request.headers.get('x-user') ?? '' }),
    });
    const status = async (user: string) => {
      const response = await ask('Hi', { 'x-user': user });
      const body = await response.text();
      if (response.status === 200) return 'ok';
      const { error } = JSON.parse(body) as { error: { message: string; type: string } };
      assert.match(error.message, /^too many messages; try again in \d+ s$/);
      assert.equal(response.headers.get('x-simple-agents-error') ?? 'rate-limit', 'rate-limit');
      return `${response.status} after ${response.headers.get('retry-after')}`;
    };
    assert.deepEqual([await status('ada'), await status('ada'), await status('ada')], ['ok', 'ok', '429 after 30']);
    assert.equal(await status('grace'), 'ok');
    clock.time += 29_500;
    assert.equal(await status('ada'), '429 after 1');
    clock.time += 500;
    assert.equal(await status('ada'), 'ok');
    assert.equal(await status('ada'), '429 after 30');
  });

  test('responds in the wire of an Anthropic client, and can be off', async (context) => {
    const { ask, server } = await startChat(context, 'openai', {
      replies: [hello],
      clock: new TestClock(),
      chat: { rateLimit: 1 },
    });
    await readAnswer(await ask('Hi'));
    const response = await ask('Hi', { 'anthropic-version': '2023-06-01' });
    const { type, error } = (await response.json()) as { type: string; error: { type: string } };
    assert.deepEqual([response.status, type, error.type], [429, 'error', 'rate_limit_error']);
    server.update({ chat: { rateLimit: 0 } });
    for (let question = 0; question < 5; question++) await readAnswer(await ask('Hi'));
    assert.throws(() => server.update({ chat: { rateLimit: -1 } }), /chat\.rateLimit: must be an integer/);
    await readAnswer(await ask('Hi'));
  });
});

const authenticate: NonNullable<ServerOptions['authenticate']> = (request) => {
  const id = request.headers.get('x-user');
  return id === null ? undefined : { id };
};

describe('routes of the application', () => {
  test('take precedence over the server’s own, and are open or for users', async (context) => {
    const url = await startEmbedded(context, {
      authenticate,
      routes: [
        {
          method: 'GET',
          path: '/',
          access: 'open',
          answer: () => new Response('<h1>Mine</h1>', { headers: { 'content-type': 'text/html' } }),
        },
        {
          method: 'POST',
          path: '/api/echo',
          access: 'user',
          answer: async (request, { id }) => {
            const { searchParams } = new URL(request.url);
            const body: unknown = await request.json();
            return Response.json({ id, body, query: searchParams.get('q') }, { status: 201 });
          },
        },
      ],
    });
    const page = await fetch(url);
    assert.deepEqual([await page.text(), page.headers.get('x-content-type-options')], ['<h1>Mine</h1>', 'nosniff']);
    assert.equal(page.headers.get('content-security-policy'), null);
    assert.equal((await fetch(url, { method: 'HEAD' })).status, 200);
    const post = (headers: Record<string, string>, body = '{"a":1}') =>
      fetch(`${url}/api/echo?q=x`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    const echoed = await post({ 'x-user': 'ada' });
    assert.deepEqual([echoed.status, await echoed.json()], [201, { id: 'ada', body: { a: 1 }, query: 'x' }]);
    assert.equal((await post({})).status, 401);
    assert.equal((await post({ 'x-user': 'ada' }, '{')).status, 400);
    assert.equal((await post({ 'x-user': 'ada', 'origin': 'https://evil.example' })).status, 403);
    assert.equal((await fetch(`${url}/health`)).status, 200);
  });

  test('that fail reveal no details', async (context) => {
    const lines: object[] = [];
    const note = (record: object): void => void lines.push(record);
    const url = await startEmbedded(context, {
      logger: { debug: note, info: note, warn: note, error: note },
      routes: [{ method: 'GET', path: '/x', access: 'open', answer: () => assert.fail('password is swordfish') }],
    });
    const response = await fetch(`${url}/x`);
    assert.equal(response.status, 500);
    assert.ok(!(await response.text()).includes('swordfish'));
    assert.ok(JSON.stringify(lines).includes('swordfish'));
  });
});

test('every model call is counted, and its id begins with the request id', async (context) => {
  const calls: { type: string; call: string; outcome: string }[] = [];
  const note = (record: object): void => void calls.push(record as never);
  const { ask, url } = await startChat(context, 'openai', {
    replies: [{ toolCalls: [{ name: 'who' }] }, { text: 'You.' }],
    tools: [defineTool({ name: 'who', description: 'Who', run: () => 'me' })],
    logger: { debug: note, info: note, warn: note, error: note },
    modelLabel: (name) => name,
  });
  const response = await ask('Hi');
  const id = response.headers.get('x-request-id') ?? '';
  await readAnswer(response);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  assert.match(metrics, /^simple_agents_calls_total\{.*target="openai\/m".*\} 2$/m);
  assert.match(metrics, /^simple_agents_requests_total\{route="\/api\/chat\/stream",status="200"\} 1$/m);
  assert.deepEqual(
    calls.filter(({ type }) => type === 'call').map(({ call, outcome }) => [call, outcome]),
    [
      [`${id}.1`, 'complete'],
      [`${id}.2`, 'complete'],
    ],
  );
});

test('invalid tools and settings are rejected when the server is created', () => {
  const tool = defineTool({ name: 'twice', description: 'Twice', run: () => '' });
  const provider = createSimulatedProvider();
  assert.throws(() => createServer({ provider, tools: [tool, tool] }), /tools: "twice": is defined twice/);
  assert.throws(() => createServer({ provider, chat: { rateWindow: 0 } }), /chat\.rateWindow: must be greater than 0/);
});
