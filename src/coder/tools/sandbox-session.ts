// Enters and leaves the sandbox for commands that may run in parallel. Clean-up waits until no command is inside, because it
// would remove protections that other commands still need. No command enters during clean-up.

import type { EnteredCommand, Workspace } from './workspace.ts';

export interface SandboxSession {
  enter(command: readonly [string, ...string[]]): Promise<EnteredCommand>;
  /** Call it once for every command that entered. Resolves to the paths that were moved aside. */
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
  #cleanup: Promise<unknown> = Promise.resolve();

  constructor(enter: NonNullable<Workspace['enter']>) {
    this.#enter = enter;
  }

  async enter(command: readonly [string, ...string[]]): Promise<EnteredCommand> {
    this.#inside += 1;
    try {
      await this.#cleanup;
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
    const cleanup = cleanUp(this.#leaving.splice(0));
    this.#cleanup = cleanup;
    return cleanup;
  }
}

/** In sequence. A failure does not stop the clean-up of the others and does not make the command fail. */
async function cleanUp(all: readonly NonNullable<EnteredCommand['leave']>[]): Promise<readonly string[]> {
  const moved: string[] = [];
  for (const leave of all) moved.push(...(await leave().catch(() => [])));
  return moved;
}
