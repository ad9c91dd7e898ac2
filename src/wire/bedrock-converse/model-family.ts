// How each family of models at Bedrock takes a reasoning effort and sampling. The wire has a member for the effort; most
// families have fields of their own instead, which are sent beside it.

import { isRecord, omitUndefined } from '../../core/json.ts';
import type { ChatRequest } from '../../core/request.ts';
import { claudeEffort, claudeSampling, claudeThinking, lowered } from '../claude-reasoning.ts';
import type { Losses } from '../loss.ts';
import { encodeEffort } from '../reasoning-effort.ts';
import type { Encoding } from './encoding.ts';

export interface EncodedReasoning {
  /** Fields of the model itself. */
  readonly fields: object;
  readonly effort?: string;
  readonly sampling: Pick<ChatRequest, 'temperature' | 'topP'>;
}

export function isClaude(model: string): boolean {
  return /claude/i.test(model);
}

type ReasoningContext = Pick<Encoding, 'options' | 'losses'>;

/** `own`: the caller's members for this wire. Its settings of thinking and effort take precedence. */
export function encodeReasoning(
  request: ChatRequest,
  own: Readonly<Record<string, unknown>>,
  encoding: ReasoningContext,
): EncodedReasoning {
  const { losses } = encoding;
  if (isClaude(request.model)) return claudeReasoning(request, own, encoding);
  const sampling = omitUndefined({ temperature: lowered(request.temperature, losses), topP: request.topP });
  return { fields: familyFields(request, losses), sampling };
}

function claudeReasoning(
  request: ChatRequest,
  { additionalModelRequestFields: fields, outputConfig: config }: Readonly<Record<string, unknown>>,
  { options, losses }: ReasoningContext,
): EncodedReasoning {
  const isOwn = (isRecord(fields) && 'thinking' in fields) || (isRecord(config) && 'effort' in config);
  const thinking = isOwn ? undefined : claudeThinking(request, options, losses);
  const effort = isOwn ? undefined : claudeEffort(request, options);
  const sampling = claudeSampling(request, { thinking, options, losses });
  return omitUndefined({ fields: omitUndefined({ thinking }), effort, sampling });
}

/** The three efforts that other families know. */
const efforts: Readonly<Record<string, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

function familyFields({ model, reasoning }: ChatRequest, losses: Losses): object {
  if (reasoning === undefined) return {};
  const isNova = /nova-2/i.test(model);
  const effort = isNova || /gpt-oss/i.test(model) ? encodeEffort(reasoning, losses) : reasoning.effort;
  const word = efforts[effort ?? ''];
  if (isNova) {
    const config = word === undefined ? { type: 'disabled' } : { type: 'enabled', maxReasoningEffort: word };
    return { reasoningConfig: config };
  }
  if (effort === 'none') return {};
  if (word !== undefined && /gpt-oss/i.test(model)) return { reasoning_effort: word };
  losses.drop('reasoning', 'the reasoning effort was left out: the model takes none');
  return {};
}
