// Realistic tool calls, undamaged and with every kind of damage, cut at every character: a tool with side effects either
// does not run or runs with exactly the complete arguments. Through the agent loop and through the gateway's stream.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';

import { createAgent } from '../../src/agent/agent.ts';
import { defineTool } from '../../src/agent/tool.ts';
import { assemble, parseToolCall } from '../../src/core/assembler.ts';
import type { StreamEvent } from '../../src/core/event.ts';
import type { JsonSchema, JsonValue } from '../../src/core/json.ts';
import { toolCallsOf } from '../../src/core/message.ts';
import { StreamedCalls } from '../../src/gateway/output/healed-tool-calls.ts';
import { healArguments } from '../../src/heal/index.ts';
import { damageKinds, damageText } from '../../src/testing/damage/damage.ts';
import { withHealing } from '../../src/gateway/output/healing.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { createRandom } from '../../src/testing/model/random.ts';

interface Call {
  readonly input: JsonValue;
  readonly schema: JsonSchema;
}

function call(input: Record<string, JsonValue>, types: Record<string, string>): Call {
  const properties = Object.fromEntries(Object.entries(types).map(([key, type]) => [key, { type }]));
  return { input, schema: { type: 'object', properties, required: Object.keys(input) } };
}

const calls: readonly Call[] = [
  call({ command: 'rm -rf data/', timeout: 120 }, { command: 'string', timeout: 'integer' }),
  call({ command: `awk '{print $1, "x"}' a.txt && echo "{done}"` }, { command: 'string' }),
  call({ file_path: 'a.json', content: '{"a": [1, 2], "b": "c"}\n' }, { file_path: 'string', content: 'string' }),
  call(
    { file_path: 'a.ts', old_str: 'a: 1,\n  b: 2', new_str: 'a: 1, // "one"\n}', replace_all: true },
    { file_path: 'string', old_str: 'string', new_str: 'string', replace_all: 'boolean' },
  ),
];

/** The arguments that a tool with an effect would run with; undefined if the call is rejected. */
function accepted(text: string, schema: JsonSchema): { readonly input: unknown } | undefined {
  try {
    return { input: healArguments(text, schema).value };
  } catch {
    return undefined;
  }
}

/** The arguments that a client of the gateway would run its tool with. */
function streamed(text: string, schema: JsonSchema): { readonly input: unknown } | undefined {
  const machine = new StreamedCalls(new Map([['act', schema]]), {}, () => undefined);
  const pieces = text.match(/[^]{1,5}/g) ?? [];
  const events: StreamEvent[] = [
    { type: 'tool-call-start', index: 0, id: 'c', name: 'act' },
    ...pieces.map((json): StreamEvent => ({ type: 'tool-call-delta', index: 0, json })),
    { type: 'block-end', index: 0, block: parseToolCall('c', 'act', text) },
  ];
  try {
    const sent = events.flatMap((event) => machine.push(event as Parameters<typeof machine.push>[0]));
    const [block] = toolCallsOf(assemble([...sent, ...machine.finish('tool-calls')]).content);
    return block && { input: block.input };
  } catch {
    return undefined;
  }
}

/** Whether the text contains the complete object, or is blank, as for a call without arguments. */
function holds(text: string, input: unknown): boolean {
  const ends = [...text.matchAll(/\}/g)].map(({ index }) => index + 1);
  const starts = [...text.matchAll(/\{/g)].map(({ index }) => index);
  const objects = starts.flatMap((start) => ends.map((end) => parseToolCall('', '', text.slice(start, end))));
  return (
    text.trim() === '' || objects.some((found) => found.error === undefined && isDeepStrictEqual(found.input, input))
  );
}

for (const [what, run] of Object.entries({ agent: accepted, gateway: streamed })) {
  describe(`${what}: a call cut at every character`, () => {
    for (const damage of [undefined, ...damageKinds]) {
      test(damage ?? 'undamaged', () => {
        for (const { input, schema } of calls) {
          const written = JSON.stringify(input, undefined, 2);
          const random = createRandom(damage ?? '');
          const text = damage === undefined ? written : damageText(damage, written, () => random.next());
          const whole = run(text, schema);
          for (let length = 1; length < text.length; length++) {
            const cut = text.slice(0, length);
            const result = run(cut, schema);
            const isWhole = result === undefined || isDeepStrictEqual(result, whole) || holds(cut, result.input);
            assert.ok(isWhole, `${cut}\n${JSON.stringify(result)}`);
          }
        }
      });
    }
  });
}

test('the agent, with a model that cuts a call at every character', async () => {
  const [{ input, schema }] = calls as [Call, ...Call[]];
  const whole = JSON.stringify(input);
  const ran: unknown[] = [];
  const act = defineTool({ name: 'act', description: 'Acts.', input: schema, run: (given) => ran.push(given) });
  for (let length = 1; length <= whole.length; length++) {
    const replies = [{ toolCalls: [{ name: 'act', rawInput: whole.slice(0, length) }] }, { text: 'Done.' }];
    const provider = withHealing(createSimulatedProvider({ script: { replies } }));
    const agent = createAgent({ provider, tools: [act] });
    await agent.run('go').result();
    assert.equal(ran.length, length === whole.length ? 1 : 0, whole.slice(0, length));
  }
});
