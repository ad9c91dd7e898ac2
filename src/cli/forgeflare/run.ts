// `forgeflare [prompt]`: runs one prompt from the command line or a pipe, or starts an interactive session.

import type { Command } from 'commander';
import { SimpleAgentsError } from '../../core/error.ts';
import { suggest } from '../../core/suggest.ts';
import type { Invocation, Run } from '../invocation.ts';
import { exitCodes } from '../simple-agents/program.ts';
import { screenOf } from '../terminal/terminal.ts';
import { addRunOptions, type RunFlags } from './flags.ts';

export function registerRun(program: Command, run: Run): void {
  addRunOptions(program)
    .argument('[prompt...]', 'the prompt; - adds standard input and waits for it')
    .enablePositionalOptions()
    .addHelpText('after', epilogue)
    .action((words: readonly string[], flags: RunFlags) =>
      run(
        (invocation) => {
          if (flags.print !== true) checkMistyped(words, program);
          return work(words, flags, invocation);
        },
        flags.outputFormat === 'json' ? 'json-line' : 'text',
      ),
    );
}

const epilogue = `
Examples:
  forgeflare                                        start an interactive session
  forgeflare "fix the failing test"                 run one prompt and exit
  forgeflare -p "fix the failing test"              the same, without questions even at a terminal
  git diff | forgeflare "review this"               add piped input to the prompt
  echo "explain this project" | forgeflare          response on stdout, everything else on stderr
  forgeflare --continue                             continue the last session
  forgeflare --permission read-only --output-format json "list the TODOs"

Without an API key, forgeflare uses the built-in simulated model at a terminal. In a pipe and with -p, that is an error;
--demo asks for the simulated model.

${exitCodes}
  8    the turn ended early: a limit, a refusal, or calls blocked by hooks
  130  stopped by Ctrl-C (143 by SIGTERM, 129 by SIGHUP)`;

/** A single word that resembles a command is probably a typo and not a prompt. */
function checkMistyped(words: readonly string[], program: Command): void {
  const [word = '', ...more] = words;
  const names = program.commands.map((command) => command.name());
  const meant = more.length > 0 || /\s/.test(word) ? undefined : suggest(word, names);
  if (meant === undefined) return;
  throw new SimpleAgentsError(
    'bad-request',
    `unknown command '${word}'; did you mean "${meant}"? A prompt must have several words`,
  );
}

async function work(words: readonly string[], flags: RunFlags, invocation: Invocation): Promise<number> {
  const isHosted = flags.inputFormat === 'stream-json';
  if (isHosted) checkHosted(words, flags);
  const { readPrompt } = await import('./prompt-input.ts');
  const prompt = isHosted ? undefined : await readPrompt(words, invocation, flags);
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

function checkHosted(words: readonly string[], { outputFormat }: RunFlags): void {
  const problem =
    outputFormat !== 'stream-json'
      ? 'requires --output-format stream-json'
      : words.join('').trim() === ''
        ? undefined
        : 'takes prompts from standard input; remove the argument';
  if (problem !== undefined) throw new SimpleAgentsError('bad-request', `--input-format stream-json: ${problem}`);
}

async function start(prompt: string | undefined, flags: RunFlags, invocation: Invocation): Promise<number> {
  if (flags.inputFormat === 'stream-json' || (prompt !== undefined && flags.outputFormat === 'stream-json')) {
    const { runStreamJson } = await import('./stream-json/run-stream-json.ts');
    return runStreamJson(prompt, flags, invocation);
  }
  if (prompt !== undefined) {
    const { runOnce } = await import('./headless.ts');
    return runOnce(prompt, flags, invocation);
  }
  const screen = screenOf(invocation.terminal);
  if (screen === undefined) {
    throw new SimpleAgentsError(
      'bad-request',
      'cannot start an interactive session because neither stdout nor stderr is a terminal; pass the prompt as an argument',
    );
  }
  if (flags.outputFormat !== 'text') {
    throw new SimpleAgentsError(
      'bad-request',
      `--output-format ${flags.outputFormat}: requires a prompt, as an argument or on standard input`,
    );
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

/** Turns termination signals into an abort, so that tools and their processes end and the session is complete. */
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
