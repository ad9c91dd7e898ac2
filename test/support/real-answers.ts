// Responses of real models with the schema that was asked for, from the optional folder of corpora.

import { readFileSync } from 'node:fs';

import type { JsonSchema } from '../../src/heal/index.ts';
import { corpus } from './requirement.ts';

export interface RealAnswer {
  readonly id: string;
  readonly schema: JsonSchema;
  readonly text: string;
}

const { path, skip } = corpus('real-answers.jsonl');

/** For the `skip` option of a test. */
export const skipRealAnswers = skip;

export function realAnswers(): RealAnswer[] {
  const lines = readFileSync(path, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as RealAnswer);
}
