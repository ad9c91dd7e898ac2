// What OpenAI's legacy completions API has and a chat does not.

import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { Unsupported } from '../unsupported.ts';

export const wireName = 'openai-completions';

/** Fields with no equivalent in a chat, and the values that change nothing. */
export const ownFields: Readonly<Record<string, readonly unknown[]>> = {
  suffix: [''],
  echo: [false],
  logprobs: [],
  best_of: [1],
  n: [1],
};

/** The prompt as the text of one message; undefined if it is more, or something else. */
export function promptText(prompt: JsonValue | undefined): string | undefined {
  const [first, ...others] = promptsOf(prompt);
  return typeof first === 'string' && first !== '' && others.length === 0 ? first : undefined;
}

/** What a chat cannot express. */
export function findInCompletion(completion: JsonObject): Unsupported | undefined {
  const { prompt } = completion;
  if (promptText(prompt) === undefined) return { field: 'prompt', problem: promptProblem(promptsOf(prompt)) };
  const field = Object.keys(ownFields).find((name) => isSet(completion, name));
  return field === undefined ? undefined : { field, problem: 'has no such field; leave it out' };
}

function isSet(completion: JsonObject, name: string): boolean {
  const value = completion[name] ?? undefined;
  return value !== undefined && !ownFields[name]?.includes(value);
}

/** One prompt is a text or a list of tokens. */
function promptsOf(prompt: JsonValue | undefined): readonly unknown[] {
  const isList = Array.isArray(prompt) && typeof prompt[0] !== 'number';
  return isList ? prompt : [prompt];
}

function promptProblem(prompts: readonly unknown[]): string {
  if (prompts.length > 1) return `takes one prompt, but there are ${prompts.length}; send one request for each`;
  return prompts[0] === '' ? 'takes no empty prompt' : 'takes no tokens; send the prompt as a string';
}
