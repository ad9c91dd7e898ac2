// Where the text comes from: an answer as models write it, the simulated model's answer damaged in a chosen way, a model of
// the gateway, or the user.

import { signal } from '@preact/signals';
import type { JsonObject } from '../../src/core/json.ts';
import { CallError } from '../app/access.ts';
import { streamCompletion } from '../app/completion.ts';
import type { DamageName } from './damage.ts';
import { examples, formatSchema, type Example } from './examples.ts';
import { beginReceiving, endReceiving, pause, playText, receive, showText, text } from './playback.ts';
import { schemaState, schemaText } from './schema-source.ts';

export type Source = 'damaged' | 'model' | 'own';

export const source = signal<Source>('damaged');
export const example = signal<Example>(examples[0]);
export const question = signal(examples[0].question);
/** `typical`: the example's own answer, with several mistakes. */
export const damage = signal<DamageName | 'typical'>('typical');
export const model = signal('');
export const problem = signal<string | undefined>(undefined);

let round = 0;
let receiving: AbortController | undefined;

export function chooseExample(name: string): void {
  const found = examples.find((known) => known.name === name);
  if (found === undefined) return;
  stop();
  example.value = found;
  question.value = found.question;
  schemaText.value = formatSchema(found.schema);
  damage.value = 'typical';
  source.value = 'damaged';
  showText('');
}

export function chooseSource(next: Source): void {
  stop();
  source.value = next;
  problem.value = undefined;
}

/** Starts from the beginning, with the chosen source. */
export async function start(): Promise<void> {
  stop();
  problem.value = undefined;
  if (source.value === 'model') await ask();
  else if (source.value === 'own') playText(text.value);
  else await playDamaged();
}

/** Damages the same answer in another place. */
export async function damageAgain(): Promise<void> {
  round++;
  await start();
}

export function stop(): void {
  receiving?.abort();
  receiving = undefined;
  pause();
}

async function playDamaged(): Promise<void> {
  const { schema } = schemaState.value;
  const kind = damage.value;
  if (kind === 'typical') return playText(example.value.answer);
  if (schema === undefined) return;
  const { damagedAnswer } = await import('./damage.ts');
  // It was parsed from JSON.
  const document = schema as JsonObject;
  const answer = damagedAnswer({ schema: document, question: question.value, damage: kind, round });
  if (answer === undefined) problem.value = 'This damage does not apply to this answer. Choose another kind.';
  else playText(answer);
}

async function ask(): Promise<void> {
  const controller = new AbortController();
  receiving = controller;
  beginReceiving();
  try {
    for await (const event of streamCompletion(toRequest(), controller.signal))
      if (event.type === 'text') receive(event.text);
  } catch (error) {
    if (!controller.signal.aborted) problem.value = error instanceof CallError ? error.message : String(error);
  } finally {
    endReceiving();
  }
}

/** Without a response format, because the gateway would heal the answer before it arrives here. */
function toRequest(): object {
  const system = `Answer with JSON only, without any other text. It must fit this JSON Schema:\n\n${schemaText.value}`;
  const messages = [
    { role: 'system', content: system },
    { role: 'user', content: question.value },
  ];
  return { messages, ...(model.value !== '' && { model: model.value }) };
}

schemaText.value = formatSchema(examples[0].schema);
