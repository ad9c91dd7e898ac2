// A conversation as the body of a chat completion, for one of its models.

import type { Answer, ChatSettings, Conversation, Turn } from './conversation.ts';

/** Throws `SyntaxError` if the tools are not JSON. */
export function toRequest({ settings, turns }: Conversation, column: number, model: string): object {
  const system = settings.system.trim() === '' ? [] : [{ role: 'system', content: settings.system }];
  const messages = [...system, ...turns.flatMap((turn) => toMessages(turn, column))];
  return { ...(model !== '' && { model }), messages, ...toParameters(settings) };
}

function toParameters({ temperature, maxTokens, reasoning, tools }: ChatSettings): object {
  return {
    ...(temperature !== undefined && { temperature }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    ...(reasoning !== '' && { reasoning_effort: reasoning }),
    ...(tools.trim() !== '' && { tools: JSON.parse(tools) as unknown }),
  };
}

/** A model that was added later continues from the answers of the first. */
function toMessages({ text, images, answers }: Turn, column: number): object[] {
  const pictures = images.map((url) => ({ type: 'image_url', image_url: { url } }));
  const content = pictures.length === 0 ? text : [{ type: 'text', text }, ...pictures];
  return [{ role: 'user', content }, ...(answers[column] ?? answers[0] ?? []).flatMap(toAnswerMessages)];
}

function toAnswerMessages({ text, tools, state }: Answer): object[] {
  // The answer that is being asked for, or one that failed before it began.
  if (text === '' && tools.length === 0) return [];
  const isUsable = state === 'done' && tools.length > 0 && tools.every(({ result }) => result !== undefined);
  if (!isUsable) return text === '' ? [] : [{ role: 'assistant', content: text }];
  const calls = tools.map(({ id, name, json }) => ({ id, type: 'function', function: { name, arguments: json } }));
  return [
    { role: 'assistant', content: text === '' ? null : text, tool_calls: calls },
    ...tools.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result })),
  ];
}
