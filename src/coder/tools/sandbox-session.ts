// The way into the sandbox and out of it, for commands that may run at the same time: what one has to tidy up waits until
// none is inside, for it would take away what still protects the others; and nobody goes in while it is done.

import type { EnteredCommand, Workspace } from './workspace.ts';

export interface SandboxSession {
  enter(command: readonly [string, ...string[]]): Promise<EnteredCommand>;
  /** To be called once for every command that entered. Gives what was moved aside. */
  leave(entered: EnteredCommand): Promise<readonly string[]>;
}

export function createSandboxSession({ enter }: Workspace): SandboxSession {
  return enter === undefined ? unsandboxed : new SharedSandboxSession(enter);
}

const unsandboxed: SandboxSession = {
  enter: ([program, ...args]) => Promise.resolve({ program, args }),
  leave: () => Promise.resolve([]),
};

class SharedSandboxSession implements SandboxSession {
  readonly #enter: NonNullable<Workspace['enter']>;
  #inside = 0;
  readonly #leaving: NonNullable<EnteredCommand['leave']>[] = [];
  #tidying: Promise<unknown> = Promise.resolve();

  constructor(enter: NonNullable<Workspace['enter']>) {
    this.#enter = enter;
  }

  async enter(command: readonly [string, ...string[]]): Promise<EnteredCommand> {
    this.#inside += 1;
    try {
      await this.#tidying;
      return await this.#enter(command);
    } catch (error) {
      await this.#exit();
      throw error;
    }
  }

  leave({ leave }: EnteredCommand): Promise<readonly string[]> {
    if (leave !== undefined) this.#leaving.push(leave);
    return this.#exit();
  }

  async #exit(): Promise<readonly string[]> {
    this.#inside -= 1;
    if (this.#inside > 0) return [];
    const tidying = tidy(this.#leaving.splice(0));
    this.#tidying = tidying;
    return tidying;
  }
}

/** One after the other. What goes wrong in one is no reason not to tidy up after the next, nor for a command to fail. */
async function tidy(all: readonly NonNullable<EnteredCommand['leave']>[]): Promise<readonly string[]> {
  const moved: string[] = [];
  for (const leave of all) moved.push(...(await leave().catch(() => [])));
  return moved;
}
