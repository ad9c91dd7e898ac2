// How a prompt ends for the editor: a stop reason, or an error. Read from the `result` line of a stream-json agent.

import type { TurnEndReason } from '../agent/event.ts';
import { recordOf, type StreamJsonLine } from '../streamjson/line.ts';
import { decodeReason, errorText } from '../streamjson/turn-result.ts';
import { acpErrorCodes, type AcpStopReason } from './types.ts';

export type ResultOutcome =
  | { readonly kind: 'stop'; readonly stopReason: AcpStopReason }
  | { readonly kind: 'error'; readonly code: number; readonly message: string };

export const stopReasons: Readonly<Record<Exclude<TurnEndReason, 'error'>, AcpStopReason>> = {
  end: 'end_turn',
  length: 'max_tokens',
  'continuation-cap': 'max_tokens',
  'iteration-limit': 'max_turn_requests',
  'cost-limit': 'max_turn_requests',
  refusal: 'refusal',
  cancelled: 'cancelled',
  'block-limit-consecutive': 'end_turn',
  'block-limit-total': 'end_turn',
  'convergence-signal': 'end_turn',
};

/** Returns `undefined` for the result of a background task, which does not end the prompt. */
export function toPromptOutcome(line: StreamJsonLine): ResultOutcome | undefined {
  if (recordOf(line['origin'])['kind'] === 'task-notification') return undefined;
  const reason = decodeReason(line);
  if (reason !== 'error') return { kind: 'stop', stopReason: stopReasons[reason] };
  const code = line['api_error_status'] === 401 ? acpErrorCodes.authRequired : acpErrorCodes.internalError;
  return { kind: 'error', code, message: errorText(line) };
}
