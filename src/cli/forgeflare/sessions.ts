// `forgeflare sessions`: the sessions of this project: list, show, export, fork.

import type { Command } from 'commander';
import type { Run } from '../invocation.ts';

export function registerSessions(program: Command, _run: Run): void {
  program.command('sessions').description('the sessions of this project');
}
