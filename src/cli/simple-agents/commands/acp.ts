// `simple-agents acp`: an agent for editors, over the Agent Client Protocol on standard input and output.

import { Option, type Command } from 'commander';
import { addAgentOptions } from '../../forgeflare/flags.ts';
import type { RunFlags } from '../../forgeflare/flags.ts';
import type { Run } from '../../invocation.ts';

export interface AcpFlags extends Pick<
  RunFlags,
  | 'model'
  | 'provider'
  | 'apiUrl'
  | 'config'
  | 'maxTokens'
  | 'maxCost'
  | 'addDir'
  | 'sandbox'
  | 'permission'
  | 'allowNetwork'
  | 'trustHooks'
  | 'hooks'
  | 'trustAgents'
  | 'agents'
  | 'trustMcp'
  | 'mcp'
  | 'mcpConfig'
  | 'strictMcpConfig'
> {
  /** `claude`, or the path of a program that speaks its stream-json protocol. Undefined: our own agent. */
  readonly backend?: string;
}

export function registerAcp(program: Command, run: Run): void {
  addAgentOptions(program.command('acp'))
    .description('run a coding agent for editors, over the Agent Client Protocol on stdin and stdout')
    .addOption(new Option('--backend <program>', 'another agent: claude, or a program with its stream-json protocol'))
    .addHelpText('after', examples)
    .action((flags: AcpFlags) =>
      run(async (invocation) => {
        const { serveAcp } = await import('../acp/serve-acp.ts');
        return serveAcp(flags, invocation);
      }),
    );
}

const examples = `
An editor starts this command; docs/acp.md has the settings for each. To try it without one:
  npx acpx --agent 'simple-agents acp' 'explain this project'

Examples:
  simple-agents acp
  simple-agents acp --model anthropic/claude-opus-4-6 --permission auto-edit
  simple-agents acp --backend claude

Only messages of the protocol are written to stdout; the log is on stderr.`;
