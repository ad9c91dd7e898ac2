// The command line of simple-agents: lists its commands. Every command is one file and one line here. What a command needs
// beyond its flags is imported when it runs, so that `--help` is fast.

import type { Command } from 'commander';
import { registerAcp } from './commands/acp.ts';
import { registerCache } from './commands/cache.ts';
import { registerChat } from './commands/chat.ts';
import { registerComplete } from './commands/complete.ts';
import { registerConfig } from './commands/config.ts';
import { registerEmbed } from './commands/embed.ts';
import { registerHeal } from './commands/heal.ts';
import { registerKeys } from './commands/keys.ts';
import { registerModels } from './commands/models.ts';
import { registerProviders } from './commands/providers.ts';
import { registerServe } from './commands/serve.ts';
import { registerSimulate } from './commands/simulate.ts';
import { registerStart } from './commands/start.ts';
import { registerTest } from './commands/test.ts';
import type { Run } from '../invocation.ts';
import { exitCodes, newProgram, runProgram } from './program.ts';
import { processTerminal, type Terminal } from '../terminal/terminal.ts';

export function main(argv: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  return runProgram(argv, terminal, createProgram);
}

function createProgram(terminal: Terminal, run: Run): Command {
  const program = newProgram('simple-agents', terminal)
    .description(
      'One tool for every language model: call, chat, serve a gateway, heal malformed output, test and simulate providers.',
    )
    .addHelpText('after', epilogue);
  registerComplete(program, run);
  registerChat(program, run);
  registerProviders(program, run);
  registerModels(program, run);
  registerTest(program, run);
  registerConfig(program, run);
  registerEmbed(program, run);
  registerHeal(program, run);
  registerCache(program, run);
  registerServe(program, run);
  registerAcp(program, run);
  registerKeys(program, run);
  registerSimulate(program, run);
  registerStart(program, run);
  return program;
}

const epilogue = `
Examples:
  simple-agents complete "Why is the sky blue?" --stream
  simple-agents complete -m openai/gpt-5.4-mini --message "Explain Rust" --output json
  git diff | simple-agents complete "Write a commit message for this diff:" -
  simple-agents chat -m anthropic --system "You are a helpful assistant"
  simple-agents providers

Without an API key, the built-in simulated model responds, so you can try everything immediately.

${exitCodes}
  130  stopped by Ctrl-C`;
