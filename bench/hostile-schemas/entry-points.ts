// Every way for a client's schema to reach healing: the request that carries it, and the model's response.

import type { JsonSchema } from '../../src/heal/index.ts';
import { toolName, type Reply } from './reply.ts';

export interface EntryPoint {
  readonly name: string;
  readonly path: string;
  readonly body: (schema: JsonSchema, text: string) => object;
  readonly reply?: (text: string) => Reply;
}

const messages = [{ role: 'user', content: 'go' }];

const heal: EntryPoint = { name: 'heal', path: '/v1/heal', body: (schema, text) => ({ schema, text }) };

const chat = (['upstream/m', 'simulated'] as const).flatMap((model) =>
  [false, true].flatMap((stream): EntryPoint[] => {
    const name = [...(model === 'simulated' ? ['simulated'] : []), ...(stream ? ['streamed'] : [])];
    const common = { model, stream, messages };
    return [
      {
        name: ['response', ...name].join(', '),
        path: '/v1/chat/completions',
        body: (schema) => ({
          ...common,
          response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } },
        }),
        reply: (text) => ({ kind: 'text', text }),
      },
      {
        name: ['tool', ...name].join(', '),
        path: '/v1/chat/completions',
        body: (schema) => ({
          ...common,
          tools: [{ type: 'function', function: { name: toolName, parameters: asParameter(schema) } }],
        }),
        reply: (text) => ({ kind: 'tool', text: asArgument(text) }),
      },
    ];
  }),
);

const anthropic = [false, true].flatMap((stream): EntryPoint[] => {
  const common = { model: 'upstream/m', max_tokens: 1000, stream, messages };
  const suffix = stream ? ', streamed' : '';
  return [
    {
      name: `Anthropic response${suffix}`,
      path: '/v1/messages',
      body: (schema) => ({ ...common, output_config: { format: { type: 'json_schema', schema } } }),
      reply: (text) => ({ kind: 'text', text }),
    },
    {
      name: `Anthropic tool${suffix}`,
      path: '/v1/messages',
      body: (schema) => ({ ...common, tools: [{ name: toolName, input_schema: asParameter(schema) }] }),
      reply: (text) => ({ kind: 'tool', text: asArgument(text) }),
    },
  ];
});

export const entryPoints: readonly EntryPoint[] = [heal, ...chat, ...anthropic];

/** Arguments are an object, so the schema becomes that of a parameter. */
function asParameter(schema: JsonSchema): JsonSchema {
  const { $defs = {}, ...rest } = schema;
  return { type: 'object', properties: { value: rest }, required: ['value'], $defs };
}

function asArgument(text: string): string {
  return `{"value": ${text}}`;
}
