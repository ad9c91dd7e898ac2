// Starts the coding agent that the flags describe: the command line's side of coder/assemble.ts.

import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { stateFolder } from '../state-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { assembleCoder, type UserQuestions, type SessionChoice } from '../../coder/assemble.ts';
import type { Coder } from '../../coder/coder.ts';
import type { RunFlags } from './flags.ts';
import { connectAgent, connectOther } from './model.ts';

export interface StartOptions {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  readonly questions?: UserQuestions;
  readonly warn: (line: string) => void;
  readonly signal: AbortSignal;
}

export async function startCoder({ flags, terminal, ...rest }: StartOptions): Promise<Coder> {
  const { permission, maxTokens, maxCost, sandbox, allowNetwork } = flags;
  return assembleCoder({
    cwd: terminal.cwd,
    env: terminal.env,
    connectModel: (name) => (name === undefined ? connectAgent(flags, terminal) : connectOther(name, flags, terminal)),
    maxTokens,
    sandbox: { mode: sandbox, allowsNetwork: allowNetwork },
    hooks: flags.hooks ? (flags.trustHooks ? 'trust' : 'on') : 'off',
    ...omitUndefined({ stateFolder: stateFolder(terminal.env), permission, maxCost, session: sessionOf(flags) }),
    ...rest,
  });
}

function sessionOf(flags: RunFlags): SessionChoice | undefined {
  const choice = flags.fork ? 'fork' : flags.wait ? 'wait' : undefined;
  if (flags.resume !== undefined || flags.continue !== undefined) return { id: flags.resume, choice };
  if (choice === undefined) return undefined;
  throw new SimpleAgentsError('bad-request', `--${choice}: needs a session; add --continue or --resume ID`);
}
