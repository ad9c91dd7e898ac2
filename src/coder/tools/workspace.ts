// Where the coding tools work: which folders, with which environment, behind which sandbox. Plain data from whoever
// starts the agent; nothing here looks at the machine.

import type { Denied } from '../sandbox/denied-writes.ts';

export interface Workspace {
  /** The project. Absolute; relative paths of the model start here, and commands run here. */
  readonly root: string;
  /** Further folders that file tools may read and write. Absolute. */
  readonly extraRoots?: readonly string[];
  /** The user's home, whose keys and tokens no file tool opens even where it lies in a root. */
  readonly home?: string;
  /** Further paths no file tool may write, such as the memory of permissions. Absolute. */
  readonly protectedPaths?: readonly string[];
  /** The user's settings files of git; left out, those below the home. Absolute. */
  readonly gitConfigFiles?: readonly string[];
  /** For the processes of tools, with secrets already taken out. */
  readonly environment: Readonly<Record<string, string>>;
  /** The sandbox: what to spawn in place of the command. Left out: commands run without one. */
  readonly enter?: (command: readonly string[]) => Promise<EnteredCommand>;
}

export interface EnteredCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Called before `leave`, with what the command printed: what it tried to change and could not. */
  readonly findDenied?: (output: string) => Promise<Denied>;
  /** Called once when every process of the command is gone. Gives the paths that had to be moved aside. */
  readonly leave?: () => Promise<readonly string[]>;
}
