// Whether a stored value is a conversation. Another version of the page, or a program, may have stored anything, and what
// is not a conversation must not break the page each time it is loaded.

import { isRecord } from '../../src/core/json.ts';
import type { Conversation } from './conversation.ts';

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTextList = isListOf(isText);
const isOptionalText: Check = (value) => value === undefined || isText(value);
/** A number that is not finite is stored as null. */
const isOptionalNumber: Check = (value) => (value ?? undefined) === undefined || typeof value === 'number';

const isToolCall = hasMembers({ id: isText, name: isText, json: isText, result: isOptionalText });

const isAnswer = hasMembers({
  model: isText,
  state: isText,
  text: isText,
  reasoning: isText,
  tools: isListOf(isToolCall),
  problem: isOptionalText,
  target: isOptionalText,
  call: isOptionalText,
  firstToken: isOptionalNumber,
  total: isOptionalNumber,
  inputTokens: isOptionalNumber,
  outputTokens: isOptionalNumber,
  cost: isOptionalNumber,
});

const isTurn = hasMembers({ id: isText, text: isText, images: isTextList, answers: isListOf(isListOf(isAnswer)) });

const isSettings = hasMembers({
  system: isText,
  reasoning: isText,
  tools: isText,
  temperature: isOptionalNumber,
  maxTokens: isOptionalNumber,
});

const isWhole = hasMembers({
  id: isText,
  title: isText,
  models: isTextList,
  settings: isSettings,
  turns: isListOf(isTurn),
});

export function isConversation(value: unknown): value is Conversation {
  return isWhole(value);
}

function isListOf(isItem: Check): Check {
  return (value) => Array.isArray(value) && value.every(isItem);
}

function hasMembers(checks: Readonly<Record<string, Check>>): Check {
  return (value) => isRecord(value) && Object.entries(checks).every(([name, isMember]) => isMember(value[name]));
}
