// The body of a question: the conversation so far, and what the user says now. Read strictly. What only the server may
// say — the system prompt, tools and their results, the model — is refused.

import { text, type Block, type Message } from '../../core/message.ts';
import { JsonField } from '../../wire/json-field.ts';

export interface ChatBody {
  readonly before: readonly Message[];
  readonly prompt: readonly Block[];
}

const roles = ['user', 'assistant'] as const;

/** Throws `bad-request` that names the field. */
export function decodeChatBody(body: unknown): ChatBody {
  const root = new JsonField(body);
  checkKnownFields(root, ['messages']);
  const items = root.get('messages').items();
  const messages = items.map(decodeMessage);
  const last = messages.at(-1);
  if (last === undefined) return root.get('messages').fail('must hold at least one message');
  if (last.role !== 'user') return (items.at(-1) as JsonField).get('role').fail('the last message must be the user’s');
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
  const [odd] = Object.keys(field.object()).filter((key) => !known.includes(key));
  if (odd !== undefined) field.get(odd).fail(`is not for the client to say; send ${known.join(' and ')} alone`);
}
