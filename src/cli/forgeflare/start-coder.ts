// Starts the coding agent that the flags describe: the command line's side of coder/assemble.ts.

import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { stateFolder } from '../state-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import {
  assembleCoder,
  type AssembleOptions,
  type McpOptions,
  type UserQuestions,
  type SessionChoice,
} from '../../coder/assemble.ts';
import type { Coder } from '../../coder/coder.ts';
import type { PermissionMode } from '../../coder/permission/decision.ts';
import type { RunFlags } from './flags.ts';
import { connectAgent, connectOther } from './model.ts';
import { trustOptionsOf } from './trust-options.ts';
import { toHostOptions } from './stream-json/host-options.ts';

export interface StartOptions extends Pick<AssembleOptions, 'policies' | 'onRefusal' | 'systemPrompt' | 'subagents'> {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  readonly questions?: UserQuestions;
  /** The simulated model may respond if no key is set, because a person sees the note. Default: false. */
  readonly mayFallBack?: boolean;
  readonly warn: (line: string) => void;
  /** Receives what has no effect. */
  readonly note?: (line: string) => void;
  readonly signal: AbortSignal;
  /** The MCP servers inside the host's program. */
  readonly relays?: McpOptions['relays'];
  /** If the flags and settings name no permission mode. */
  readonly defaultPermission?: PermissionMode;
}

export async function startCoder({
  flags: given,
  terminal,
  note,
  mayFallBack = false,
  defaultPermission,
  relays,
  ...rest
}: StartOptions): Promise<Coder> {
  const { model, notes, assemble } = await toHostOptions(given, terminal.cwd);
  for (const each of notes) note?.(each);
  const flags: RunFlags = { ...given, ...omitUndefined({ model }) };
  const { maxTokens, addDir, sandbox, allowNetwork, effort, thinking, maxThinkingTokens } = flags;
  const trust = trustOptionsOf(flags, terminal);
  const coder = await assembleCoder({
    ...assemble,
    cwd: terminal.cwd,
    env: terminal.env,
    connectModel: (name) =>
      name === undefined ? connectAgent(flags, terminal, { mayFallBack }) : connectOther(name, flags, terminal),
    maxTokens,
    sandbox: { mode: sandbox, allowsNetwork: allowNetwork },
    ...trust,
    mcp: { ...trust.mcp, relays },
    ...omitUndefined({
      stateFolder: stateFolder(terminal.env),
      extraFolders: addDir,
      permission: assemble.permission ?? defaultPermission,
      ...sessionOf(flags),
    }),
    ...rest,
    subagents: [...(assemble.subagents ?? []), ...(rest.subagents ?? [])],
    ...(rest.systemPrompt === undefined ? {} : { systemPrompt: { ...assemble.systemPrompt, ...rest.systemPrompt } }),
  });
  coder.effort = effort ?? (thinking === 'disabled' ? 'none' : undefined);
  coder.reasoningTokens = maxThinkingTokens;
  return coder;
}

function sessionOf(flags: RunFlags): { session?: SessionChoice; sessionUuid?: string } {
  const { resume: id, sessionId } = flags;
  const choice = flags.fork || flags.forkSession ? 'fork' : flags.wait ? 'wait' : undefined;
  if (id !== undefined || flags.continue !== undefined) {
    if (sessionId === undefined || choice === 'fork') return { session: { id, choice, forkUuid: sessionId } };
    const problem = 'cannot be combined with --resume or --continue, unless --fork-session is given';
    throw new SimpleAgentsError('bad-request', `--session-id: ${problem}`);
  }
  if (choice === undefined) return omitUndefined({ sessionUuid: sessionId });
  throw new SimpleAgentsError('bad-request', `--${choice}: needs a session; add --continue or --resume ID`);
}
