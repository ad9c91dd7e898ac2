// A call of the chat as a curl command. The key is a placeholder, so that the command can be shared.

import { shellLiteral } from '../kit/literal.ts';
import type { Conversation } from './conversation.ts';
import { toRequest } from './request.ts';

export interface AnswerPlace {
  readonly turnId: string;
  readonly column: number;
  /** Among the answers of its model in this turn. */
  readonly number: number;
}

export function toCurl(
  conversation: Conversation,
  place: AnswerPlace,
  gateway: { origin: string; key: string },
): string {
  const before = beforeAnswer(conversation, place);
  const model = before.turns.at(-1)?.answers[place.column]?.[place.number]?.model ?? conversation.models[place.column];
  const body = { ...toRequest(withoutAnswer(before, place), place.column, model ?? ''), stream: true };
  return `curl -N ${gateway.origin}/v1/chat/completions \\
  -H ${shellLiteral(`authorization: Bearer ${gateway.key}`)} \\
  -H 'content-type: application/json' \\
  -d ${shellLiteral(JSON.stringify(body))}`;
}

function beforeAnswer(conversation: Conversation, { turnId }: AnswerPlace): Conversation {
  const index = conversation.turns.findIndex(({ id }) => id === turnId);
  return { ...conversation, turns: conversation.turns.slice(0, index + 1) };
}

/** The request had the answers before this one, which are there if the model called tools. */
function withoutAnswer(conversation: Conversation, { column, number }: AnswerPlace): Conversation {
  const turns = conversation.turns.map((turn, index) => {
    if (index < conversation.turns.length - 1) return turn;
    return { ...turn, answers: turn.answers.map((list, other) => (other === column ? list.slice(0, number) : list)) };
  });
  return { ...conversation, turns };
}
