// The command line of the coding agent: which commands there are, and how each of them ends.

import type { Command } from 'commander';
import { reportFailure } from './failure.ts';
import { registerGuard } from './forgeflare/guard.ts';
import { registerRun } from './forgeflare/run.ts';
import { registerSessions } from './forgeflare/sessions.ts';
import { invoke, type Run } from './invocation.ts';
import { newProgram } from './program.ts';
import { processTerminal, type Terminal } from './terminal.ts';

export async function main(
  argv: readonly string[],
  terminal: Terminal = processTerminal('forgeflare'),
): Promise<number> {
  let exitCode = 0;
  const program = createProgram(terminal, async (command, format = 'text') => {
    exitCode = await invoke(command, terminal, format);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    return reportFailure(error, terminal, 'text');
  }
}

function createProgram(terminal: Terminal, run: Run): Command {
  const program = newProgram('forgeflare', terminal).description('A coding agent for the terminal.');
  registerRun(program, run);
  registerGuard(program, run);
  registerSessions(program, run);
  return program;
}
