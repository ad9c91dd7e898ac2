// `simple-agents start`, a hidden command for `npm run demo`. Opens a chat at a terminal; otherwise runs the
// demonstration.

import type { Command } from 'commander';
import type { Invocation, Run } from '../../invocation.ts';
import { write, type Terminal } from '../../terminal/terminal.ts';

export function registerStart(program: Command, run: Run): void {
  program
    .command('start', { hidden: true })
    .description('open a chat at a terminal, otherwise run the demonstration')
    .option('--demo', 'run the demonstration, even at a terminal')
    .option('--demo-healing', 'run the demonstration of healing')
    .action((flags: StartFlags) => run((invocation) => start(flags, invocation)));
}

interface StartFlags {
  readonly demo?: true;
  readonly demoHealing?: true;
}

async function start({ demo, demoHealing }: StartFlags, invocation: Invocation): Promise<number> {
  const { terminal, signal } = invocation;
  if (demoHealing) {
    const { demonstrateHealing } = await import('../start/healing-demonstration.ts');
    return demonstrateHealing(terminal, signal);
  }
  if (demo || terminal.stdin.isTTY !== true || terminal.stdout.isTTY !== true) {
    const { demonstrate } = await import('../start/demonstration.ts');
    return demonstrate(terminal, signal);
  }
  await write(terminal.stdout, await introduce(terminal));
  const { chat } = await import('../chat/chat.ts');
  return chat({ history: true }, invocation);
}

async function introduce(terminal: Terminal): Promise<string> {
  const { loadFlagSettings } = await import('../connect.ts');
  const { explainDefault, isSimulated, nameOf } = await import('../default-model.ts');
  const { target, reason } = explainDefault(await loadFlagSettings({}, terminal), terminal.cwd);
  const title = 'SimpleAgents: one TypeScript package for every language model. You can try it without an API key.';
  if (target === undefined) return `${title}\n`;
  const who = isSimulated(target)
    ? 'Using the built-in simulated model. Set an API key in the environment (OPENAI_API_KEY, …) to use a real one.'
    : `Using ${nameOf(target)}, because ${reason}. Type /model simulated for the built-in model, which is free.`;
  return `${title}\n${who}\n\n`;
}
