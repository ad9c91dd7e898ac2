// Loads the agent files of a folder. Every problem is an error that names the file, the line and the fix: an agent with a
// misspelt list of tools would otherwise run with all of them.

import { createHash } from 'node:crypto';
import { lstat, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SimpleAgentsError } from '../../core/error.ts';
import { settingsFolder } from '../hooks/load.ts';
import type { AgentDefinition, AgentTable } from './agent-definition.ts';
import { parseAgentFile } from './agent-file.ts';

const largestFile = 64 * 1024;
const mostFiles = 100;

/** The agents of a project. Undefined if it has none. */
export async function loadProjectAgents(project: string): Promise<AgentTable | undefined> {
  const shown = join(settingsFolder, 'agents');
  const folder = join(project, shown);
  const files = await readFiles(folder, shown);
  if (files.length === 0) return undefined;
  return { kind: 'agents', folder: project, file: folder, digest: digestOf(files), agents: parseAll(files) };
}

/** The user's own agents, in a folder outside of every project. */
export async function loadUserAgents(folder: string): Promise<readonly AgentDefinition[]> {
  return parseAll(await readFiles(folder, folder));
}

interface AgentSource {
  readonly name: string;
  readonly shown: string;
  readonly bytes: Buffer;
}

/** In the order of their names. */
async function readFiles(folder: string, shown: string): Promise<AgentSource[]> {
  const names = (await namesIn(folder, shown)).filter((name) => name.endsWith('.md')).toSorted();
  if (names.length > mostFiles) fail(`${shown}: has ${names.length} files; at most ${mostFiles} are allowed`);
  return Promise.all(names.map((name) => readSource(join(folder, name), { name, shown: join(shown, name) })));
}

async function namesIn(folder: string, shown: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    // A dangling link is not the same as no folder.
    const isAbsent = code === 'ENOENT' && (await lstat(folder).catch(() => undefined)) === undefined;
    return isAbsent || code === 'ENOTDIR' ? [] : fail(`${shown}: cannot be read (${code}); check its permissions`);
  }
}

async function readSource(path: string, named: Omit<AgentSource, 'bytes'>): Promise<AgentSource> {
  const failToRead = ({ code = '' }: NodeJS.ErrnoException) => fail(`${named.shown}: cannot be read (${code})`);
  const status = await stat(path).catch(failToRead);
  // Reading a named pipe would wait for a writer.
  if (!status.isFile()) fail(`${named.shown}: is not a file; remove it`);
  if (status.size > largestFile) fail(`${named.shown}: is larger than ${largestFile / 1024} KB; shorten the prompt`);
  return { ...named, bytes: await readFile(path).catch(failToRead) };
}

function digestOf(files: readonly AgentSource[]): string {
  const hash = createHash('sha256');
  for (const { name, bytes } of files) hash.update(`${JSON.stringify([name, bytes.length])}\n`).update(bytes);
  return hash.digest('hex');
}

function parseAll(files: readonly AgentSource[]): AgentDefinition[] {
  const parsed = files.map(({ bytes, shown }) => parseAgentFile(decode(bytes, shown), shown));
  const agents = parsed.flatMap((each) => ('agent' in each ? [each.agent] : []));
  const problems = parsed.flatMap((each) => ('agent' in each ? [] : each.problems));
  for (const [index, { name, file }] of agents.entries()) {
    const first = agents.findIndex((each) => each.name === name);
    if (first < index) problems.push(`${file}: name: ${agents[first]?.file} has the same name; rename one`);
  }
  return problems.length === 0 ? agents : fail(problems.join('\n'));
}

function decode(bytes: Uint8Array, shown: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail(`${shown}: is not UTF-8 text; save it in that encoding`);
  }
}

function fail(problem: string): never {
  throw new SimpleAgentsError('configuration', problem, { field: 'agents' });
}
