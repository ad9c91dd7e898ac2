// What a hook is: a command of the user's that is told of tool calls and of the end of a turn, and may have a say.

export type HookEvent = 'PreToolUse' | 'PostToolUse' | 'Stop';

/** A guard may block a call; an observer is told what became of it. */
export type HookPhase = 'guard' | 'observe';

export interface Hook {
  readonly event: HookEvent;
  /** For `bash -c`. */
  readonly command: string;
  /** Exactly this tool; left out, every one. */
  readonly matchTool?: string;
  /** Only `PreToolUse` knows the difference. */
  readonly phase: HookPhase;
  /** Milliseconds. */
  readonly timeout: number;
}

/** A project's hooks, as their file says. */
export interface HookTable {
  /** The project. Absolute. */
  readonly folder: string;
  readonly file: string;
  /** Of the file's bytes: what was read is what is trusted. */
  readonly digest: string;
  readonly hooks: readonly Hook[];
}
