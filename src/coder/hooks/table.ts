// Parses hooks.toml. It reports all problems at once, each with its line and a fix. Parsing is strict, because a misspelt
// guard would never run.

import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { locateInToml, type KeyPath } from '../../core/toml-location.ts';
import { didYouMean } from '../../core/suggest.ts';
import { parseToml } from '../../core/toml.ts';
import type { Hook, HookEvent } from './hook.ts';

const events: readonly HookEvent[] = ['PreToolUse', 'PostToolUse', 'Stop'];
const keys = ['event', 'command', 'match_tool', 'phase', 'timeout_ms'];
const longestTimeout = 600_000;

/** `shown` is the file's name in messages. */
export async function parseHooks(text: string, shown: string): Promise<Hook[]> {
  const document = await parseToml(text, shown);
  const check = new Check();
  const hooks = check.document(document);
  if (check.problems.length === 0) return hooks;
  const locate = locateInToml(text);
  const problems = check.problems
    .map((problem) => ({ ...problem, line: locate(problem.path) ?? 1 }))
    .toSorted((left, right) => left.line - right.line);
  const lines = problems.map(({ path, line, message }) => `${shown}:${line}: ${nameOf(path)}: ${message}`);
  throw new SimpleAgentsError('configuration', lines.join('\n'), { field: nameOf(problems[0]?.path ?? []) });
}

interface HookProblem {
  readonly path: KeyPath;
  readonly message: string;
}

function nameOf([table, , key]: KeyPath): string {
  return key === undefined ? String(table === 'hooks' ? '[[hooks]]' : table) : `[[hooks]] ${key}`;
}

class Check {
  readonly problems: HookProblem[] = [];

  document(document: Record<string, unknown>): Hook[] {
    for (const name of Object.keys(document)) {
      if (name !== 'hooks')
        this.#report([name], `unknown key${didYouMean(name, ['hooks']) || '; put the keys of a hook below [[hooks]]'}`);
    }
    const { hooks = [] } = document;
    if (Array.isArray(hooks) && hooks.every(isRecord)) return hooks.map((entry, index) => this.#hook(entry, index));
    this.#report(['hooks'], 'must be a list of tables; start each hook with [[hooks]]');
    return [];
  }

  #hook(entry: Record<string, unknown>, index: number): Hook {
    const pathOf = (key: string): KeyPath => ['hooks', index, key];
    for (const key of Object.keys(entry)) {
      if (!keys.includes(key)) {
        this.#report(pathOf(key), `unknown key${didYouMean(key, keys) || `; the keys are ${keys.join(', ')}`}`);
      }
    }
    const event = this.#event(entry['event'], pathOf('event'));
    const command = this.#text(entry['command'], pathOf('command'), 'the command that bash runs');
    const matchTool = entry['match_tool'];
    return {
      event,
      command,
      phase: this.#phase(entry['phase'], event, pathOf('phase')),
      timeout: this.#timeout(entry['timeout_ms'], event, pathOf('timeout_ms')),
      ...(matchTool === undefined ? {} : { matchTool: this.#tool(matchTool, event, pathOf('match_tool')) }),
    };
  }

  #event(value: unknown, path: KeyPath): HookEvent {
    const event = events.find((each) => each === value);
    const guess = typeof value === 'string' ? didYouMean(value, events) : '';
    const message = value === undefined ? 'is missing; must be one of' : `must be one of`;
    if (event === undefined) this.#report(path, `${message} ${events.join(', ')}${guess}`);
    return event ?? 'Stop';
  }

  #text(value: unknown, path: KeyPath, meaning: string): string {
    if (typeof value === 'string' && value.trim() !== '' && !value.includes('\0')) return value;
    this.#report(path, `${value === undefined ? 'is missing; ' : ''}must be a non-empty string: ${meaning}`);
    return '';
  }

  #tool(value: unknown, event: HookEvent, path: KeyPath): string {
    if (event === 'Stop' && typeof value === 'string') this.#report(path, 'does not apply to a Stop hook; remove it');
    return this.#text(value, path, 'the exact name of a tool');
  }

  #phase(value: unknown, event: HookEvent, path: KeyPath): Hook['phase'] {
    if (value === undefined) return event === 'PreToolUse' ? 'guard' : 'observe';
    if (value === 'guard' && event !== 'PreToolUse') {
      this.#report(path, `a ${event} hook cannot block a call; remove the phase, or use event = "PreToolUse"`);
    } else if (value !== 'guard' && value !== 'observe') {
      const guess = typeof value === 'string' ? didYouMean(value, ['guard', 'observe']) : '';
      this.#report(path, `must be "guard" or "observe"${guess}`);
    }
    return value === 'observe' ? value : 'guard';
  }

  #timeout(value: unknown, event: HookEvent, path: KeyPath): number {
    if (value === undefined) return event === 'Stop' ? 3_000 : 5_000;
    if (Number.isInteger(value) && Number(value) >= 1 && Number(value) <= longestTimeout) return Number(value);
    this.#report(path, `must be a whole number of milliseconds from 1 to ${longestTimeout}`);
    return 1;
  }

  #report(path: KeyPath, message: string): void {
    this.problems.push({ path, message });
  }
}
