// The body of a question: the conversation so far, and what the user says now. Read strictly. What only the server may
// say — the system prompt, tools and their results, the model — is refused.

import { text, type Block, type Message } from '../../core/message.ts';
import { Field } from '../../wire/field.ts';

export interface Question {
  readonly before: readonly Message[];
  readonly prompt: readonly Block[];
}

const roles = ['user', 'assistant'] as const;

/** Throws `bad-request` that names the field. */
export function decodeQuestion(body: unknown): Question {
  const root = new Field(body);
  refuseUnknown(root, ['messages']);
  const items = root.get('messages').items();
  const messages = items.map(decodeMessage);
  const last = messages.at(-1);
  if (last === undefined) return root.get('messages').fail('must hold at least one message');
  if (last.role !== 'user') return (items.at(-1) as Field).get('role').fail('the last message must be the user’s');
  const isBlank = last.content.every((block) => block.type === 'text' && block.text.trim() === '');
  if (isBlank) return (items.at(-1) as Field).get('content').fail('must not be empty');
  return { before: messages.slice(0, -1), prompt: last.content };
}

function decodeMessage(field: Field): Message {
  refuseUnknown(field, ['role', 'content']);
  const role = field.get('role').oneOf(roles);
  const content = field.get('content');
  if (typeof content.value === 'string') return { role, content: [text(content.value)] };
  if (!Array.isArray(content.value))
    return content.fail('must be a string, or a list of {"type": "text", "text": "…"}');
  return { role, content: content.items().map(decodePart) };
}

function decodePart(field: Field): Block {
  refuseUnknown(field, ['type', 'text']);
  field.get('type').oneOf(['text']);
  return text(field.get('text').string());
}

function refuseUnknown(field: Field, known: readonly string[]): void {
  const [odd] = Object.keys(field.object()).filter((key) => !known.includes(key));
  if (odd !== undefined) field.get(odd).fail(`is not for the client to say; send ${known.join(' and ')} alone`);
}
