// Reads texts with their labels. A text without a label is left out, because nobody has read it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { JsonSchema } from '../../src/core/json.ts';
import type { Labels } from './label.ts';

export interface LabelledResponse {
  readonly id: string;
  readonly schema: JsonSchema;
  readonly text: string;
  /** Digests of the values that a reader accepts; empty if the text holds no value of its schema. */
  readonly labels: readonly string[];
}

/** Labels of responses, and of the tool calls in the tests of vLLM's parsers. */
const labelFiles = ['labels.json', 'tool-call-labels.json'];

/** The labelled texts of a file with one JSON object `{id, schema, text}` in each line. */
export async function loadLabelled(path: string): Promise<LabelledResponse[]> {
  const labels = await loadLabels();
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => {
    const { id, schema, text } = JSON.parse(line) as LabelledResponse;
    const known = labels.get(id);
    return known === undefined ? [] : [{ id, schema, text, labels: known }];
  });
}

async function loadLabels(): Promise<ReadonlyMap<string, readonly string[]>> {
  const contents = await Promise.all(labelFiles.map(async (file) => readFile(join(import.meta.dirname, file), 'utf8')));
  return new Map(contents.flatMap((content) => Object.entries(JSON.parse(content) as Labels)));
}
