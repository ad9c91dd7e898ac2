// The command line of the coding agent: which commands there are, and how each of them ends.

import type { Command } from 'commander';
import { registerGuard } from './forgeflare/guard.ts';
import { registerRun } from './forgeflare/run.ts';
import { registerSessions } from './forgeflare/sessions.ts';
import type { Run } from './invocation.ts';
import { newProgram, runProgram } from './program.ts';
import { processTerminal, type Terminal } from './terminal.ts';

export function main(argv: readonly string[], terminal: Terminal = processTerminal('forgeflare')): Promise<number> {
  return runProgram(argv, terminal, createProgram);
}

function createProgram(terminal: Terminal, run: Run): Command {
  const program = newProgram('forgeflare', terminal).description('A coding agent for the terminal.');
  registerRun(program, run);
  registerGuard(program, run);
  registerSessions(program, run);
  return program;
}
