// Tool calls that are cut off, through the gateway with `heal_tools`: they are never completed. In both wires on both sides,
// streamed and plain, for each stop reason.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { parseScript } from '../../src/testing/model/script.ts';
import { ask, startBoth, upstreamWires } from '../support/gateway-server.ts';

const schema = {
  type: 'object',
  properties: { file_path: { type: 'string' }, content: { type: 'string' } },
  required: ['file_path', 'content'],
} as const;

const clients = {
  openai: {
    path: '/v1/chat/completions',
    tools: [{ type: 'function', function: { name: 'Write', parameters: schema } }],
  },
  anthropic: { path: '/v1/messages', tools: [{ name: 'Write', 'input_schema': schema }] },
} as const;

const cut = String.raw`{"file_path":"whole.txt","content":"1\n2\n`;

/** The fragments of arguments in a stream, joined. */
function fragmentsIn(stream: string): string {
  return [...stream.matchAll(/"(?:arguments|partial_json)":("(?:[^"\\]|\\.)*")/g)]
    .map(([, piece = '""']) => JSON.parse(piece) as string)
    .join('');
}

interface OpenaiBody {
  readonly choices: readonly [
    {
      readonly finish_reason: string;
      readonly message: { readonly tool_calls?: readonly { readonly function: { readonly arguments: string } }[] };
    },
  ];
}

interface AnthropicBody {
  readonly stop_reason: string;
  readonly content: readonly { readonly type: string; readonly input?: unknown }[];
}

for (const client of upstreamWires) {
  for (const wire of upstreamWires) {
    for (const healTools of [true, false]) {
      const name = `${client} client, ${wire} upstream, heal_tools = ${healTools}`;
      const { path, tools } = clients[client];

      describe(name, () => {
        for (const stopReason of ['tool-calls', 'length'] as const) {
          const script = { replies: [{ toolCalls: [{ name: 'Write', rawInput: cut }], stopReason }] };

          test(`streamed, ${stopReason}: fragments pass unclosed`, async (context) => {
            const gateway = await startBoth(context, parseScript(script), { healTools });
            const response = await gateway.post(path, ask(`${wire}/m`, 'go', { stream: true, tools }));
            const text = await response.text();
            assert.equal(fragmentsIn(text), cut);
            assert.doesNotMatch(text, /x-simple-agents-healed/);
            const isError = /"error":\{/.test(text);
            assert.equal(isError, healTools && stopReason === 'tool-calls', text);
            if (stopReason === 'length') assert.match(text, /"(?:finish_reason":"length|stop_reason":"max_tokens)"/);
          });

          // Anthropic's plain bodies have arguments as JSON, so they cannot be cut off.
          if (wire === 'anthropic') continue;
          test(`whole, ${stopReason}`, async (context) => {
            const gateway = await startBoth(context, parseScript(script), { healTools });
            const response = await gateway.post(path, ask(`${wire}/m`, 'go', { tools }));
            assert.equal(response.headers.get('x-simple-agents-healed'), null);
            const isPassed = client === wire && !healTools;
            if (stopReason === 'tool-calls' && !isPassed) {
              assert.equal(response.status, 502);
              assert.match(await response.text(), /the call to Write cannot be healed/);
              return;
            }
            assert.equal(response.status, 200);
            if (client === 'anthropic') {
              const body = (await response.json()) as AnthropicBody;
              assert.deepEqual([body.stop_reason, body.content], ['max_tokens', []]);
            } else {
              const [choice] = ((await response.json()) as OpenaiBody).choices;
              assert.equal(choice.message.tool_calls?.[0]?.function.arguments, cut);
              assert.equal(choice.finish_reason, stopReason === 'length' ? 'length' : 'tool_calls');
            }
          });
        }
      });
    }
  }
}

test('a call that is damaged after a part of it was sent ends with an error event', async (context) => {
  const rawInput = '{"file_path": "a.txt", "content": "x", "content 2": "y" "content": "z, "file": 1}';
  const script = parseScript({ replies: [{ times: 2, toolCalls: [{ name: 'Write', rawInput }] }] });
  const gateway = await startBoth(context, script, { healTools: true });
  for (const client of upstreamWires) {
    const { path, tools } = clients[client];
    const response = await gateway.post(path, ask('openai/m', 'go', { stream: true, tools }));
    const text = await response.text();
    assert.throws(() => JSON.parse(fragmentsIn(text)) as unknown);
    assert.match(text, /"error":\{.*cannot be healed/);
  }
});

test('arguments that are JSON but do not fit the schema pass unchanged, streamed and plain', async (context) => {
  const rawInput = '{"file_path": ["a.txt", "b.txt"], "content": 5.5, "mode": null}';
  const script = parseScript({ replies: [{ times: 4, toolCalls: [{ name: 'Write', rawInput }] }] });
  const gateway = await startBoth(context, script, { healTools: true });
  for (const stream of [true, false]) {
    const response = await gateway.post(
      '/v1/chat/completions',
      ask('openai/m', 'go', { stream, tools: clients.openai.tools }),
    );
    const text = await response.text();
    const value = JSON.parse(fragmentsIn(text)) as Record<string, unknown>;
    assert.deepEqual(value['file_path'], ['a.txt', 'b.txt']);
    assert.equal(value['mode'], null);
  }
});
