// Damaged tool calls in an agent, over real HTTP in both wires: a tool with side effects runs only with what the model
// wrote, a pure tool may take healed arguments, and the model receives the reason for an error.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import * as z from 'zod';
import { createAgent } from '../../src/agent/agent.ts';
import { defineTool, type Tool, type ToolEffect } from '../../src/agent/tool.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import type { ToolCallBlock } from '../../src/core/message.ts';
import type { Provider } from '../../src/core/provider.ts';
import { alias } from '../../src/heal/index.ts';
import { inBothWires, readRun, startAgent } from '../support/agent-model.ts';

const input = {
  type: 'object',
  properties: { command: { type: 'string' }, timeout: { type: 'integer' } },
  required: ['command'],
} as const;

/** A tool that notes what it was run with. */
function recorder(effect?: ToolEffect): { readonly tool: Tool; readonly ran: unknown[] } {
  const ran: unknown[] = [];
  const run = (given: unknown): string => {
    ran.push(given);
    return 'ran';
  };
  const more = effect === undefined ? {} : { effect };
  return { ran, tool: defineTool({ name: 'Bash', description: 'Runs a command.', input, run, ...more }) };
}

const guesses = [
  ['{"command":"rm -rf data/', 'closed-truncated'],
  ['{"command":"rm -rf data/"', 'closed-truncated'],
  ['{"command": "rm, "timeout": 5}', 'inserted-quote'],
  ['{"command": "ls", "timeout": 5.6}', 'rounded-number'],
  ['{"command": {rm: all}}', 'used-source-text'],
  ['{"command": "ls"} {"command": "rm"}', 'chose-value'],
] as const;

for (const [rawInput, kind] of guesses) {
  describe(`${kind}: ${rawInput}`, () => {
    for (const effect of [undefined, 'mutating'] as const) {
      inBothWires(`is refused by a tool whose effect is ${effect}`, async (context, wire) => {
        const { tool, ran } = recorder(effect);
        const replies = [{ toolCalls: [{ name: 'Bash', rawInput }] }, { text: 'Done.' }];
        const { agent, asked } = await startAgent(context, wire, { replies, tools: [tool] });
        const { end } = await readRun(agent.run('go'));
        assert.equal(end.reason, 'end');
        assert.deepEqual(ran, []);
        const result = asked()[1]?.find((line) => line.includes('→')) ?? '';
        assert.ok(result.includes(rawInput) && result.includes(kind), result);
        assert.match(result, /call the tool again/);
      });
    }

    inBothWires('is healed for a pure tool', async (context, wire) => {
      const { tool, ran } = recorder('pure');
      const replies = [{ toolCalls: [{ name: 'Bash', rawInput }] }, { text: 'Done.' }];
      const { agent } = await startAgent(context, wire, { replies, tools: [tool] });
      await readRun(agent.run('go'));
      assert.equal(ran.length, 1);
    });
  });
}

const wrongCalls = [
  ...guesses.map(([rawInput]) => rawInput),
  "{command: 'ls'}",
  '{"command": "ls", "timeout": "5"}',
  '{"Command": "ls"}',
  '{"timeout": 5}',
  '["ls"]',
] as const;

describe('over a provider without healing', () => {
  for (const rawInput of wrongCalls) {
    for (const effect of ['pure', 'mutating'] as const) {
      inBothWires(`${rawInput} is an error result for a ${effect} tool`, async (context, wire) => {
        const { tool, ran } = recorder(effect);
        const replies = [{ toolCalls: [{ name: 'Bash', rawInput }] }, { text: 'Done.' }];
        const { agent, asked } = await startAgent(context, wire, { replies, tools: [tool], isBare: true });
        const { end } = await readRun(agent.run('go'));
        assert.equal(end.reason, 'end');
        assert.deepEqual(ran, []);
        const result = asked()[1]?.find((line) => line.includes('→')) ?? '';
        assert.match(result, /The input of Bash is not valid: .*Received: .*call the tool again/);
      });
    }
  }

  inBothWires('valid arguments run, with the defaults of the schema', async (context, wire) => {
    const ran: unknown[] = [];
    const tool = defineTool({
      name: 'Bash',
      description: 'Runs a command.',
      input: z.object({ command: z.string(), timeout: z.int().default(60) }),
      run: (given) => void ran.push(given),
    });
    const replies = [{ toolCalls: [{ name: 'Bash', rawInput: '{"command": "ls"}' }] }, { text: 'Done.' }];
    const { agent } = await startAgent(context, wire, { replies, tools: [tool], isBare: true });
    await readRun(agent.run('go'));
    assert.deepEqual(ran, [{ command: 'ls', timeout: 60 }]);
  });
});

inBothWires('names, aliases, types and defaults of a schema are healed before the agent', async (context, wire) => {
  const ran: unknown[] = [];
  const tool = defineTool({
    name: 'Bash',
    description: 'Runs a command.',
    input: z.object({ command: alias(z.string(), 'cmd'), waitMs: z.int(), shell: z.enum(['sh', 'zsh']).default('sh') }),
    run: (given) => void ran.push(given),
  });
  const toolCalls = [{ name: 'Bash', rawInput: '{"cmd": "ls", "wait_ms": "5", "more": 1}' }];
  const replies = [{ toolCalls }, { text: 'Done.' }];
  const { agent, server } = await startAgent(context, wire, { replies, tools: [tool] });
  await readRun(agent.run('go'));
  assert.deepEqual(ran, [{ command: 'ls', waitMs: 5, shell: 'sh' }]);
  assert.ok(!JSON.stringify(server.requests[0]?.body).includes('x-alias'));
});

inBothWires('notation and types are healed for every tool', async (context, wire) => {
  const { tool, ran } = recorder();
  const rawInput = '```json\n{command: \'ls\', "timeout": "5",}\n```';
  const replies = [{ toolCalls: [{ name: 'Bash', rawInput }] }, { text: 'Done.' }];
  const { agent } = await startAgent(context, wire, { replies, tools: [tool] });
  await readRun(agent.run('go'));
  assert.deepEqual(ran, [{ command: 'ls', timeout: 5 }]);
});

inBothWires(
  'a refused call does not touch the calls beside it, and a long one is quoted in part',
  async (context, wire) => {
    const { tool, ran } = recorder();
    const toolCalls = [
      { name: 'Bash', rawInput: `{"command":"echo ${'x'.repeat(5000)}` },
      { name: 'Bash', input: { command: 'ls' } },
    ];
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ toolCalls }, { text: '.' }],
      tools: [tool],
    });
    await readRun(agent.run('go'));
    assert.deepEqual(ran, [{ command: 'ls' }]);
    const result = asked()[1]?.find((line) => line.includes('→')) ?? '';
    assert.ok(result.length < 2000 && result.includes('bytes in total'), result);
  },
);

const messageEnd = (stopReason: 'tool-calls' | 'end'): StreamEvent => ({
  type: 'message-end',
  stopReason,
  usage: { input: 1, output: 1 },
});

/** A provider that calls `Bash` once and sends no deltas, as an outside adapter may. */
function callOnce(block: Partial<ToolCallBlock>): Provider {
  let asked = 0;
  const call = { type: 'tool-call', id: 'c', name: 'Bash', input: { command: 'rm -rf data/' }, ...block } as const;
  const first: StreamEvent[] = [{ type: 'block-end', index: 0, block: call }, messageEnd('tool-calls')];
  return {
    name: 'adapter',
    open: () =>
      Promise.resolve({
        target: 'adapter',
        ended: Promise.resolve({ type: 'left', usage: { input: 0, output: 0 } }),
        // oxlint-disable-next-line typescript/require-await -- a stream that needs no waiting
        async *[Symbol.asyncIterator]() {
          yield { type: 'message-start', id: 'm', model: 'm' } as const;
          yield* asked++ === 0 ? first : [messageEnd('end')];
        },
      }),
  };
}

describe('a provider that does not say how it made the input', () => {
  const raw = '{"command":"rm -rf data/';
  const blocks: Readonly<Record<string, Partial<ToolCallBlock>>> = {
    'only the text': { raw },
    'flags and no text': { flags: [{ kind: 'closed-truncated', path: ['command'] }] },
    'flags and the text': { raw, flags: [{ kind: 'closed-truncated', path: ['command'] }] },
    'an unknown flag': { flags: [{ kind: 'completed', path: [] }] },
    'many changes': {
      flags: [
        { kind: 'fixed-quotes', path: [] },
        { kind: 'closed-truncated', path: [] },
        { kind: 'more-changes', path: [] },
      ],
    },
  };
  for (const [what, block] of Object.entries(blocks)) {
    for (const source of ['provider', 'client'] as const) {
      test(`${what}, as ${source}`, async () => {
        const { tool, ran } = recorder();
        const made = callOnce(block);
        const from = source === 'provider' ? { provider: made } : { client: { provider: made } };
        const agent = createAgent({ ...from, model: 'm', tools: [tool] });
        const { end } = await readRun(agent.run('go'));
        assert.equal(end.reason, 'end');
        assert.deepEqual(ran, []);
      });
    }
  }
});
