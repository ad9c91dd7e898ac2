// What a hook's outcome means. A guard is believed only when it clearly says allow: everything else blocks. A hook that
// comes after the deed can at most signal; when it fails, that is told and nothing else happens.

import { isRecord } from '../../core/json.ts';
import type { Hook } from './hook.ts';
import type { HookOutcome } from './process.ts';

export interface HookBlock {
  /** The hook's command. */
  readonly by: string;
  readonly reason: string;
  /** What the model reads. */
  readonly message: string;
}

export interface HookSignal {
  readonly signal: string;
  readonly reason: string;
}

/** Nothing when the call may run. */
export function readGuard({ command, timeout }: Hook, outcome: HookOutcome): HookBlock | undefined {
  const failure = failureOf(outcome, timeout);
  if (failure !== undefined) return failedClosed(command, failure);
  const answer = parseAnswer(outcome);
  if (answer === undefined) return failedClosed(command, invalid);
  const { action } = answer;
  if (action === 'allow') return undefined;
  const fallback = action === 'block' ? 'no reason given' : `unknown action ${JSON.stringify(action) ?? '(none)'}`;
  const reason = textOr(answer['reason'], fallback);
  return { by: command, reason, message: `blocked by ${command}: ${reason}` };
}

/** A signal, nothing, or in words why the hook failed. */
export function readPost({ timeout }: Hook, outcome: HookOutcome): HookSignal | string | undefined {
  const failure = failureOf(outcome, timeout);
  if (failure !== undefined) return failure;
  const answer = parseAnswer(outcome);
  if (answer === undefined) return invalid;
  const { action } = answer;
  if (action === 'continue') return undefined;
  if (action !== 'signal') return `returned the unknown action ${JSON.stringify(action) ?? '(none)'}`;
  const { signal } = answer;
  if (typeof signal !== 'string' || signal === '') return 'returned a signal without a name';
  return { signal, reason: textOr(answer['reason'], '') };
}

const invalid = 'returned invalid JSON';

/** In words; nothing when the hook did its work. What it says may still be wrong. */
export function failureOf(outcome: HookOutcome, timeout: number): string | undefined {
  switch (outcome.type) {
    case 'timeout':
      return `timed out after ${timeout}ms`;
    case 'exit':
      return `exited with code ${outcome.code}`;
    case 'flood':
      return invalid;
    case 'cancelled':
      return 'was cancelled';
    default:
      return undefined;
  }
}

function failedClosed(command: string, failure: string): HookBlock {
  const message = `hook failed: ${command} ${failure} (tool blocked by default)`;
  return { by: command, reason: message, message };
}

/** Nothing where two readers could understand two different things. */
function parseAnswer(outcome: HookOutcome): Record<string, unknown> | undefined {
  if (outcome.type !== 'output') return undefined;
  try {
    const answer: unknown = JSON.parse(outcome.text);
    return isRecord(answer) && !hasDuplicateKey(outcome.text) ? answer : undefined;
  } catch {
    return undefined;
  }
}

function textOr(value: unknown, fallback: string): string {
  return typeof value === 'string' && value !== '' ? value : fallback;
}

/**
 * Whether an object of the JSON text names a member twice. Parsers keep the last one silently, so
 * {"action":"block","action":"allow"} would be read as a permission. Keys are compared after decoding: "\\u0061ction" is
 * "action".
 */
function hasDuplicateKey(text: string): boolean {
  const objects: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === '{' || token === '[') objects.push(token === '{' ? new Set() : undefined);
    else if (token === '}' || token === ']') objects.pop();
    else if (token.startsWith('"') && isKeyNext && isKnown(objects.at(-1), token)) return true;
    isKeyNext = token === '{' || (token === ',' && objects.at(-1) !== undefined);
  }
  return false;
}

function isKnown(keys: Set<string> | undefined, token: string): boolean {
  const key = String(JSON.parse(token));
  const isThere = keys?.has(key) ?? false;
  keys?.add(key);
  return isThere;
}
