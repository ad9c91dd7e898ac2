// The session files of the claude CLI: one folder for each project, one JSON line for each message. Only read, and deleted
// on request. The format is the CLI's own and changes, so everything in it is optional.

import { createReadStream } from 'node:fs';
import { readdir, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { SessionInfo } from '../../../acp/types.ts';
import { readVariable, type Environment } from '../../../config/environment.ts';
import { SimpleAgentsError } from '../../../core/error.ts';
import { textOf, type Message } from '../../../core/message.ts';
import { decodeContent } from '../../../streamjson/block.ts';
import { recordOf, stringOf } from '../../../streamjson/line.ts';

const idPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const suffix = '.jsonl';

export class ClaudeTranscripts {
  readonly #root: string;
  /** The folders that were listed or loaded from, whose sessions may be deleted. */
  readonly #folders = new Set<string>();

  constructor(env: Environment) {
    const home = readVariable('HOME', env) ?? homedir();
    this.#root = join(readVariable('CLAUDE_CONFIG_DIR', env) ?? join(home, '.claude'), 'projects');
  }

  /** Rejects with `not-found` if there is no such session. */
  async load(folder: string, id: string): Promise<readonly Message[]> {
    const path = join(this.#folderOf(folder), `${id}${suffix}`);
    const isFile = idPattern.test(id) && (await stat(path).catch(() => undefined))?.isFile();
    if (isFile !== true)
      throw new SimpleAgentsError('not-found', `there is no session ${JSON.stringify(id)} in ${folder}`);
    return readMessages(path);
  }

  async list(folder: string): Promise<readonly SessionInfo[]> {
    const own = this.#folderOf(folder);
    const names = await readdir(own).catch(() => []);
    const ids = names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length));
    const found = await Promise.all(ids.filter((id) => idPattern.test(id)).map((id) => this.#describe(folder, id)));
    return found.toSorted((left, right) => (left.updatedAt < right.updatedAt ? 1 : -1));
  }

  async delete(id: string): Promise<void> {
    for (const folder of this.#folders) {
      const path = join(folder, `${id}${suffix}`);
      if (idPattern.test(id) && (await stat(path).catch(() => undefined)) !== undefined) return rm(path);
    }
    throw new SimpleAgentsError('not-found', `there is no session ${JSON.stringify(id)}`);
  }

  async #describe(folder: string, sessionId: string) {
    const path = join(this.#folderOf(folder), `${sessionId}${suffix}`);
    const [messages, { mtime }] = await Promise.all([readMessages(path, 1), stat(path)]);
    const title = textOf(messages[0]?.content ?? []).slice(0, 80);
    return { sessionId, cwd: folder, title, updatedAt: mtime.toISOString() };
  }

  /** The CLI names the folder of a project after its path. */
  #folderOf(folder: string): string {
    const own = join(this.#root, folder.replaceAll(/[^A-Za-z0-9]/g, '-'));
    this.#folders.add(own);
    return own;
  }
}

async function readMessages(path: string, most = Infinity): Promise<Message[]> {
  const messages: Message[] = [];
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  for await (const line of lines) {
    const message = toMessage(line);
    if (message !== undefined) messages.push(message);
    if (messages.length >= most) break;
  }
  lines.close();
  return messages;
}

/** Undefined for other lines, and for texts that the CLI added itself. */
function toMessage(line: string): Message | undefined {
  const { type, message, isMeta, isSidechain } = parse(line);
  if ((type !== 'user' && type !== 'assistant') || isMeta === true || isSidechain === true) return undefined;
  const { content } = recordOf(message);
  if (typeof content !== 'string' && !Array.isArray(content)) return undefined;
  const role = stringOf(recordOf(message)['role']) === 'assistant' ? 'assistant' : 'user';
  return { role, content: decodeContent(content) };
}

function parse(line: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(line));
  } catch {
    return {};
  }
}
