// The question whether a tool call may run, as ACP asks it. The complete command or change is always part of it.

import { omitUndefined } from '../core/json.ts';
import { recordOf } from '../streamjson/line.ts';
import type { RpcOutcome } from '../rpc/connection.ts';
import type { AskReply, PermissionAsk } from './agent-session.ts';
import { describeToolCall } from './tool-call.ts';
import { fence } from './tool-result.ts';
import type { ToolCallContent } from './types.ts';

interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: 'allow_once' | 'allow_always' | 'reject_once' | 'reject_always';
}

const replies: Readonly<Record<string, AskReply>> = {
  'allow-once': 'once',
  'allow-always': 'always',
  'reject-once': 'no',
  'reject-always': 'never',
};

export interface PermissionSubject extends PermissionAsk {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly folder: string;
  /** The change, if the call changes a file. */
  readonly diffs: readonly ToolCallContent[];
}

export function toPermissionRequest(subject: PermissionSubject): object {
  const { sessionId, toolCallId, name, input, folder, diffs, reason } = subject;
  const description = describeToolCall(name, input, folder);
  const content = [...(diffs.length > 0 ? diffs : contentOf(subject, description.content)), ...textContent(reason)];
  const toolCall = omitUndefined({ toolCallId, status: 'pending', ...description, content });
  return { sessionId, toolCall, options: optionsFor(subject) };
}

/** The input, unless the description has it already. */
function contentOf({ name, input }: PermissionAsk, described: readonly ToolCallContent[]): readonly ToolCallContent[] {
  if (described.some(({ type }) => type === 'diff')) return described;
  const command = recordOf(input)['command'];
  const shown = name === 'Bash' && typeof command === 'string' ? command : JSON.stringify(input, undefined, 2);
  return [...textContent(fence(shown ?? '')), ...described];
}

function textContent(text: string | undefined): ToolCallContent[] {
  return text === undefined || text === '' ? [] : [{ type: 'content', content: { type: 'text', text } }];
}

function optionsFor({ scope }: PermissionAsk): PermissionOption[] {
  return [
    { optionId: 'allow-once', name: 'Allow once', kind: 'allow_once' },
    { optionId: 'allow-always', name: `Always allow ${scope}`, kind: 'allow_always' },
    { optionId: 'reject-once', name: 'Reject', kind: 'reject_once' },
    { optionId: 'reject-always', name: `Always reject ${scope}`, kind: 'reject_always' },
  ];
}

/** Only an option that was offered allows. */
export function decodePermissionReply(outcome: RpcOutcome): AskReply {
  if (outcome.kind === 'cancelled') return 'cancelled';
  if (outcome.kind !== 'result') return 'no';
  const { outcome: kind, optionId } = recordOf(recordOf(outcome.value)['outcome']);
  if (kind === 'cancelled') return 'cancelled';
  const reply = typeof optionId === 'string' && Object.hasOwn(replies, optionId) ? replies[optionId] : undefined;
  return kind === 'selected' ? (reply ?? 'no') : 'no';
}
