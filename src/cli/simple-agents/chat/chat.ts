// The chat loop: reads a message, streams the response, repeats. Responses go to stdout; everything else goes to the
// screen, which is stderr if stdout is not a terminal. A failed call is reported and the chat continues.

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
  /** Undefined if the messages are piped in. */
  readonly screen?: TerminalOutput;
  readonly connection: ConnectedClient;
  readonly lines?: CallLines;
}

class ChatSession implements ChatControls {
  readonly conversation: Conversation;
  readonly cwd: string;
  /** That of the first failure if messages are piped in; always 0 at a terminal, where the user saw the failures. */
  exitCode = 0;
  readonly #flags: ChatFlags;
  readonly #terminal: Terminal;
  readonly #isInteractive: boolean;
  readonly #notes: TerminalOutput;
  readonly #paint: Paint;
  readonly #lines: CallLines | undefined;
  #connection: ConnectedClient;

  constructor(flags: ChatFlags, { terminal, screen, connection, lines }: ChatContext) {
    this.conversation = new Conversation(flags.system);
    this.cwd = terminal.cwd;
    this.#flags = flags;
    this.#terminal = terminal;
    this.#isInteractive = screen !== undefined;
    this.#notes = screen ?? terminal.stderr;
    this.#paint = painter(this.#notes, terminal.env);
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
    const who = isSimulated(this.#connection.target) ? `${this.modelName}, which needs no API key` : this.modelName;
    if (this.#isInteractive)
      await this.#tell(`Chatting with ${who}. Type /help to list commands, press Ctrl-D to exit.`);
    else if (isSimulated(this.#connection.target)) await this.#tell('note: using the simulated model');
  }

  /** Runs until the user exits. */
  async run(prompter: Prompter): Promise<void> {
    for (;;) {
      const line = await prompter.ask();
      if (line === undefined) return;
      try {
        const message = await runChatCommand(line, this);
        if (message === leave) return;
        if (message === undefined) await this.#respond(unescape(line), prompter);
        else await this.#tell(message);
      } catch (error) {
        if (isAbort(error)) throw error;
        await this.#fail(error);
      }
    }
  }

  async #respond(question: string, prompter: Prompter): Promise<void> {
    const { maxTokens, temperature } = this.#flags;
    const request = { messages: this.conversation.asking(question), system: this.conversation.system };
    const begun = performance.now();
    await prompter.whileAnswering(async (signal) => {
      const stream = this.#connection.client.stream(omitUndefined({ ...request, maxTokens, temperature, signal }));
      const isComplete = await this.#show(stream, signal);
      if (!isComplete) {
        this.conversation.recordPartial(question, stream.partial);
        return;
      }
      const completion = await stream.final();
      this.conversation.record(question, completion.message);
      const time = describeTime(performance.now() - begun);
      const status = `${this.modelName} · ${describeUsageAndCost(completion)} · ${time}`;
      await this.#showNotes([...notesOf(completion), ...(this.#isInteractive ? [status] : [])]);
    });
  }

  /** Returns whether the response is complete; the user may stop it before. */
  async #show(stream: CompletionStream, signal: AbortSignal): Promise<boolean> {
    const writer = new ResponseWriter(this.#terminal.stdout);
    const wait = new WaitIndicator(
      this.#isInteractive && this.#lines === undefined ? this.#notes : undefined,
      this.#paint,
    );
    wait.show();
    try {
      for await (const event of stream) {
        if (event.type !== 'text-delta') continue;
        wait.hide();
        await writer.write(event.text);
      }
      return true;
    } catch (error) {
      if (!this.#isInteractive || !isAbort(error, signal)) throw error;
      wait.hide();
      await writer.finishLine();
      await this.#tell('(stopped)\n');
      return false;
    } finally {
      wait.hide();
      await writer.finishLine();
      this.#lines?.flush();
    }
  }

  async #showNotes(sentences: readonly string[]): Promise<void> {
    if (this.#flags.quiet) return;
    for (const sentence of sentences) await this.#tell(sentence);
    if (this.#isInteractive) await write(this.#notes, '\n');
  }

  async #tell(sentence: string): Promise<void> {
    await write(this.#notes, `${this.#paint('dim', sentence)}\n`);
  }

  async #fail(thrown: unknown): Promise<void> {
    const error = toError(thrown);
    if (!this.#isInteractive) this.exitCode ||= errorTable[error.kind].exitCode;
    await write(this.#terminal.stderr, describeFailure(error, this.#terminal));
    if (this.#isInteractive) await write(this.#notes, '\n');
  }
}
