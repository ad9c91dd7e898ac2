// Interprets the outcome of a hook. Only a guard that clearly returns "allow" lets the call run; everything else blocks it.
// A hook that runs after the call can only signal; if it fails, that is reported and has no other effect.

import { isRecord } from '../../core/json.ts';
import type { Hook } from './hook.ts';
import type { HookOutcome } from './process.ts';

export interface HookBlock {
  /** The hook's command. */
  readonly by: string;
  readonly reason: string;
  /** What the model receives. */
  readonly message: string;
}

export interface HookSignal {
  readonly signal: string;
  readonly reason: string;
}

/** Undefined if the call may run. */
export function readGuard({ command, timeout }: Hook, outcome: HookOutcome): HookBlock | undefined {
  const failure = failureOf(outcome, timeout);
  if (failure !== undefined) return failedClosed(command, failure);
  const response = parseResponse(outcome);
  if (response === undefined) return failedClosed(command, invalid);
  const { action } = response;
  if (action === 'allow') return undefined;
  const fallback = action === 'block' ? 'no reason given' : `unknown action ${JSON.stringify(action) ?? '(none)'}`;
  const reason = textOr(response['reason'], fallback);
  return { by: command, reason, message: `blocked by ${command}: ${reason}` };
}

/** A signal, undefined, or the reason why the hook failed. */
export function readPost({ timeout }: Hook, outcome: HookOutcome): HookSignal | string | undefined {
  const failure = failureOf(outcome, timeout);
  if (failure !== undefined) return failure;
  const response = parseResponse(outcome);
  if (response === undefined) return invalid;
  const { action } = response;
  if (action === 'continue') return undefined;
  if (action !== 'signal') return `returned the unknown action ${JSON.stringify(action) ?? '(none)'}`;
  const { signal } = response;
  if (typeof signal !== 'string' || signal === '') return 'returned a signal without a name';
  return { signal, reason: textOr(response['reason'], '') };
}

const invalid = 'returned invalid JSON';

/** Why the hook failed; undefined if it ran. Its output may still be invalid. */
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

/** Undefined for invalid JSON, and for JSON that two parsers could read differently. */
function parseResponse(outcome: HookOutcome): Record<string, unknown> | undefined {
  if (outcome.type !== 'output') return undefined;
  try {
    const response: unknown = JSON.parse(outcome.text);
    return isRecord(response) && !hasDuplicateKey(outcome.text) ? response : undefined;
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
