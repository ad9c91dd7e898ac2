// The official SDK of the claude CLI drives forgeflare unmodified: tools with permission, denial, interruption, several
// turns, resumption, hooks and images.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import * as z from 'zod';
import { forgeflareLauncher, projects, reaching, startModel, type Project } from '../support/forgeflare-process.ts';
import { outsideAgents } from '../support/outside-agents.ts';

const project = projects();
const image = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

type SdkMessage = { readonly type: string; readonly subtype?: string; readonly [member: string]: unknown };

interface SdkQuery extends AsyncIterable<SdkMessage> {
  interrupt(): Promise<unknown>;
  setPermissionMode(mode: string): Promise<void>;
  setModel(model?: string): Promise<void>;
  initializationResult(): Promise<Record<string, unknown>>;
  supportedCommands(): Promise<readonly { readonly name: string }[]>;
  getContextUsage(): Promise<Record<string, unknown>>;
  close(): void;
}

interface Sdk {
  createSdkMcpServer(options: { readonly name: string; readonly tools: readonly unknown[] }): object;
  tool(name: string, description: string, input: object, run: (input: never) => Promise<object>): unknown;
  query(parameters: { readonly prompt: string | AsyncIterable<object>; readonly options: object }): SdkQuery;
}

async function loadSdk(): Promise<Sdk> {
  const file = join(await outsideAgents(), '@anthropic-ai/claude-agent-sdk/sdk.mjs');
  return (await import(file)) as Sdk;
}

const write = { toolCalls: [{ name: 'Write', input: { file_path: 'new.txt', content: 'one\n' } }] };
const script = {
  replies: [
    { match: { lastRole: 'tool' }, text: 'Finished.' },
    { match: { contains: 'write it' }, text: 'Writing.', ...write },
    { match: { contains: 'sleep' }, toolCalls: [{ name: 'Bash', input: { command: 'sleep 30' } }] },
    { match: { contains: 'slowly' }, text: 'word '.repeat(50), delayMs: 20_000 },
    { match: { contains: 'hello' }, text: 'Hello back.' },
    { match: { contains: 'roll' }, toolCalls: [{ name: 'mcp__dice__roll', input: { sides: 6 } }] },
    { match: { contains: 'break' }, toolCalls: [{ name: 'mcp__dice__break', input: {} }] },
  ],
};

const allow = async (_name: string, input: object) => ({ behavior: 'allow', updatedInput: input });
const allowChanged = async (_name: string, input: object) => ({
  behavior: 'allow',
  updatedInput: { ...input, content: 'changed\n' },
});
const deny = async () => ({ behavior: 'deny', message: 'not on Fridays' });

interface Host {
  readonly place: Project;
  readonly options: object;
  readonly sdk: Sdk;
  readonly requests: () => string[];
}

async function startHost(context: TestContext): Promise<Host> {
  const place = project();
  const server = await startModel(context, script);
  const options = {
    cwd: place.path,
    pathToClaudeCodeExecutable: forgeflareLauncher,
    env: { PATH: process.env['PATH'], HOME: place.home, ...reaching(server), DISABLE_TELEMETRY: '1' },
    settingSources: [],
  };
  const requests = () => server.requests.map(({ body }) => JSON.stringify(body));
  return { place, options, sdk: await loadSdk(), requests };
}

async function readAll(query: AsyncIterable<SdkMessage>): Promise<SdkMessage[]> {
  const messages: SdkMessage[] = [];
  for await (const message of query) messages.push(message);
  return messages;
}

function resultOf(messages: readonly SdkMessage[]): SdkMessage {
  const result = messages.findLast(({ type }) => type === 'result');
  assert.ok(result !== undefined, 'there is a result');
  return result;
}

function userMessage(content: unknown): object {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, session_id: '' };
}

/** Prompts that a test sends one after the other. */
class Prompts implements AsyncIterable<object> {
  #next = Promise.withResolvers<object | undefined>();
  readonly #waiting: (object | undefined)[] = [];

  send(content: unknown): void {
    this.#push(userMessage(content));
  }

  end(): void {
    this.#push(undefined);
  }

  #push(message: object | undefined): void {
    this.#waiting.push(message);
    this.#next.resolve(undefined);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<object> {
    for (;;) {
      while (this.#waiting.length > 0) {
        const message = this.#waiting.shift();
        if (message === undefined) return;
        yield message;
      }
      await this.#next.promise;
      this.#next = Promise.withResolvers();
    }
  }
}

async function breakTable(): Promise<never> {
  throw new Error('the table is gone');
}

/** A server inside the host's program, and the sides that were rolled. */
function createDice(sdk: Sdk) {
  const rolled: unknown[] = [];
  const roll = async ({ sides }: { sides: number }) => {
    rolled.push(sides);
    return { content: [{ type: 'text', text: `rolled ${sides - 2}` }] };
  };
  const tools = [
    sdk.tool('roll', 'Rolls dice', { sides: z.number() }, roll),
    sdk.tool('break', 'Breaks', {}, breakTable),
  ];
  return { server: sdk.createSdkMcpServer({ name: 'dice', tools }), rolled };
}

describe('the Claude Agent SDK drives forgeflare', { timeout: 900_000 }, () => {
  test('tools inside the host run there after the host has allowed them, and may fail', async (context) => {
    const { sdk, options, requests } = await startHost(context);
    for (const [prompt, seen] of [
      ['roll', /rolled 4/],
      ['break', /the table is gone/],
    ] as const) {
      const { server, rolled } = createDice(sdk);
      const asked: string[] = [];
      const canUseTool = async (name: string, input: object) => {
        asked.push(name);
        return { behavior: 'allow', updatedInput: input };
      };
      const query = sdk.query({ prompt, options: { ...options, canUseTool, mcpServers: { dice: server } } });
      const messages = await readAll(query);
      assert.equal(resultOf(messages)['result'], 'Finished.');
      assert.deepEqual(asked, [`mcp__dice__${prompt}`]);
      assert.deepEqual(rolled, prompt === 'roll' ? [6] : []);
      assert.match(requests().at(-1) ?? '', seen);
    }
  });

  test('a tool runs after the host has allowed it', async (context) => {
    const { sdk, options, place } = await startHost(context);
    const asked: unknown[] = [];
    const canUseTool = async (name: string, input: object) => {
      asked.push([name, input]);
      return { behavior: 'allow', updatedInput: input };
    };
    const prompt = 'write it';
    const messages = await readAll(
      sdk.query({ prompt, options: { ...options, canUseTool, includePartialMessages: true } }),
    );
    assert.deepEqual(asked, [['Write', { file_path: 'new.txt', content: 'one\n' }]]);
    assert.equal(readFileSync(join(place.path, 'new.txt'), 'utf8'), 'one\n');
    const result = resultOf(messages);
    assert.deepEqual([result.subtype, result['result'], result['num_turns']], ['success', 'Finished.', 2]);
    const [usage] = Object.values(result['modelUsage'] as Record<string, Record<string, number>>);
    assert.ok((usage?.['contextWindow'] ?? 0) > 100_000);
    assert.ok((usage?.['costUSD'] ?? 0) > 0);
    assert.equal(result['total_cost_usd'], usage?.['costUSD']);
    assert.ok(messages.some(({ type }) => type === 'stream_event'));
  });

  test('a changed input is what runs', async (context) => {
    const { sdk, options, place } = await startHost(context);
    await readAll(sdk.query({ prompt: 'write it', options: { ...options, canUseTool: allowChanged } }));
    assert.equal(readFileSync(join(place.path, 'new.txt'), 'utf8'), 'changed\n');
  });

  test('a denied tool does not run, and the model reads the reason', async (context) => {
    const { sdk, options, place, requests } = await startHost(context);
    const messages = await readAll(sdk.query({ prompt: 'write it', options: { ...options, canUseTool: deny } }));
    const result = resultOf(messages);
    assert.equal(existsSync(join(place.path, 'new.txt')), false);
    assert.match(requests().at(-1) ?? '', /not on Fridays/);
    assert.equal((result['permission_denials'] as readonly Record<string, unknown>[])[0]?.['tool_name'], 'Write');
  });

  test('several turns run in one process, and an interrupt ends one of them', async (context) => {
    const { sdk, options, requests } = await startHost(context);
    const prompts = new Prompts();
    const query = sdk.query({ prompt: prompts, options: { ...options, canUseTool: allow } });
    prompts.send('sleep please');
    const results: SdkMessage[] = [];
    for await (const message of query) {
      const { type, subtype } = message;
      if (type === 'tool_progress' && results.length === 0) await query.interrupt();
      if (type !== 'result') continue;
      results.push(message);
      if (results.length === 1) prompts.send([{ type: 'text', text: 'hello' }, imageBlock]);
      else prompts.end();
      assert.ok(subtype !== undefined);
    }
    assert.deepEqual(
      results.map(({ subtype, terminal_reason: reason }) => [subtype, reason]),
      [
        ['error_during_execution', 'aborted_tools'],
        ['success', 'completed'],
      ],
    );
    assert.equal(results[1]?.['result'], 'Hello back.');
    assert.ok(requests().at(-1)?.includes(image), 'the image reaches the model');
  });

  test('an interrupt ends a response that has not come', async (context) => {
    const { sdk, options } = await startHost(context);
    const prompts = new Prompts();
    const query = sdk.query({ prompt: prompts, options });
    prompts.send('slowly');
    const results: SdkMessage[] = [];
    const reading = async () => {
      for await (const message of query) {
        if (message.subtype === 'init') await query.interrupt();
        if (message.type !== 'result') continue;
        results.push(message);
        prompts.end();
      }
    };
    // The SDK rejects if the last result of a process is an error.
    await assert.rejects(reading(), /cancelled/);
    assert.equal(results[0]?.['terminal_reason'], 'aborted_streaming');
  });

  test('a session is resumed in another process', async (context) => {
    const { sdk, options, requests } = await startHost(context);
    const sessionId = '11111111-2222-4333-8444-555555555555';
    const first = await readAll(sdk.query({ prompt: 'hello', options: { ...options, sessionId } }));
    assert.equal(resultOf(first)['session_id'], sessionId);
    const second = await readAll(sdk.query({ prompt: 'hello again', options: { ...options, resume: sessionId } }));
    assert.equal(resultOf(second)['session_id'], sessionId);
    assert.match(requests().at(-1) ?? '', /Hello back.*hello again/);
    const fork = await readAll(
      sdk.query({ prompt: 'hello fork', options: { ...options, resume: sessionId, forkSession: true } }),
    );
    assert.notEqual(resultOf(fork)['session_id'], sessionId);
  });

  test('an unknown session is an error that names it', async (context) => {
    const { sdk, options } = await startHost(context);
    const resume = '99999999-2222-4333-8444-555555555555';
    await assert.rejects(readAll(sdk.query({ prompt: 'hello', options: { ...options, resume } })), new RegExp(resume));
  });

  test('hooks of the host block, change and follow tools, and the system prompt is its own', async (context) => {
    const { sdk, options, place, requests } = await startHost(context);
    const seen: string[] = [];
    const hooks = {
      UserPromptSubmit: [
        {
          hooks: [
            async () => ({ hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: 'extra' } }),
          ],
        },
      ],
      PreToolUse: [
        {
          matcher: 'Write|Edit',
          hooks: [
            async (input: { tool_input: object }) => ({
              hookSpecificOutput: {
                hookEventName: 'PreToolUse',
                permissionDecision: 'allow',
                updatedInput: { ...input.tool_input, content: 'hooked\n' },
              },
            }),
          ],
        },
      ],
      PostToolUse: [
        {
          hooks: [
            async (input: { tool_name: string }) => {
              seen.push(input.tool_name);
              return { hookSpecificOutput: { hookEventName: 'PostToolUse', additionalContext: 'well done' } };
            },
          ],
        },
      ],
      Stop: [{ hooks: [async () => (seen.push('stop'), {})] }],
    };
    const systemPrompt = 'You are a parrot.';
    await readAll(sdk.query({ prompt: 'write it', options: { ...options, hooks, systemPrompt } }));
    assert.equal(readFileSync(join(place.path, 'new.txt'), 'utf8'), 'hooked\n');
    assert.deepEqual(seen, ['Write', 'stop']);
    const [first = '', last = ''] = requests();
    assert.match(first, /You are a parrot/);
    assert.match(first, /extra/);
    assert.doesNotMatch(first, /You are forgeflare/);
    assert.match(last, /well done/);
  });

  test('a host may ask for the commands and the context, and change the mode', async (context) => {
    const { sdk, options, place } = await startHost(context);
    const prompts = new Prompts();
    const query = sdk.query({
      prompt: prompts,
      options: { ...options, canUseTool: deny },
    });
    assert.deepEqual((await query.supportedCommands()).map(({ name }) => name).toSorted(), [
      'compact',
      'cost',
      'model',
    ]);
    assert.ok(((await query.getContextUsage())['maxTokens'] as number) >= 200_000);
    await query.setPermissionMode('acceptEdits');
    await assert.rejects(query.setPermissionMode('bypassPermissions'), /allow-dangerously-skip-permissions/);
    prompts.send('write it');
    for await (const message of query) if (message.type === 'result') prompts.end();
    assert.equal(readFileSync(join(place.path, 'new.txt'), 'utf8'), 'one\n');
  });
});

const imageBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image } };
