// A hook: a command of the user that receives tool calls or the end of a turn and may block or signal.

export type HookEvent = 'PreToolUse' | 'PostToolUse' | 'Stop';

/** A guard may block a call. An observer receives the decision. */
export type HookPhase = 'guard' | 'observe';

export interface Hook {
  readonly event: HookEvent;
  /** For `bash -c`. */
  readonly command: string;
  /** The exact name of a tool. Default: every tool. */
  readonly matchTool?: string;
  /** Only relevant for `PreToolUse`. */
  readonly phase: HookPhase;
  /** Milliseconds. */
  readonly timeout: number;
}

/** The hooks of a project, as loaded from their file. */
export interface HookTable {
  readonly kind: 'hooks';
  /** The project. Absolute. */
  readonly folder: string;
  readonly file: string;
  /** SHA-256 of the bytes that were parsed, so that trust covers exactly this content. */
  readonly digest: string;
  readonly hooks: readonly Hook[];
}
