// `forgeflare --output-format stream-json`: runs one prompt, or takes prompts and control requests from a host on standard
// input. Standard output has only lines of JSON; everything else is on stderr.

import { SimpleAgentsError } from '../../../core/error.ts';
import type { Invocation } from '../../invocation.ts';
import { abortExitCode } from '../../../core/error.ts';
import type { RunFlags } from '../flags.ts';
import { HostSession } from './session.ts';

/** As in the claude CLI: the last turn ended with an error. */
const failedExitCode = 1;

/** `prompt` is undefined if a host drives the agent. */
export async function runStreamJson(
  prompt: string | undefined,
  flags: RunFlags,
  invocation: Invocation,
): Promise<number> {
  const { terminal, signal } = invocation;
  if (prompt !== undefined && flags.permissionPromptTool !== undefined) {
    throw new SimpleAgentsError('bad-request', '--permission-prompt-tool stdio: requires --input-format stream-json');
  }
  const isQuiet = flags.quiet === true;
  const tell = (line: string): void => {
    if (!(isQuiet && line.startsWith('note: '))) terminal.stderr.write(`forgeflare: ${line}\n`);
  };
  const session = new HostSession({ flags, terminal, signal, tell });
  if (prompt !== undefined) session.enqueue({ type: 'user', message: { role: 'user', content: prompt } });
  const isError = await (prompt === undefined ? session.serve() : session.finish());
  if (signal.aborted) return abortExitCode;
  return isError ? failedExitCode : 0;
}
