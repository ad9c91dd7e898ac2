// A chat: asks for a turn, has it answered, and again. Answers go to stdout; everything else goes to the screen,
// which is stderr where stdout is not a terminal. A failed call is told and the chat goes on.

import type { CompletionStream } from '../../../client/completion-stream.ts';
import { errorTable, isAbort, toError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import { ResponseWriter, describeUsageAndCost, describeTime, notesOf } from '../../response-writer.ts';
import { CallLines } from '../../call-lines.ts';
import { connect, type ConnectedClient } from '../connect.ts';
import { isSimulated, nameOf } from '../default-model.ts';
import { describeFailure } from '../../failure.ts';
import type { GenerationFlags } from '../../flags.ts';
import type { Invocation } from '../../invocation.ts';
import { leave, unescape } from '../../slash-command.ts';
import { painter, screenOf, write, type Paint, type Terminal, type TerminalOutput } from '../../terminal/terminal.ts';
import { WaitIndicator } from '../../terminal/wait-indicator.ts';
import { Conversation } from './conversation.ts';
import { historyFile, loadHistory, noHistory, type InputHistory } from '../../terminal/history.ts';
import { LinePrompter } from '../../terminal/line-prompter.ts';
import { createPipedPrompter, type Prompter } from '../../terminal/prompter.ts';
import { commandNames, runChatCommand, type ChatControls } from './slash.ts';

export interface ChatFlags extends GenerationFlags {
  readonly history: boolean;
  readonly quiet?: true;
}

export async function chat(flags: ChatFlags, invocation: Invocation): Promise<number> {
  const { terminal } = invocation;
  const screen = screenOf(terminal);
  const lines =
    flags.verbose && new CallLines(screen ?? terminal.stderr, painter(screen ?? terminal.stderr, terminal.env));
  const connection = await connect(flags, terminal, lines?.observe);
  const session = new ChatSession(flags, omitUndefined({ terminal, screen, connection, lines }));
  const prompter = await openPrompter(flags, screen, invocation);
  try {
    await session.greet();
    await session.run(prompter);
    invocation.signal.throwIfAborted();
    return session.exitCode;
  } finally {
    prompter.close();
    await session.close();
  }
}

async function openPrompter(
  flags: ChatFlags,
  screen: TerminalOutput | undefined,
  { terminal, signal }: Invocation,
): Promise<Prompter> {
  if (screen === undefined) return createPipedPrompter(terminal.stdin, signal);
  const history = await openHistory(flags, terminal);
  return new LinePrompter({ terminal, screen, history, words: commandNames, signal });
}

async function openHistory(flags: ChatFlags, { env }: Terminal): Promise<InputHistory> {
  const file = flags.history ? historyFile(env) : undefined;
  return file === undefined ? noHistory : loadHistory(file);
}

interface ChatContext {
  readonly terminal: Terminal;
  /** Nothing when the turns are piped in. */
  readonly screen?: TerminalOutput;
  readonly connection: ConnectedClient;
  readonly lines?: CallLines;
}

class ChatSession implements ChatControls {
  readonly conversation: Conversation;
  readonly cwd: string;
  /** Piped in, the first failure decides; at the keyboard, failures were seen. */
  exitCode = 0;
  readonly #flags: ChatFlags;
  readonly #terminal: Terminal;
  readonly #isInteractive: boolean;
  readonly #asides: TerminalOutput;
  readonly #paint: Paint;
  readonly #lines: CallLines | undefined;
  #connection: ConnectedClient;

  constructor(flags: ChatFlags, { terminal, screen, connection, lines }: ChatContext) {
    this.conversation = new Conversation(flags.system);
    this.cwd = terminal.cwd;
    this.#flags = flags;
    this.#terminal = terminal;
    this.#isInteractive = screen !== undefined;
    this.#asides = screen ?? terminal.stderr;
    this.#paint = painter(this.#asides, terminal.env);
    this.#connection = connection;
    this.#lines = lines;
  }

  get modelName(): string {
    return nameOf(this.#connection.target);
  }

  async switchModel(name: string): Promise<void> {
    const { provider: _provider, baseUrl: _baseUrl, apiKeyEnv: _apiKeyEnv, ...flags } = this.#flags;
    const before = this.#connection;
    this.#connection = await connect({ ...flags, model: name }, this.#terminal, this.#lines?.observe);
    await before.close();
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  async greet(): Promise<void> {
    if (this.#flags.quiet) return;
    const who = isSimulated(this.#connection.target) ? `${this.modelName}, which needs no key` : this.modelName;
    if (this.#isInteractive) await this.#tell(`Chatting with ${who}. /help lists commands, Ctrl-D leaves.`);
    else if (isSimulated(this.#connection.target)) await this.#tell('note: the simulated model answers');
  }

  /** Until the user leaves. */
  async run(prompter: Prompter): Promise<void> {
    for (;;) {
      const line = await prompter.ask();
      if (line === undefined) return;
      try {
        const told = await runChatCommand(line, this);
        if (told === leave) return;
        if (told === undefined) await this.#answer(unescape(line), prompter);
        else await this.#tell(told);
      } catch (error) {
        if (isAbort(error)) throw error;
        await this.#fail(error);
      }
    }
  }

  async #answer(question: string, prompter: Prompter): Promise<void> {
    const { maxTokens, temperature } = this.#flags;
    const request = { messages: this.conversation.asking(question), system: this.conversation.system };
    const begun = performance.now();
    await prompter.whileAnswering(async (signal) => {
      const stream = this.#connection.client.stream(omitUndefined({ ...request, maxTokens, temperature, signal }));
      const isWhole = await this.#show(stream, signal);
      if (!isWhole) {
        this.conversation.recordPartial(question, stream.partial);
        return;
      }
      const completion = await stream.final();
      this.conversation.record(question, completion.message);
      const time = describeTime(performance.now() - begun);
      const status = `${this.modelName} · ${describeUsageAndCost(completion)} · ${time}`;
      await this.#remark([...notesOf(completion), ...(this.#isInteractive ? [status] : [])]);
    });
  }

  /** Whether the answer came to its end; a person may stop it before. */
  async #show(stream: CompletionStream, signal: AbortSignal): Promise<boolean> {
    const answer = new ResponseWriter(this.#terminal.stdout);
    const wait = new WaitIndicator(
      this.#isInteractive && this.#lines === undefined ? this.#asides : undefined,
      this.#paint,
    );
    wait.show();
    try {
      for await (const event of stream) {
        if (event.type !== 'text-delta') continue;
        wait.hide();
        await answer.write(event.text);
      }
      return true;
    } catch (error) {
      if (!this.#isInteractive || !isAbort(error, signal)) throw error;
      wait.hide();
      await answer.finishLine();
      await this.#tell('(stopped)\n');
      return false;
    } finally {
      wait.hide();
      await answer.finishLine();
      this.#lines?.flush();
    }
  }

  async #remark(sentences: readonly string[]): Promise<void> {
    if (this.#flags.quiet) return;
    for (const sentence of sentences) await this.#tell(sentence);
    if (this.#isInteractive) await write(this.#asides, '\n');
  }

  async #tell(sentence: string): Promise<void> {
    await write(this.#asides, `${this.#paint('dim', sentence)}\n`);
  }

  async #fail(thrown: unknown): Promise<void> {
    const error = toError(thrown);
    if (!this.#isInteractive) this.exitCode ||= errorTable[error.kind].exitCode;
    await write(this.#terminal.stderr, describeFailure(error, this.#terminal));
    if (this.#isInteractive) await write(this.#asides, '\n');
  }
}
