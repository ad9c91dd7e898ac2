// A conversation as data: turns, each with the user's message and an answer of each model. Kept in this browser only.

import { signal } from '@preact/signals';
import { readStored, store } from '../kit/storage.ts';
import { isConversation } from './stored-conversation.ts';

export interface Conversation {
  readonly id: string;
  readonly title: string;
  /** The models side by side. An empty name is the gateway's default. */
  readonly models: readonly string[];
  readonly settings: ChatSettings;
  readonly turns: readonly Turn[];
}

export interface ChatSettings {
  readonly system: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly reasoning: '' | 'low' | 'medium' | 'high';
  /** A JSON list of tools in the format of OpenAI. */
  readonly tools: string;
}

export interface Turn {
  readonly id: string;
  readonly text: string;
  /** Data URLs. */
  readonly images: readonly string[];
  /** For each model: its answer, and further ones after tool results. */
  readonly answers: readonly (readonly Answer[])[];
}

export interface Answer {
  readonly model: string;
  readonly state: 'waiting' | 'streaming' | 'done' | 'stopped' | 'failed';
  readonly text: string;
  readonly reasoning: string;
  readonly tools: readonly ToolCall[];
  readonly problem?: string;
  readonly target?: string;
  /** Identifies the call in the live view. */
  readonly call?: string;
  /** Milliseconds. */
  readonly firstToken?: number;
  readonly total?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cost?: number;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly json: string;
  /** What the user entered. */
  readonly result?: string;
}

export const emptyAnswer: Omit<Answer, 'model'> = { state: 'waiting', text: '', reasoning: '', tools: [] };

const mostKept = 50;
const key = 'conversations';

export const conversations = signal<readonly Conversation[]>(load());
export const current = signal<Conversation>(conversations.value[0] ?? createConversation([]));

export function createConversation(models: readonly string[]): Conversation {
  return {
    id: crypto.randomUUID(),
    title: 'New conversation',
    models: models.length === 0 ? [''] : models,
    settings: { system: '', reasoning: '', tools: '' },
    turns: [],
  };
}

/** Changes the current conversation. Nothing is stored until `keep`. */
export function change(changes: Partial<Conversation>): void {
  current.value = { ...current.value, ...changes };
}

export function changeAnswer(
  turnId: string,
  column: number,
  update: (answers: readonly Answer[]) => readonly Answer[],
) {
  const turns = current.value.turns.map((turn) => {
    if (turn.id !== turnId) return turn;
    return { ...turn, answers: turn.answers.map((list, index) => (index === column ? update(list) : list)) };
  });
  change({ turns });
}

export function keep(): void {
  const { turns, id } = current.value;
  if (turns.length === 0) return;
  const others = conversations.value.filter((known) => known.id !== id);
  conversations.value = [current.value, ...others].slice(0, mostKept);
  save();
}

export function open(id: string): void {
  const found = conversations.value.find((known) => known.id === id);
  if (found !== undefined) current.value = found;
}

export function remove(id: string): void {
  conversations.value = conversations.value.filter((known) => known.id !== id);
  if (current.value.id === id) current.value = conversations.value[0] ?? createConversation(current.value.models);
  save();
}

/** Pictures are large: without room for them, the rest is kept. */
function save(): void {
  if (store(key, conversations.value)) return;
  store(
    key,
    conversations.value.map((one) => ({ ...one, turns: one.turns.map((turn) => ({ ...turn, images: [] })) })),
  );
}

function load(): readonly Conversation[] {
  const stored = readStored(key);
  return Array.isArray(stored) ? stored.filter(isConversation).map(withoutRunning) : [];
}

/** An answer that was running when the page was closed has stopped. */
function withoutRunning(conversation: Conversation): Conversation {
  const turns = conversation.turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((list) => list.map(settle)),
  }));
  return { ...conversation, turns };
}

function settle(answer: Answer): Answer {
  return answer.state === 'streaming' || answer.state === 'waiting' ? { ...answer, state: 'stopped' } : answer;
}
