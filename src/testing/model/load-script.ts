// Loads a script from a file. An error names the file and the field.

import { readFile } from 'node:fs/promises';

import { SimpleAgentsError } from '../../core/error.ts';
import { parseScript, type Script } from './script.ts';

export async function loadScript(path: string): Promise<Script> {
  try {
    return parseScript(JSON.parse(await readFile(path, 'utf8')));
  } catch (error) {
    const field = error instanceof SimpleAgentsError ? error.field : undefined;
    throw new SimpleAgentsError('configuration', `script ${path}: ${reasonOf(error as NodeJS.ErrnoException)}`, {
      cause: error,
      ...(field === undefined ? {} : { field }),
    });
  }
}

function reasonOf(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return 'file not found';
  return error instanceof SyntaxError ? `is not JSON: ${error.message}` : error.message;
}
