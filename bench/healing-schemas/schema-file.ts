// The schemas of a checkout of guidance-ai/jsonschemabench: one JSON file each, in folders by origin.

import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

import type { JsonSchema } from '../../src/core/json.ts';

export interface BenchSchema {
  readonly name: string;
  readonly schema: JsonSchema;
}

export function loadSchemas(folder: string): BenchSchema[] {
  const data = join(folder, 'data');
  return globSync(join(data, '*/*.json'))
    .toSorted()
    .map((file) => ({ name: relative(data, file), schema: JSON.parse(readFileSync(file, 'utf8')) as JsonSchema }));
}
