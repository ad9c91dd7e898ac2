// Decodes the body of a chat request: the conversation so far and the user's new message. Strict: fields that only the
// server may set (system prompt, tools, tool results, model) are rejected.

import { text, type Block, type Message } from '../../core/message.ts';
import { JsonField } from '../../wire/json-field.ts';

export interface ChatBody {
  readonly before: readonly Message[];
  readonly prompt: readonly Block[];
}

const roles = ['user', 'assistant'] as const;

/** Throws `bad-request` naming the field. */
export function decodeChatBody(body: unknown): ChatBody {
  const root = new JsonField(body);
  checkKnownFields(root, ['messages']);
  const items = root.get('messages').items();
  const messages = items.map(decodeMessage);
  const last = messages.at(-1);
  if (last === undefined) return root.get('messages').fail('must contain at least one message');
  if (last.role !== 'user') return (items.at(-1) as JsonField).get('role').fail('must be "user" in the last message');
  const isBlank = last.content.every((block) => block.type === 'text' && block.text.trim() === '');
  if (isBlank) return (items.at(-1) as JsonField).get('content').fail('must not be empty');
  return { before: messages.slice(0, -1), prompt: last.content };
}

function decodeMessage(field: JsonField): Message {
  checkKnownFields(field, ['role', 'content']);
  const role = field.get('role').oneOf(roles);
  const content = field.get('content');
  if (typeof content.value === 'string') return { role, content: [text(content.value)] };
  if (!Array.isArray(content.value))
    return content.fail('must be a string, or a list of {"type": "text", "text": "…"}');
  return { role, content: content.items().map(decodePart) };
}

function decodePart(field: JsonField): Block {
  checkKnownFields(field, ['type', 'text']);
  field.get('type').oneOf(['text']);
  return text(field.get('text').string());
}

function checkKnownFields(field: JsonField, known: readonly string[]): void {
  const unknown = Object.keys(field.object()).find((key) => !known.includes(key));
  if (unknown !== undefined) field.get(unknown).fail(`is not allowed here; send only ${known.join(' and ')}`);
}
