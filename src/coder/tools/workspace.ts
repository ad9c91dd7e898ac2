// Where the coding tools work: folders, environment and sandbox. Plain data from the code that assembles the agent.

import type { Denied } from '../sandbox/denied-writes.ts';

export interface Workspace {
  /** The project. Absolute. The model's relative paths start here, and commands run here. */
  readonly root: string;
  /** Further folders that the file tools may read and write. Absolute. */
  readonly extraRoots?: readonly string[];
  /** The user's home folder. No file tool opens the keys and tokens in it, even if it is inside a root. */
  readonly home?: string;
  /** Further paths that no file tool may write, such as the permissions file. Absolute. */
  readonly protectedPaths?: readonly string[];
  /** The user's git settings files. Default: those in the home folder. Absolute. */
  readonly gitConfigFiles?: readonly string[];
  /** For processes that tools start, without secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** The editor that holds files of the workspace open. */
  readonly editor?: EditorFiles;
  /** Returns what to spawn to run a command in the sandbox. Undefined: commands run without a sandbox. */
  readonly enter?: (command: readonly string[]) => Promise<EnteredCommand>;
}

export interface EnteredCommand {
  readonly program: string;
  readonly args: readonly string[];
  /** Called before `leave` with the output of the command. Resolves to what it tried to change and could not. */
  readonly findDenied?: (output: string) => Promise<Denied>;
  /** Called once when every process of the command has ended. Resolves to the paths that were moved aside. */
  readonly leave?: () => Promise<readonly string[]>;
}

/**
 * The open files of an editor, which may have changes that are not saved. Paths are absolute real paths that the file tools
 * have checked. Each function is undefined if the editor does not offer it.
 */
export interface EditorFiles {
  /** Resolves to undefined if the editor cannot read the file. The file on the disk is used then. */
  readonly read?: (path: string) => Promise<string | undefined>;
  /** Rejects with a message for the model if the file was not written. */
  readonly write?: (path: string, text: string) => Promise<void>;
}
