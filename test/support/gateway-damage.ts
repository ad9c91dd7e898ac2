// A model that damages its JSON in a named way, and the result of the official SDKs' helpers through the gateway: the
// value, another one that fits the schema, or an explicit error. Anything else is a failure of the gateway.

import * as anthropic from '@anthropic-ai/sdk';
import { zodOutputFormat } from '@anthropic-ai/sdk/helpers/zod';
import * as openai from 'openai';
import { zodFunction, zodResponseFormat } from 'openai/helpers/zod';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

import { damageKinds } from '../../src/testing/damage/damage.ts';
import { parseScript, type Script } from '../../src/testing/model/script.ts';
import { upstreams, type GatewayStack } from './gateway-stack.ts';

const profile = z.object({
  name: z.string(),
  age: z.number().int(),
  active: z.boolean(),
  note: z.string().nullable(),
  tags: z.array(z.string()),
  address: z.object({ street_name: z.string(), number: z.number() }),
});

const undamaged: z.infer<typeof profile> = {
  name: 'Ada Lovelace, the first of us',
  age: 36,
  active: true,
  note: null,
  tags: ['mathematics', 'poetry of numbers'],
  address: { street_name: 'Saint James Square', number: 12.5 },
};

/** For the prompt `answer KIND` or `call KIND`, the model sends the profile with that damage. */
export const damageScript: Script = parseScript({
  replies: damageKinds.flatMap((damage) => [
    { match: { regex: `^answer ${damage}$` }, json: undamaged, fault: { damage } },
    {
      match: { regex: `^call ${damage}$` },
      toolCalls: [{ name: 'save_profile', id: 'call_1', input: undamaged }],
      fault: { damage },
    },
  ]),
});

export type Outcome = 'exact' | 'valid' | 'refused' | 'wrong';

type Way = (stack: GatewayStack, model: string, damage: string) => Promise<unknown>;

function openaiClient({ url }: GatewayStack): openai.OpenAI {
  return new openai.OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 });
}

function anthropicClient({ url }: GatewayStack): anthropic.Anthropic {
  return new anthropic.Anthropic({ apiKey: 'any', baseURL: url, maxRetries: 0 });
}

function openaiAnswer(model: string, damage: string) {
  const messages = [{ role: 'user' as const, content: `answer ${damage}` }];
  return { model, messages, response_format: zodResponseFormat(profile, 'profile') };
}

function openaiCall(model: string, damage: string) {
  const messages = [{ role: 'user' as const, content: `call ${damage}` }];
  return { model, messages, tools: [zodFunction({ name: 'save_profile', parameters: profile })] };
}

function anthropicAnswer(model: string, damage: string) {
  const messages = [{ role: 'user' as const, content: `answer ${damage}` }];
  return { model, max_tokens: 1000, messages, output_config: { format: zodOutputFormat(profile) } };
}

function anthropicCall(model: string, damage: string) {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(profile);
  const messages = [{ role: 'user' as const, content: `call ${damage}` }];
  const input = schema as anthropic.Anthropic.Tool.InputSchema;
  return { model, max_tokens: 1000, messages, tools: [{ name: 'save_profile', input_schema: input }] };
}

function inputOf({ content }: anthropic.Anthropic.Message): unknown {
  return content.find((block) => block.type === 'tool_use')?.input;
}

const ways: Readonly<Record<string, Way>> = {
  'openai parse': async (stack, model, damage) =>
    (await openaiClient(stack).chat.completions.parse(openaiAnswer(model, damage))).choices[0]?.message.parsed,
  'openai stream': async (stack, model, damage) => {
    const stream = openaiClient(stack).chat.completions.stream(openaiAnswer(model, damage));
    return (await stream.finalChatCompletion()).choices[0]?.message.parsed;
  },
  'openai parse, tool': async (stack, model, damage) => {
    const completion = await openaiClient(stack).chat.completions.parse(openaiCall(model, damage));
    const [call] = completion.choices[0]?.message.tool_calls ?? [];
    return call?.type === 'function' ? call.function.parsed_arguments : undefined;
  },
  'openai stream, tool': async (stack, model, damage) => {
    const stream = openaiClient(stack).chat.completions.stream(openaiCall(model, damage));
    const [call] = (await stream.finalChatCompletion()).choices[0]?.message.tool_calls ?? [];
    return call?.type === 'function' ? call.function.parsed_arguments : undefined;
  },
  'anthropic parse': async (stack, model, damage) =>
    (await anthropicClient(stack).messages.parse(anthropicAnswer(model, damage))).parsed_output,
  'anthropic stream': async (stack, model, damage) =>
    (await anthropicClient(stack).messages.stream(anthropicAnswer(model, damage)).finalMessage()).parsed_output,
  'anthropic create, tool': async (stack, model, damage) =>
    inputOf(await anthropicClient(stack).messages.create(anthropicCall(model, damage))),
  'anthropic stream, tool': async (stack, model, damage) =>
    inputOf(await anthropicClient(stack).messages.stream(anthropicCall(model, damage)).finalMessage()),
};

/** Errors of the gateway, as an SDK throws them. A parser error of the SDK is not one. */
function isRefusal(error: unknown): boolean {
  const isApiError = error instanceof openai.APIError || error instanceof anthropic.APIError;
  return isApiError && error.message.includes('cannot be healed');
}

export interface Combination {
  readonly name: string;
  readonly way: Way;
  readonly model: string;
}

/** In plain bodies of Anthropic's wire, arguments are JSON and not text, so they cannot be damaged. */
export const combinations: readonly Combination[] = upstreams.flatMap(({ name: upstream, model, path }) =>
  Object.entries(ways)
    .filter(([name]) => !name.endsWith('tool') || upstream.endsWith('-compatible'))
    .filter(([name]) => !/(?:parse|create), tool$/u.test(name) || path !== '/v1/messages')
    .map(([name, way]) => ({ name: `${name}, in front of ${upstream}`, way, model })),
);

export async function outcomeOf(stack: GatewayStack, { way, model }: Combination, damage: string): Promise<Outcome> {
  try {
    const value = await way(stack, model, damage);
    if (!profile.safeParse(value).success) return 'wrong';
    return isDeepStrictEqual(value, undamaged) ? 'exact' : 'valid';
  } catch (error) {
    return isRefusal(error) ? 'refused' : 'wrong';
  }
}
