// Runs one prompt and prints the response, for scripts and for a prompt given as an argument. The response goes to stdout,
// everything else to stderr. It asks the user only at a terminal.

import { omitUndefined } from '../../core/json.ts';
import { noHistory } from '../terminal/history.ts';
import { describeFailure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { painter, write } from '../terminal/terminal.ts';
import type { UserQuestions } from '../../coder/assemble.ts';
import type { Coder } from '../../coder/coder.ts';
import { startCoder } from './start-coder.ts';
import type { RunFlags } from './flags.ts';
import { createUserQuestions } from './question.ts';
import { describeEnd, describeTally, exitCodeOf, toReport } from './report.ts';
import { TurnView } from './turn-view.ts';

export async function runOnce(prompt: string, flags: RunFlags, { terminal, signal }: Invocation): Promise<number> {
  const { stdout, stderr, env } = terminal;
  const isJson = flags.outputFormat === 'json';
  const isWatched = stdout.isTTY === true && flags.print !== true;
  const words = isJson ? 'silent' : isWatched ? 'live' : 'held';
  const quiet = flags.quiet === true;
  const view = new TurnView({ terminal, verbose: flags.verbose === true, quiet, words });
  const paint = painter(stderr, env);
  const warn = (line: string): void => void view.tell(paint('yellow', `warning: ${line}`));
  const questions = flags.print === true ? undefined : questionsOf(view, { terminal, signal }, !quiet);
  const mayFallBack = flags.print !== true && [terminal.stdin, stdout, stderr].every(({ isTTY }) => isTTY === true);
  const coder = await startCoder({
    flags,
    terminal,
    mayFallBack,
    warn,
    note: warn,
    signal,
    ...omitUndefined({ questions }),
  });
  try {
    // A text of the simulated model must not be taken for that of a real one.
    if (!quiet || coder.model.isFallback)
      for (const note of notesOf(coder, flags)) await view.tell(paint('dim', `note: ${note}`));
    const end = await coder.run(prompt, (event) => view.show(event), signal);
    if (isJson) await write(stdout, `${toReport(coder, end)}\n`);
    else if (end.error !== undefined) await write(stderr, describeFailure(end.error, terminal));
    const reason = describeEnd(end);
    if (reason !== undefined) warn(reason);
    if (!quiet) await view.tell(paint('dim', `${describeTally(coder)} · session ${coder.sessionId}`));
    return exitCodeOf(end);
  } finally {
    await coder.close();
  }
}

export function notesOf({ model, modelName, mcpServers }: Coder, { verbose }: RunFlags): string[] {
  const notes = model.isSimulated ? [describeSimulated(model.isFallback)] : [];
  if (verbose && model.apiUrl !== undefined) notes.push(`using ${modelName} at ${model.apiUrl}`);
  if (mcpServers.length > 0) notes.push(`MCP servers: ${mcpServers.map(({ name }) => name).join(', ')}`);
  return notes;
}

function describeSimulated(isFallback: boolean): string {
  if (!isFallback) return 'using the simulated model';
  return 'no API key found; using the simulated model. Run "simple-agents providers" to see supported keys.';
}

/** Reads the keyboard only during a question, so that Ctrl-C stays a signal otherwise. */
function questionsOf(
  view: TurnView,
  { terminal, signal }: Pick<Invocation, 'terminal' | 'signal'>,
  showsCalls: boolean,
): UserQuestions | undefined {
  const { stdin, stderr, env } = terminal;
  if (stdin.isTTY !== true || stderr.isTTY !== true) return undefined;
  return createUserQuestions({
    paint: painter(stderr, env),
    screen: stderr,
    showsCalls,
    tell: (line) => view.tell(line),
    reached: (id) => view.reached(id),
    whileAsking: (work) => view.whileAsking(work),
    async question(text) {
      const { LinePrompter } = await import('../terminal/line-prompter.ts');
      const prompter = new LinePrompter({ terminal, screen: stderr, history: noHistory, words: [], signal });
      try {
        return await prompter.question(text);
      } finally {
        prompter.close();
      }
    },
  });
}
