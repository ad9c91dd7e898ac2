// How a run ended: the exit code, a line for people, and JSON for programs.

import type { TurnEnd, TurnEndReason } from '../../agent/event.ts';
import { abortExitCode, errorTable } from '../../core/error.ts';
import type { Usage } from '../../core/usage.ts';
import { describeUsageAndCost, describeTime } from '../response-writer.ts';
import { toFailureJson } from '../failure.ts';
import type { Coder } from '../../coder/coder.ts';

/** The turn ended early without an error: a limit, a refusal, or calls blocked by hooks. */
export const unfinishedExitCode = 8;

const finished: ReadonlySet<TurnEndReason> = new Set(['end', 'convergence-signal']);

export function exitCodeOf({ reason, error }: TurnEnd): number {
  if (error !== undefined) return errorTable[error.kind].exitCode;
  if (reason === 'cancelled') return abortExitCode;
  return finished.has(reason) ? 0 : unfinishedExitCode;
}

const unfinished: Readonly<Partial<Record<TurnEndReason, string>>> = {
  'length': 'the response was cut off at the token limit; use --max-tokens to raise it',
  'continuation-cap': 'the response was cut off at the token limit too often; use --max-tokens to raise it',
  'iteration-limit': 'the limit of tool calls is reached; use --continue to continue',
  'cost-limit': 'the limit of --max-cost is reached',
  'refusal': 'the model refused to respond',
  'block-limit-consecutive': 'hooks blocked three calls in a row',
  'block-limit-total': 'hooks blocked ten calls',
  'convergence-signal': 'a hook signalled that the work is done',
  'cancelled': 'stopped',
};

/** Why a turn ended; undefined if it ended normally or with an error. */
export function describeEnd({ reason }: TurnEnd): string | undefined {
  return unfinished[reason];
}

/** `claude-opus-4-6 · 1,200 in, 300 out · $0.02 · 3 tools · 4.1 s` */
export function describeTally({ modelName, tally }: Pick<Coder, 'modelName' | 'tally'>): string {
  const { usage, cost, duration, toolCalls } = tally;
  const tools = toolCalls === 0 ? [] : [`${toolCalls} tool ${toolCalls === 1 ? 'call' : 'calls'}`];
  const bill =
    cost === undefined ? `${describeUsageAndCost({ usage })} · cost unknown` : describeUsageAndCost({ usage, cost });
  return [modelName, bill, ...tools, describeTime(duration)].join(' · ');
}

/** One line of JSON; see docs/forgeflare.md. */
export function toReport(coder: Coder, end: TurnEnd): string {
  const { tally, sessionId, modelName } = coder;
  return JSON.stringify({
    result: end.text,
    stopReason: end.reason,
    sessionId,
    model: modelName,
    usage: toCounts(tally.usage),
    costUsd: tally.cost ?? null,
    durationMs: Math.round(end.duration),
    iterations: end.iterations,
    tools: tally.tools,
    error: end.error === undefined ? null : toFailureJson(end.error),
  });
}

function toCounts({ input, output, cacheRead = 0, cacheWrite = 0, missing }: Usage) {
  return missing === true ? null : { input, output, cacheRead, cacheWrite };
}
