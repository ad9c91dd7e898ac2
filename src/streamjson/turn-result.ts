// The end of a turn as a `result` line, and back. The CLI reports the reason in several members; the order in which they
// are read matters: `subtype: "success"` may be an error, and `stop_reason` may be that of the error message.

import type { TurnEnd, TurnEndReason } from '../agent/event.ts';
import { classifyFailure, type SimpleAgentsError } from '../core/error.ts';
import { omitUndefined, type JsonObject } from '../core/json.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { decodeFailure, decodeUsage, encodeFailure, encodeUsage, isSame } from './block.ts';
import { extensionOf, numberOf, recordOf, stringOf, type StreamJsonLine } from './line.ts';

interface ResultMembers {
  readonly subtype: string;
  readonly is_error: boolean;
  readonly stop_reason: string | null;
  readonly terminal_reason: string;
  readonly api_error?: string;
}

const completed: ResultMembers = {
  subtype: 'success',
  is_error: false,
  stop_reason: 'end_turn',
  terminal_reason: 'completed',
};
const cut: ResultMembers = { ...completed, stop_reason: 'max_tokens', api_error: 'max_output_tokens' };
const stopped: ResultMembers = {
  subtype: 'error_during_execution',
  is_error: true,
  stop_reason: null,
  terminal_reason: 'hook_stopped',
};

const abortedTools: ResultMembers = { ...stopped, stop_reason: 'tool_use', terminal_reason: 'aborted_tools' };

const membersByReason: Readonly<Record<TurnEndReason, ResultMembers>> = {
  end: completed,
  length: cut,
  'continuation-cap': cut,
  'iteration-limit': { ...stopped, subtype: 'error_max_turns', terminal_reason: 'max_turns' },
  'cost-limit': { ...stopped, subtype: 'error_max_budget_usd', terminal_reason: 'budget_exhausted' },
  refusal: { ...completed, is_error: true, stop_reason: 'refusal', terminal_reason: 'api_error' },
  cancelled: { ...stopped, terminal_reason: 'aborted_streaming' },
  error: { ...completed, is_error: true, stop_reason: 'stop_sequence', terminal_reason: 'api_error' },
  'block-limit-consecutive': stopped,
  'block-limit-total': stopped,
  'convergence-signal': { ...completed, terminal_reason: 'hook_stopped' },
};

/** What one model has used in the session. */
export interface ModelTotal {
  readonly usage: Usage;
  /** In US dollars. Undefined if not known. */
  readonly cost?: number | undefined;
  /** In tokens. Undefined if not known. */
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
}

/** What the session has used so far, by model. Hosts read the numbers as totals. */
export type SessionTotals = ReadonlyMap<string, ModelTotal>;

export interface DeniedCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What the events of a turn do not say about its end. */
export interface TurnRecord {
  readonly totals: SessionTotals;
  /** Milliseconds in which a response was awaited. */
  readonly apiDuration: number;
  readonly denials: readonly DeniedCall[];
  /** The turn was cancelled while tools ran. */
  readonly isInTools: boolean;
}

export function encodeResult(event: TurnEnd, record: TurnRecord): StreamJsonLine {
  const { reason, error, text, usage, iterations, duration } = event;
  const members = reason === 'cancelled' && record.isInTools ? abortedTools : membersByReason[reason];
  return omitUndefined({
    type: 'result',
    ...members,
    duration_ms: Math.round(duration),
    duration_api_ms: Math.round(record.apiDuration),
    num_turns: iterations + 1,
    result: members.subtype === 'success' ? (error?.message ?? text) : undefined,
    errors: members.subtype === 'success' ? undefined : [error?.message ?? `The turn ended: ${reason}.`],
    api_error_status: error === undefined ? null : (error.status ?? null),
    total_cost_usd: totalCost(record.totals),
    usage: encodeUsage(usage),
    modelUsage: Object.fromEntries([...record.totals].map(([model, total]) => [model, encodeModelTotal(total)])),
    permission_denials: record.denials.map(({ id, name, input }) => ({
      tool_name: name,
      tool_use_id: id,
      tool_input: recordOf(input),
    })),
  });
}

/** A cost that is not known counts as zero, because hosts add the numbers up. Rounding removes the noise of the addition. */
function totalCost(totals: SessionTotals): number {
  let sum = 0;
  for (const { cost = 0 } of totals.values()) sum += cost;
  return roundCost(sum);
}

function encodeModelTotal({ usage, cost, contextWindow, maxOutputTokens }: ModelTotal): JsonObject {
  return omitUndefined({
    inputTokens: usage.input,
    outputTokens: usage.output,
    thinkingTokens: usage.reasoning ?? 0,
    cacheReadInputTokens: usage.cacheRead ?? 0,
    cacheCreationInputTokens: usage.cacheWrite ?? 0,
    webSearchRequests: 0,
    costUSD: roundCost(cost ?? 0),
    contextWindow,
    maxOutputTokens,
  });
}

/** What `decodeResult` cannot find in the members of the CLI. */
export function extendResult({ reason, error, text, usage, cost, iterations, duration }: TurnEnd): JsonObject {
  return omitUndefined({
    reason,
    error: error === undefined ? undefined : encodeFailure(error),
    text: reason === 'end' ? undefined : text,
    usage: isSame(decodeUsage(encodeUsage(usage), noUsage), usage) ? undefined : (usage as unknown as JsonObject),
    cost: cost ?? null,
    iterations,
    duration: Number.isInteger(duration) ? undefined : duration,
  });
}

/** What the decoder knows about the turn from earlier lines. */
export interface TurnBefore {
  readonly totalCost: number;
  readonly text: string;
  readonly iterations: number;
}

export function decodeResult(line: StreamJsonLine, before: TurnBefore): TurnEnd {
  const own = extensionOf(line);
  const reason = decodeReason(line);
  const native = reason === 'error' ? undefined : stringOf(line['result']);
  return omitUndefined({
    type: 'turn-end',
    reason,
    error: decodeError(line, reason),
    text: stringOf(own['text']) ?? native ?? before.text,
    usage: decodeOwnUsage(own['usage']) ?? decodeUsage(line['usage'], noUsage),
    cost: 'cost' in own ? numberOf(own['cost']) : decodeCost(line, before.totalCost),
    iterations: numberOf(own['iterations']) ?? before.iterations,
    duration: numberOf(own['duration']) ?? numberOf(line['duration_ms']) ?? 0,
  });
}

export function decodeReason(line: StreamJsonLine): TurnEndReason {
  const own = stringOf(extensionOf(line)['reason']);
  if (own !== undefined && Object.hasOwn(membersByReason, own)) return own as TurnEndReason;
  const { subtype, api_error: apiError, stop_reason: stopReason, is_error: isError } = line;
  const terminal = stringOf(line['terminal_reason']) ?? '';
  if (terminal.startsWith('aborted')) return 'cancelled';
  if (terminal === 'max_turns' || subtype === 'error_max_turns') return 'iteration-limit';
  if (subtype === 'error_max_budget_usd') return 'cost-limit';
  if (apiError === 'max_output_tokens' || stopReason === 'max_tokens') return 'length';
  if (stopReason === 'refusal') return 'refusal';
  return isError === true || (typeof subtype === 'string' && subtype.startsWith('error')) ? 'error' : 'end';
}

function decodeError(line: StreamJsonLine, reason: TurnEndReason): SimpleAgentsError | undefined {
  const own = extensionOf(line)['error'];
  if (own !== undefined) return decodeFailure(own);
  if (reason !== 'error') return undefined;
  return classifyFailure(
    omitUndefined({
      message: errorText(line),
      status: numberOf(line['api_error_status']),
      type: stringOf(line['api_error_type']),
    }),
  );
}

/** The CLI has the text of an error in `result` or in `errors`. */
export function errorText(line: StreamJsonLine): string {
  const errors = Array.isArray(line['errors']) ? line['errors'].filter((error) => typeof error === 'string') : [];
  return stringOf(line['result']) || errors.join('\n') || 'The agent reported an error without a message.';
}

/** The total is cumulative. */
function decodeCost(line: StreamJsonLine, totalBefore: number): number | undefined {
  const total = numberOf(line['total_cost_usd']);
  return total === undefined ? undefined : roundCost(total - totalBefore);
}

/** Removes the noise of floating-point arithmetic. */
function roundCost(dollars: number): number {
  return Number(dollars.toPrecision(12));
}

function decodeOwnUsage(value: unknown): Usage | undefined {
  const { input, output } = recordOf(value);
  return typeof input === 'number' && typeof output === 'number' ? (value as Usage) : undefined;
}
