// .forgeflare/convergence.json: the signals of hooks and the end of the last turn, for scripts that start the agent in a
// loop. The file is always valid JSON or absent. A failed write causes a warning and changes nothing.

import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isRecord, type JsonObject } from '../../core/json.ts';
import { removeDrafts, replaceFile } from '../atomic-file.ts';
import { settingsFolder } from './load.ts';

export function convergencePath(folder: string): string {
  return join(folder, settingsFolder, 'convergence.json');
}

/** Before anything of the start can fail, because a script must not read the end of an earlier run. */
export async function forgetLastRun(folder: string): Promise<void> {
  // The hooks report a file that cannot be removed.
  await rm(convergencePath(folder), { force: true }).catch(() => undefined);
}

export interface Observation {
  readonly signal: string;
  readonly reason: string;
  readonly iterations: number;
}

export interface FinalState {
  readonly reason: string;
  readonly iterations: number;
  readonly totalTokens: number;
}

export class Convergence {
  readonly #path: string;
  readonly #warn: (line: string) => void;
  /** Serialises changes. */
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, warn: (line: string) => void) {
    this.#path = path;
    this.#warn = warn;
  }

  clear(): Promise<void> {
    return this.#change(async () => {
      await rm(this.#path, { force: true });
      await removeDrafts(this.#path);
    });
  }

  /** Appends all of them in one write. */
  append(observations: readonly Observation[]): Promise<void> {
    const added = observations.map(({ signal, reason, iterations }) => ({
      signal,
      reason,
      'tool_iterations': iterations,
    }));
    return this.#update((state) => ({ ...state, observations: [...listOf(state['observations']), ...added] }));
  }

  finish({ reason, iterations, totalTokens }: FinalState): Promise<void> {
    const timestamp = new Date().toISOString();
    const final = { reason, 'tool_iterations': iterations, 'total_tokens': totalTokens, timestamp };
    return this.#update((state) => ({ ...state, observations: listOf(state['observations']), final }));
  }

  #update(apply: (state: JsonObject) => JsonObject): Promise<void> {
    return this.#change(async () => {
      const state = apply(await this.#read());
      await replaceFile(this.#path, `${JSON.stringify(state, undefined, 2)}\n`);
    });
  }

  async #read(): Promise<JsonObject> {
    const text = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
      return '{}';
    });
    try {
      const state: unknown = JSON.parse(text);
      if (isRecord(state)) return state as JsonObject;
    } catch {
      // Reported below.
    }
    this.#warn(`${this.#path} is not a valid convergence file and is overwritten`);
    return {};
  }

  #change(work: () => Promise<void>): Promise<void> {
    this.#last = this.#last.then(work).catch((error: NodeJS.ErrnoException) => {
      this.#warn(`${this.#path} cannot be written (${error.code ?? error.message})`);
    });
    return this.#last;
  }
}

function listOf(value: JsonObject[string]): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonObject[]) : [];
}
