// A cassette is a folder of recorded exchanges. Each exchange is a folder with `request.json`, `response.meta.json` and
// the raw bytes of the response. Only headers on an allow-list are stored, and credentials are redacted in both bodies.
// A folder is complete when it appears.

import { createHash, randomUUID } from 'node:crypto';
import { access, constants, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { redact, redactBytes, secretsIn } from '../secret.ts';
import type { TransportRequest } from '../transport.ts';

/** A recorded request. */
export interface CassetteRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface CassetteResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface CassetteExchange {
  readonly request: CassetteRequest;
  readonly response: CassetteResponse;
  /** Credentials to redact in the response. */
  readonly secrets: readonly string[];
}

export interface Recording {
  readonly folder: string;
  readonly key: string;
  readonly request: CassetteRequest;
}

const requestHeaders = ['content-type', 'anthropic-version', 'anthropic-beta'];
const responseHeaders = ['content-type', 'retry-after', 'retry-after-ms', 'request-id', 'x-request-id', 'location'];
const secretParameter = /key|token|secret|auth|sig/i;
const folderName = /^\d{4,}-[0-9a-f]{8}$/;

export function toRecordedRequest({ method, url, headers, body = '' }: TransportRequest): CassetteRequest {
  const { pathname, searchParams } = new URL(url);
  const safe = new URLSearchParams([...searchParams].filter(([name]) => !secretParameter.test(name)));
  const query = safe.size === 0 ? '' : `?${safe.toString()}`;
  return {
    method,
    path: pathname + query,
    headers: pick(headers, requestHeaders),
    body: parse(redact(body, secretsIn(headers))),
  };
}

/** Equal for equivalent requests. Headers are not part of the key. */
export function keyOf({ method, path, body }: CassetteRequest): string {
  return createHash('sha256')
    .update(`${method} ${path} ${JSON.stringify(sorted(body))}`)
    .digest('hex');
}

export async function loadCassette(directory: string): Promise<Recording[]> {
  const names = await readdir(directory).catch(() => []);
  const folders = names.filter((name) => folderName.test(name));
  folders.sort((left, right) => numberOf(left) - numberOf(right));
  return Promise.all(
    folders.map(async (folder) => {
      const request = (await loadJson(join(directory, folder, 'request.json'))) as CassetteRequest;
      return { folder, request, key: keyOf(request) };
    }),
  );
}

export async function loadResponse(directory: string, folder: string): Promise<CassetteResponse> {
  const meta = (await loadJson(join(directory, folder, 'response.meta.json'))) as Omit<CassetteResponse, 'body'>;
  const body = await readFile(join(directory, folder, bodyName(meta.headers))).catch(() => {
    throw broken(join(directory, folder, bodyName(meta.headers)), 'cannot be read');
  });
  return { ...meta, body };
}

/** Checks that the folder is writable before the request is sent, so that no response is lost. */
export async function prepareCassette(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true });
    await access(directory, constants.W_OK);
  } catch (error) {
    throw new SimpleAgentsError('configuration', `cannot record to ${directory}: ${(error as Error).message}`);
  }
}

/** Writes a temporary folder and then renames it, so that a recording is always complete. */
export async function saveExchange(
  directory: string,
  { request, response, secrets }: CassetteExchange,
): Promise<Recording> {
  const key = keyOf(request);
  const draft = join(directory, `.recording-${randomUUID()}`);
  await mkdir(draft);
  try {
    const headers = pick(response.headers, responseHeaders);
    await writeFile(join(draft, 'request.json'), toJson(request));
    await writeFile(join(draft, 'response.meta.json'), toJson({ status: response.status, headers }));
    await writeFile(join(draft, bodyName(headers)), redactBytes(response.body, secrets));
    return { folder: await moveIn(directory, draft, key), key, request };
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    throw error;
  }
}

export async function removeRecording(directory: string, folder: string): Promise<void> {
  await rm(join(directory, folder), { recursive: true, force: true });
}

/** The paths at which two requests differ, like `body.messages[0].content`. */
export function differences(left: unknown, right: unknown, path = ''): string[] {
  if (Object.is(left, right)) return [];
  if (Array.isArray(left) && Array.isArray(right)) {
    const longer = left.length > right.length ? left : right;
    return longer.flatMap((_, index) => differences(left[index], right[index], `${path}[${index}]`));
  }
  if (!isRecord(left) || !isRecord(right)) return [path];
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((name) =>
    differences(left[name], right[name], path === '' ? name : `${path}.${name}`),
  );
}

/** Tries the next free number again if another process takes it first. */
async function moveIn(directory: string, draft: string, key: string): Promise<string> {
  for (;;) {
    const numbers = (await readdir(directory)).filter((name) => folderName.test(name)).map(numberOf);
    const number = String(Math.max(0, ...numbers) + 1).padStart(4, '0');
    const folder = `${number}-${key.slice(0, 8)}`;
    try {
      await rename(draft, join(directory, folder));
      return folder;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    }
  }
}

function numberOf(folder: string): number {
  return Number.parseInt(folder, 10);
}

function bodyName(headers: Readonly<Record<string, string>>): string {
  const type = headers['content-type'] ?? '';
  if (type.startsWith('text/event-stream')) return 'response.sse';
  return type.startsWith('application/json') ? 'response.body.json' : 'response.body';
}

function pick(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) if (headers[name] !== undefined) picked[name] = headers[name];
  return picked;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

async function loadJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw broken(file, (error as Error).message);
  }
}

function broken(file: string, reason: string): SimpleAgentsError {
  return new SimpleAgentsError(
    'configuration',
    `the recording ${file} is broken: ${reason}; delete its folder and record it again`,
  );
}
