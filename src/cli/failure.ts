// Reports a failure, as text for a person or as JSON for a program, and maps it to the exit code. The output never
// contains a key, and a stack trace only for internal errors with SIMPLE_AGENTS_DEBUG=1.

import { CommanderError } from 'commander';
import { abortExitCode, errorTable, isAbort, toError, type SimpleAgentsError } from '../core/error.ts';
import { omitUndefined, type JsonObject } from '../core/json.ts';
import { toJsonText } from '../heal/report/json-text.ts';
import { painter, write, type Terminal } from './terminal/terminal.ts';

/** `json`: one document on stdout. `json-line`: the same on one line. `json-lines`: the failure is the last line on stdout. */
export type FailureFormat = 'text' | 'json' | 'json-line' | 'json-lines';

/** The exit code for an invalid command line. */
export const usageExitCode = 2;

export async function reportFailure(thrown: unknown, terminal: Terminal, format: FailureFormat): Promise<number> {
  if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : usageExitCode;
  if (isAbort(thrown)) return abortExitCode;
  const error = toError(thrown);
  if (format === 'text') await write(terminal.stderr, describeFailure(error, terminal));
  else await write(terminal.stdout, formatFailure(error, format));
  return errorTable[error.kind].exitCode;
}

/** The text for a person: what happened, then what to do. */
export function describeFailure(
  error: SimpleAgentsError,
  { stderr, env, program = 'simple-agents' }: Terminal,
): string {
  const paint = painter(stderr, env);
  const isTraced = error.kind === 'internal' && env['SIMPLE_AGENTS_DEBUG'] === '1';
  const hints = [...hintsOf(error), ...(isTraced ? [stackOf(error)] : [])];
  const headline = `${paint('red', `${program}:`)}${headlineOf(error)}`;
  return [headline, ...hints.map((hint) => paint('dim', hint)), ''].join('\n');
}

/** `HTTP 529 ` if the provider returned an error status, else empty. */
export function describeStatus({ status = 200 }: SimpleAgentsError): string {
  return status < 300 ? '' : `HTTP ${status} `;
}

export function toFailureJson(error: SimpleAgentsError): JsonObject {
  const { kind, message, advice, target, field, status, code, retryAfterMs, requestId } = error;
  const { exitCode } = errorTable[kind];
  const details = omitUndefined({
    kind,
    message,
    advice,
    exitCode,
    target,
    field,
    status,
    code,
    retryAfterMs,
    requestId,
  });
  return { ...details, ...healingOf(error) };
}

/** The cast is safe because these values come from JSON. */
function healingOf({ value, flags, confidence }: SimpleAgentsError): JsonObject {
  return omitUndefined({ value, flags, confidence }) as JsonObject;
}

function formatFailure(error: SimpleAgentsError, format: Exclude<FailureFormat, 'text'>): string {
  const failure = toFailureJson(error);
  if (format === 'json-lines') return `${toJsonText({ type: 'error', error: failure })}\n`;
  return `${toJsonText({ error: failure }, format === 'json' ? 2 : undefined)}\n`;
}

function headlineOf({ kind, message, target }: SimpleAgentsError): string {
  const text = kind === 'internal' ? `internal error: ${message}` : message;
  // Several lines are a list of mistakes in a file: each gets its own line.
  if (text.includes('\n')) return `\n${text.replaceAll(/^/gm, '  ')}`;
  const isNamed = target === undefined || text.toLowerCase().includes(target.toLowerCase());
  return isNamed ? ` ${text}` : ` ${target}: ${text}`;
}

/** Kinds whose messages already say what to do. */
const selfExplaining: ReadonlySet<string> = new Set(['bad-request', 'configuration']);

function hintsOf({ kind, advice, retryAfterMs, requestId }: SimpleAgentsError): string[] {
  const hints = selfExplaining.has(kind) ? [] : [advice];
  if (retryAfterMs !== undefined) hints.push(`The provider requests a delay of ${Math.ceil(retryAfterMs / 1000)} s.`);
  if (requestId !== undefined) hints.push(`Request ID: ${requestId}`);
  return hints;
}

function stackOf({ cause, stack }: SimpleAgentsError): string {
  return (cause instanceof Error ? cause.stack : stack) ?? '';
}
