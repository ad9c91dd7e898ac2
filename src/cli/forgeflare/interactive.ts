// The interactive mode: reads prompts and shows responses and tool calls until the user leaves. A turn that fails or is
// stopped is reported, and the next one works.

import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnEnd } from '../../agent/event.ts';
import { isAbort, toError } from '../../core/error.ts';
import { promptTokens } from '../../core/usage.ts';
import { version } from '../../core/version.ts';
import { describeUsageAndCost, describeTime } from '../response-writer.ts';
import { loadHistory, noHistory, type InputHistory } from '../terminal/history.ts';
import { LinePrompter } from '../terminal/line-prompter.ts';
import { describeFailure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { leave, runSlashCommand, unescape } from '../slash-command.ts';
import { stateFolder } from '../state-folder.ts';
import { painter, write, type Paint, type Terminal, type TerminalOutput } from '../terminal/terminal.ts';
import type { UserQuestions } from '../../coder/assemble.ts';
import type { Coder } from '../../coder/coder.ts';
import type { RunFlags } from './flags.ts';
import { notesOf } from './headless.ts';
import { createUserQuestions } from './question.ts';
import { describeEnd, describeTally } from './report.ts';
import { commandNames, commands } from './slash.ts';
import { startCoder } from './start-coder.ts';
import { TurnView } from './turn-view.ts';

export async function runInteractive(
  flags: RunFlags,
  { terminal, signal }: Invocation,
  screen: TerminalOutput,
): Promise<number> {
  const history = await openHistory(terminal);
  const prompter = new LinePrompter({ terminal, screen, history, words: commandNames, exitsAtOnce: true, signal });
  const view = new TurnView({
    terminal,
    verbose: flags.verbose === true,
    quiet: flags.quiet === true,
    words: 'live',
  });
  const paint = painter(screen, terminal.env);
  const warn = (line: string): void => void view.tell(paint('yellow', `warning: ${line}`));
  try {
    const questionView = {
      paint,
      screen,
      showsCalls: flags.quiet !== true,
      tell: (line: string) => view.tell(line),
      reached: (id: string) => view.reached(id),
      whileAsking: <T>(work: () => Promise<T>) => view.whileAsking(work),
      question: (text: string) => prompter.question(text),
    };
    const questions = createUserQuestions(questionView);
    const coder = await prompter.whileAnswering((stopped) =>
      startCoder({ flags, terminal, mayFallBack: true, warn, note: warn, questions, signal: stopped }),
    );
    const dialogue = new Dialogue({
      flags,
      terminal,
      coder,
      prompter,
      questions,
      view,
      paint,
      root: await realpath(terminal.cwd),
    });
    try {
      await dialogue.greet();
      await dialogue.run();
      await dialogue.sayGoodbye();
      signal.throwIfAborted();
      return 0;
    } finally {
      await coder.close();
    }
  } finally {
    prompter.close();
  }
}

async function openHistory({ env }: Terminal): Promise<InputHistory> {
  const folder = stateFolder(env);
  return folder === undefined ? noHistory : loadHistory(join(folder, 'forgeflare-history'));
}

interface DialogueParts {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  readonly coder: Coder;
  readonly prompter: LinePrompter;
  readonly questions: UserQuestions;
  readonly view: TurnView;
  readonly paint: Paint;
  readonly root: string;
}

class Dialogue {
  readonly #parts: DialogueParts;

  constructor(parts: DialogueParts) {
    this.#parts = parts;
  }

  async greet(): Promise<void> {
    const { coder, flags } = this.#parts;
    await this.#tell(`forgeflare ${version} · ${coder.modelName}. /help lists commands, Ctrl-C stops, Ctrl-D exits.`);
    for (const note of notesOf(coder, flags)) await this.#tell(`note: ${note}`);
    if (coder.messageCount > 0)
      await this.#tell(`continuing session ${coder.sessionId}, ${coder.messageCount} messages`);
  }

  /** Runs until the user leaves. */
  async run(): Promise<void> {
    const { prompter } = this.#parts;
    for (;;) {
      const line = await prompter.ask();
      if (line === undefined) return;
      try {
        const output = await this.#runCommand(line);
        if (output === leave) return;
        if (output === undefined) await this.#runTurn(unescape(line));
        else await this.#tell(output);
      } catch (error) {
        if (isAbort(error)) await this.#tell('(stopped)');
        else await this.#fail(error);
      }
    }
  }

  async sayGoodbye(): Promise<void> {
    const { coder } = this.#parts;
    const { total, tally, modelName } = coder;
    if (total.turns === 0) return;
    await this.#tell(describeTally({ modelName, tally: total }));
    if (tally.turns > 0) await this.#tell(`session ${coder.sessionId}; continue it with forgeflare --continue`);
  }

  #runCommand(line: string): Promise<string | typeof leave | undefined> {
    const { coder, root, prompter, questions, view } = this.#parts;
    return runSlashCommand(line, commands, {
      coder,
      root,
      askBusy: (session) => questions.busy(session),
      tell: (text) => void view.tell(text),
      watch: (event) => view.show(event),
      whileWorking: (work) => prompter.whileAnswering(work),
    });
  }

  async #runTurn(prompt: string): Promise<void> {
    const { coder, prompter, view } = this.#parts;
    const end = await prompter.whileAnswering((signal) => coder.run(prompt, (event) => view.show(event), signal));
    if (end.error !== undefined) await this.#fail(end.error);
    const reason = describeEnd(end);
    if (reason !== undefined) await this.#tell(`(${reason})`);
    await this.#tell(`${this.#describeTurn(end)}\n`);
  }

  /** Model, tokens, cost, context usage and time. */
  #describeTurn({ usage, cost, duration }: TurnEnd): string {
    const { coder } = this.#parts;
    const bill = cost === undefined ? describeUsageAndCost({ usage }) : describeUsageAndCost({ usage, cost });
    return [coder.modelName, bill, ...this.#describeContext(), describeTime(duration)].join(' · ');
  }

  #describeContext(): string[] {
    const { coder, view } = this.#parts;
    const { contextWindow } = coder;
    const { lastUsage } = view;
    if (lastUsage === undefined || lastUsage.missing === true || contextWindow === undefined) return [];
    const share = (promptTokens(lastUsage) + lastUsage.output) / contextWindow;
    return [`context ${share < 0.01 ? '<1' : Math.round(share * 100)} %`];
  }

  async #tell(text: string): Promise<void> {
    const { view, paint } = this.#parts;
    await view.tell(paint('dim', text));
  }

  async #fail(thrown: unknown): Promise<void> {
    const { terminal } = this.#parts;
    await write(terminal.stderr, describeFailure(toError(thrown), terminal));
  }
}
