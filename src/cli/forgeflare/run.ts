// `forgeflare [prompt]`: one prompt from the command line or a pipe, or a conversation at the keyboard.

import type { Command } from 'commander';
import { SimpleAgentsError } from '../../core/error.ts';
import { suggest } from '../../core/suggest.ts';
import type { Invocation, Run } from '../invocation.ts';
import { exitCodes } from '../simple-agents/program.ts';
import { screenOf } from '../terminal/terminal.ts';
import { addRunOptions, type RunFlags } from './flags.ts';

export function registerRun(program: Command, run: Run): void {
  addRunOptions(program)
    .argument('[prompt...]', 'what to do; - adds standard input, also when it is slow to come')
    .enablePositionalOptions()
    .addHelpText('after', epilogue)
    .action((words: readonly string[], flags: RunFlags) =>
      run(
        (invocation) => {
          if (flags.print !== true) refuseMistyped(words, program);
          return work(words, flags, invocation);
        },
        flags.outputFormat === 'json' ? 'json' : 'text',
      ),
    );
}

const epilogue = `
Examples:
  forgeflare                                        a conversation at the keyboard
  forgeflare "fix the failing test"                 one prompt, then the end
  forgeflare -p "fix the failing test"              the same, and nobody is asked, also at a terminal
  git diff | forgeflare "review this"               the prompt, and what is piped in
  echo "explain this project" | forgeflare          the answer goes to stdout, everything else to stderr
  forgeflare --continue                             go on where you left
  forgeflare --permission read-only --output-format json "list the TODOs"

Without any key the built-in simulated model answers, so everything can be tried at once.

${exitCodes}
  8    the turn ended before it was done: a limit, a refusal, hooks that blocked
  130  stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP)`;

/** One word that is nearly a command was meant as one; asking a model about it would only cost. */
function refuseMistyped(words: readonly string[], program: Command): void {
  const [word = '', ...more] = words;
  const names = program.commands.map((command) => command.name());
  const meant = more.length > 0 || /\s/.test(word) ? undefined : suggest(word, names);
  if (meant === undefined) return;
  throw new SimpleAgentsError(
    'bad-request',
    `unknown command '${word}'; did you mean "${meant}"? A prompt has several words`,
  );
}

async function work(words: readonly string[], flags: RunFlags, invocation: Invocation): Promise<number> {
  const { readPrompt } = await import('./prompt-input.ts');
  const prompt = await readPrompt(words, invocation, flags);
  const ended = endedBy(invocation);
  try {
    const exitCode = await start(prompt, flags, { ...invocation, signal: ended.signal });
    return ended.exitCode ?? exitCode;
  } catch (error) {
    if (ended.exitCode === undefined) throw error;
    return ended.exitCode;
  } finally {
    ended.close();
  }
}

async function start(prompt: string | undefined, flags: RunFlags, invocation: Invocation): Promise<number> {
  if (prompt !== undefined) {
    const { runOnce } = await import('./headless.ts');
    return runOnce(prompt, flags, invocation);
  }
  const screen = screenOf(invocation.terminal);
  if (screen === undefined) {
    throw new SimpleAgentsError('bad-request', 'there is a keyboard but no screen: write the prompt as an argument');
  }
  if (flags.outputFormat === 'json') {
    throw new SimpleAgentsError('bad-request', '--output-format json: needs a prompt, as an argument or piped in');
  }
  const { runInteractive } = await import('./interactive.ts');
  return runInteractive(flags, invocation, screen);
}

interface EndSignals {
  readonly signal: AbortSignal;
  readonly exitCode: number | undefined;
  close(): void;
}

const endSignals = { 'SIGTERM': 143, 'SIGHUP': 129 } as const;

/** So that tools and their processes end with the program, and the session is whole. */
function endedBy({ terminal, signal }: Invocation): EndSignals {
  const own = new AbortController();
  let exitCode: number | undefined;
  const stops = (['SIGTERM', 'SIGHUP'] as const).map((name) =>
    terminal.onSignal(name, () => {
      exitCode = endSignals[name];
      own.abort();
    }),
  );
  return {
    signal: AbortSignal.any([signal, own.signal]),
    get exitCode() {
      return exitCode;
    },
    close: () => {
      for (const stop of stops) stop();
    },
  };
}
