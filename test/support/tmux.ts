// Runs a program in a real terminal (tmux), presses keys and reads the screen. Each session has its own tmux server, so that
// the user's sessions are not affected.

import { execFileSync } from 'node:child_process';
import type { TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { commandPart, skipWithout } from './requirement.ts';

export const skipWithoutTmux = skipWithout(commandPart('tmux'));

export interface ScreenOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

let sessions = 0;

export class Screen {
  readonly #server = `simple-agents-${process.pid}-${(sessions += 1)}`;

  /** The exit code follows the program's last line, as `ended with N`. */
  constructor(context: TestContext, command: readonly string[], { cwd, env = {}, columns = 100 }: ScreenOptions) {
    const variables = Object.entries({ PATH: process.env['PATH'] ?? '', HOME: cwd, ...env });
    const words = ['env', '-i', 'TERM=tmux-256color', ...variables.map(([name, value]) => `${name}=${value}`)];
    const line = `${[...words, ...command].map(quote).join(' ')}; echo "ended with $?"; exec cat`;
    this.#tmux('new-session', '-d', '-x', String(columns), '-y', '50', '-c', cwd, line);
    context.after(() => this.#tmux('kill-server'));
  }

  /** Names of keys (`Enter`, `C-c`, `Up`) or text. */
  press(...keys: string[]): void {
    this.#tmux('send-keys', ...keys);
  }

  paste(text: string): void {
    this.#tmux('set-buffer', '--', text);
    this.#tmux('paste-buffer', '-p');
  }

  get text(): string {
    return this.#tmux('capture-pane', '-p', '-J').trimEnd();
  }

  /** With escape sequences for colours. */
  get styled(): string {
    return this.#tmux('capture-pane', '-p', '-e');
  }

  async shows(pattern: RegExp): Promise<void> {
    for (let tries = 0; tries < 200; tries++) {
      if (pattern.test(this.text)) return;
      await sleep(50);
    }
    throw new Error(`the screen never showed ${pattern}; it shows:\n${this.text}`);
  }

  #tmux(...argv: string[]): string {
    return execFileSync('tmux', ['-L', this.#server, '-f', '/dev/null', ...argv], { encoding: 'utf8' });
  }
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
