// Reads and checks the JSON Schema file of `--schema`.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SimpleAgentsError } from '../../../core/error.ts';
import { isRecord } from '../../../core/json.ts';
import { HealError, type JsonSchema } from '../../../heal/index.ts';
import { toTarget } from '../../../heal/schema/schema-input.ts';
import { reasonOf } from '../../terminal/input.ts';

export async function readSchema(file: string, cwd: string): Promise<JsonSchema> {
  try {
    const schema: unknown = JSON.parse(await readFile(resolve(cwd, file), 'utf8'));
    if (!isRecord(schema)) throw new HealError('invalid-schema', 'is not a JSON Schema; it must be an object');
    toTarget(schema);
    return schema;
  } catch (error) {
    throw new SimpleAgentsError('bad-request', `--schema ${file}: ${reasonOf(error)}`, { field: 'schema' });
  }
}
