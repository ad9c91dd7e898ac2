// A program that uses a client of others, in its own language. It reads one question per line from its standard input,
// answers it with the client, and prints one line of JSON: what the client saw, or why the client cannot ask it.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

export interface ProgramOptions {
  readonly command: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Question {
  /** One of the clients that the program knows. */
  readonly client: string;
  readonly case: string;
  /** `provider/model`. */
  readonly model: string;
  readonly prompt: string;
  readonly image: string;
}

export type Answer =
  | { readonly seen: Readonly<Record<string, unknown>> }
  | { readonly unsupported: string }
  | { readonly error: string };

export class ClientProgram {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #errors = '';

  /** Its environment has only what is given here, so that no proxy and no key reaches it. */
  constructor({ command, argv, cwd, env = {} }: ProgramOptions) {
    this.#child = spawn(command, argv, { cwd, env: { PATH: process.env['PATH'], HOME: cwd, ...env } });
    this.#child.stdin.on('error', () => undefined);
    this.#child.on('error', (error) => (this.#errors += error.message));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#errors += text));
    this.#lines = createInterface({ input: this.#child.stdout })[Symbol.asyncIterator]();
  }

  /** One question at a time. */
  async ask(question: Question): Promise<Answer> {
    this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    const { value, done } = await this.#lines.next();
    if (done === true) throw new Error(`the program ended:\n${this.#errors.slice(-4000)}`);
    return JSON.parse(value) as Answer;
  }

  close(): void {
    this.#child.kill('SIGKILL');
  }
}
