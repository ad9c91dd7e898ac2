// A prompter for the keyboard: readline for editing and history, with two additions. Pasted lines are one message (see
// keys.ts). While a response is shown, keys are held back, so that they neither appear in it nor get lost; only Ctrl-C
// passes.

import { createInterface, type Interface } from 'node:readline';
import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { painter, type Terminal, type TerminalInput, type TerminalOutput } from './terminal.ts';
import { historySize, type InputHistory } from './history.ts';
import { breakMark, KeyFilter, markPastes, unmarkPastes } from './keys.ts';
import { continues, MessageDraft, type Prompter } from './prompter.ts';

export interface LinePrompterOptions {
  readonly terminal: Terminal;
  /** The stream on which the line is edited. */
  readonly screen: TerminalOutput;
  readonly history: InputHistory;
  /** The words that the tab key completes. */
  readonly words: readonly string[];
  /** Whether the first Ctrl-C on an empty line exits; otherwise the second one does. */
  readonly exitsAtOnce?: boolean;
  readonly signal: AbortSignal;
}

const interruptKey = '\u0003';
const exitHint = '(press Ctrl-C again or Ctrl-D to exit)';

export class LinePrompter implements Prompter {
  readonly #options: LinePrompterOptions;
  readonly #keyboard: TerminalInput;
  readonly #keys: KeyStream;
  readonly #reader: Interface;
  readonly #filter = new KeyFilter();
  readonly #decoder = new StringDecoder();
  readonly #prompts: { readonly first: string; readonly further: string };
  #draft = new MessageDraft();
  /** The lines of the draft as typed. */
  #typed: string[] = [];
  /** The history entries of readline, newest first. */
  #entries: string[] = [];
  /** Keys that arrived while no input was requested. */
  #held: string[] = [];
  #answer: ((message: string | undefined) => void) | undefined;
  /** The text of a question that replaces the usual prompt. */
  #question: string | undefined;
  #cancel: (() => void) | undefined;
  #wasInterrupted = false;
  #isClosed = false;

  constructor(options: LinePrompterOptions) {
    const { terminal, screen, history, words, signal } = options;
    const paint = painter(screen, terminal.env);
    this.#options = options;
    this.#prompts = { first: paint('cyan', '> '), further: paint('cyan', '… ') };
    this.#keyboard = terminal.stdin;
    this.#keys = new KeyStream(this.#keyboard);
    this.#reader = createInterface({
      input: this.#keys,
      output: screen,
      terminal: true,
      history: [...history.entries],
      historySize,
      removeHistoryDuplicates: true,
      completer: (line: string) => [line.startsWith('/') ? words.filter((word) => word.startsWith(line)) : [], line],
      signal,
    });
    this.#reader.on('line', this.#onLine).on('SIGINT', this.#onInterrupt).on('close', this.#onClose);
    this.#reader.on('SIGCONT', () => this.#reader.prompt(true)).on('history', this.#onHistory);
    this.#keyboard.on('data', this.#onData).once('end', () => this.#reader.close());
    screen.write(markPastes);
  }

  ask(): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.#prompt();
    });
  }

  /** Asks during a response. Discards keys pressed before. Resolves to undefined on Ctrl-C, which also stops the work. */
  question(text: string): Promise<string | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    this.#held = [];
    this.#question = text;
    return this.ask();
  }

  async whileAnswering<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const cancel = new AbortController();
    this.#cancel = () => cancel.abort();
    try {
      return await work(AbortSignal.any([cancel.signal, this.#options.signal]));
    } finally {
      this.#cancel = undefined;
    }
  }

  close(): void {
    this.#reader.close();
  }

  #prompt(): void {
    const usual = this.#draft.isBegun ? this.#prompts.further : this.#prompts.first;
    this.#reader.setPrompt(this.#question ?? usual);
    this.#reader.prompt();
    this.#deliverHeld();
  }

  readonly #onData = (chunk: Buffer): void => {
    const keys = this.#decoder.write(chunk);
    if (this.#answer === undefined && keys.includes(interruptKey)) {
      this.#held = [];
      this.#cancel?.();
      return;
    }
    this.#held.push(keys);
    this.#deliverHeld();
  };

  /** A complete line ends the request for input and therefore the delivery. */
  #deliverHeld(): void {
    while (this.#answer !== undefined && this.#held.length > 0) {
      this.#keys.deliver(this.#filter.push(this.#held.shift() ?? ''));
    }
  }

  readonly #onLine = (line: string): void => {
    this.#wasInterrupted = false;
    if (this.#question !== undefined) {
      this.#settle(line);
      return;
    }
    this.#typed.push(line);
    const message = this.#draft.push(this.#filter.expand(line));
    if (message !== undefined) this.#remember(this.#typed.splice(0));
    if (message === undefined || message === '') {
      this.#prompt();
      return;
    }
    void this.#options.history.append(message.replaceAll('\n', breakMark));
    this.#settle(message);
  };

  /**
   * readline adds every line to its history before it emits it. Removes the replies to questions and the parts of a
   * message, which are not useful there.
   */
  readonly #onHistory = (entries: string[]): void => {
    this.#entries = entries;
    const isPart = this.#draft.isBegun || continues(this.#filter.expand(entries[0] ?? ''));
    if (this.#question !== undefined || isPart) entries.shift();
  };

  /** Adds a message of several lines as one entry with marks for its line breaks; readline has added a single line. */
  #remember(lines: readonly string[]): void {
    if (lines.length < 2) return;
    const whole = lines.map((line) => (continues(line) ? line.slice(0, -1) : line)).join(breakMark);
    const others = this.#entries.filter((entry) => entry !== whole).slice(0, historySize - 1);
    this.#entries.splice(0, this.#entries.length, whole, ...others);
  }

  /** Clears the line; on an empty line, exits at the first or the second time. */
  readonly #onInterrupt = (): void => {
    const isEmpty = this.#reader.line === '' && !this.#draft.isBegun;
    if (this.#question === undefined && isEmpty && (this.#wasInterrupted || this.#options.exitsAtOnce)) {
      this.#reader.close();
      return;
    }
    const isHinted = isEmpty && this.#question === undefined;
    this.#options.screen.write(isHinted ? `\n${exitHint}\n` : '^C\n');
    this.#wasInterrupted = isHinted;
    this.#draft = new MessageDraft();
    this.#typed = [];
    // Clearing the line prints the prompt again.
    this.#reader.setPrompt('');
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
    if (this.#question === undefined) {
      this.#prompt();
      return;
    }
    this.#settle(undefined);
    this.#cancel?.();
  };

  readonly #onClose = (): void => {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#keyboard.off('data', this.#onData).pause();
    this.#options.screen.write(unmarkPastes);
    if (this.#answer !== undefined) this.#options.screen.write('\n');
    this.#settle(undefined);
  };

  #settle(message: string | undefined): void {
    const answer = this.#answer;
    this.#answer = undefined;
    this.#question = undefined;
    answer?.(message);
  }
}

/** The input stream for readline. Raw mode is set on the keyboard itself. */
class KeyStream extends Readable {
  readonly #keyboard: TerminalInput;

  constructor(keyboard: TerminalInput) {
    super();
    this.#keyboard = keyboard;
  }

  setRawMode(isRaw: boolean): void {
    this.#keyboard.setRawMode?.(isRaw);
  }

  override _read(): void {}

  /** Bypasses the stream's buffer, so that a line is handled before the next key. */
  deliver(keys: string): void {
    if (keys !== '') this.emit('data', Buffer.from(keys));
  }
}
