// Reads tool definitions from a JSON file, in our own format, Anthropic's, or either of OpenAI's.

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SimpleAgentsError } from '../../../core/error.ts';
import { omitUndefined, isRecord, type JsonSchema } from '../../../core/json.ts';
import type { ToolDefinition } from '../../../core/request.ts';
import { toTarget } from '../../../heal/schema/schema-input.ts';
import { reasonOf } from '../../terminal/input.ts';

/** The file contains one definition or a list. */
export async function readTools(file: string, cwd: string): Promise<ToolDefinition[]> {
  try {
    const document: unknown = JSON.parse(await readFile(resolve(cwd, file), 'utf8'));
    const entries: readonly unknown[] = Array.isArray(document) ? document : [document];
    if (entries.length === 0) throw new Error('contains no tools');
    return entries.map((entry, index) => toTool(entry, Array.isArray(document) ? `[${index}]: ` : ''));
  } catch (error) {
    throw new SimpleAgentsError('bad-request', `--tool ${file}: ${reasonOf(error)}`, { field: 'tool' });
  }
}

function toTool(entry: unknown, position: string): ToolDefinition {
  const tool = isRecord(entry) && isRecord(entry['function']) ? entry['function'] : entry;
  if (!isRecord(tool) || typeof tool['name'] !== 'string' || tool['name'] === '') {
    throw new Error(`${position}a tool must be an object with "name", "description" and "inputSchema"`);
  }
  const { name, description } = tool;
  const inputSchema = tool['inputSchema'] ?? tool['input_schema'] ?? tool['parameters'] ?? { type: 'object' };
  if (!isRecord(inputSchema)) throw new Error(`${position}the schema of ${JSON.stringify(name)} must be an object`);
  toTarget(inputSchema);
  return omitUndefined({
    name,
    description: typeof description === 'string' ? description : undefined,
    inputSchema: inputSchema as JsonSchema,
  });
}
