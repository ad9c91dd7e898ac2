// The secret that signs the ids of responses, from a file that replicas share. A missing file is created for its owner only.
// Servers that start at the same time agree on one key: the file appears complete, and only the first one succeeds.

import { randomBytes, randomUUID } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';

import { SimpleAgentsError } from '../../../core/error.ts';

const keyLength = 32;

export async function loadSigningKey(path: string): Promise<Uint8Array> {
  return parseKey((await readKey(path)) ?? (await createKey(path)), path);
}

async function readKey(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    return failToUse(path, 'read', error);
  }
}

async function createKey(path: string): Promise<string> {
  const text = `${randomBytes(keyLength).toString('hex')}\n`;
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeFile(draft, text, { mode: 0o600, flag: 'wx' });
    await link(draft, path);
    return text;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return await readFile(path, 'utf8');
    return failToUse(path, 'created', error);
  } finally {
    await rm(draft, { force: true });
  }
}

function parseKey(text: string, path: string): Uint8Array {
  const digits = text.trim();
  if (!/^[0-9a-f]*$/i.test(digits) || digits.length < 2 * keyLength || digits.length % 2 === 1) {
    const problem = `signing_key_file: ${path} must contain at least ${2 * keyLength} hexadecimal digits`;
    throw new SimpleAgentsError('configuration', `${problem}; delete it to create a new key`, {
      field: 'signing_key_file',
    });
  }
  return Buffer.from(digits, 'hex');
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

function failToUse(path: string, action: string, cause: unknown): never {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const message = `signing_key_file: ${path} could not be ${action}: ${reason}`;
  throw new SimpleAgentsError('configuration', message, { cause, field: 'signing_key_file' });
}
