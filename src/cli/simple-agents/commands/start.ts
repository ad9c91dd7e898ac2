// `simple-agents start`, hidden: what `npm run demo` runs. At a terminal it opens a chat, elsewhere it shows what the
// package does and ends.

import type { Command } from 'commander';
import type { Invocation, Run } from '../../invocation.ts';
import { write, type Terminal } from '../../terminal/terminal.ts';

export function registerStart(program: Command, run: Run): void {
  program
    .command('start', { hidden: true })
    .description('open a chat, or show what the package does where there is no terminal')
    .option('--demo', 'show what the package does, also at a terminal')
    .option('--demo-healing', 'show how damaged answers are healed')
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
  const title = 'SimpleAgents: one TypeScript package for every language model. No key is needed to look around.';
  if (target === undefined) return `${title}\n`;
  const who = isSimulated(target)
    ? 'The built-in simulated model answers. With a key in the environment (OPENAI_API_KEY, …) a real one does.'
    : `${nameOf(target)} answers: ${reason}. /model simulated is the built-in model, which costs nothing.`;
  return `${title}\n${who}\n\n`;
}
