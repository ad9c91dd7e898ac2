// The command line of the coding agent and its commands.

import type { Command } from 'commander';
import { registerGuard } from './guard.ts';
import { registerRun } from './run.ts';
import { registerSessions } from './sessions.ts';
import type { Run } from '../invocation.ts';
import { newProgram, runProgram } from '../simple-agents/program.ts';
import { processTerminal, type Terminal } from '../terminal/terminal.ts';

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
