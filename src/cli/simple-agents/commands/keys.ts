// `simple-agents keys`: keys that open the gateway. Each subcommand is one file.

import type { Command } from 'commander';
import type { Run } from '../../invocation.ts';
import { registerKeysCreate } from './keys/create.ts';

export function registerKeys(program: Command, run: Run): void {
  const command = program.command('keys').description('make keys that open the gateway');
  registerKeysCreate(command, run);
}
