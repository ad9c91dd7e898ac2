// Slash commands that a host may send as a prompt. They run in the agent itself, without a model, except for /compact.

import type { AgentEvent, TurnEnd } from '../../../agent/event.ts';
import { text, type Message } from '../../../core/message.ts';
import { noUsage } from '../../../core/usage.ts';
import type { SlashCommand } from '../../slash-command.ts';
import { commands, type CoderControls } from '../slash.ts';
import type { HostSession } from './session.ts';

const offered: ReadonlySet<string> = new Set(['/compact', '/cost', '/model']);

export const localCommands: readonly SlashCommand<CoderControls>[] = commands.filter(({ name }) => offered.has(name));

export interface LocalResult {
  /** The output, as if the model had said it. */
  events(prompt: Message): readonly AgentEvent[];
  readonly end: TurnEnd;
}

interface LocalControls {
  readonly session: HostSession;
  readonly watch: (event: AgentEvent) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Undefined if the prompt is not a command that is offered: then it is for the model. */
export async function runLocalCommand(words: string, controls: LocalControls): Promise<LocalResult | undefined> {
  const [, name = '', argument = ''] = /^(\/\S+)\s*(.*)$/s.exec(words.trim()) ?? [];
  const command = localCommands.find((candidate) => candidate.name === name);
  if (command === undefined) return undefined;
  const { session, watch, signal } = controls;
  const { coder } = session;
  const output = await command.run(argument.trim(), {
    coder,
    root: coder.root,
    askBusy: async () => undefined,
    tell: () => undefined,
    watch,
    whileWorking: (work) => work(signal),
  });
  return toLocalResult(typeof output === 'string' ? output : '');
}

function toLocalResult(output: string): LocalResult {
  const block = text(output);
  return {
    events: (prompt) => [
      { type: 'turn-start', prompt, model: '' },
      ...[
        { type: 'message-start', id: '', model: '<synthetic>' } as const,
        { type: 'block-end', index: 0, block } as const,
        { type: 'message-end', stopReason: 'end', usage: { input: 0, output: 0 } } as const,
      ].map((event) => ({ type: 'model-event', event }) as const),
    ],
    end: { type: 'turn-end', reason: 'end', text: output, usage: noUsage, cost: 0, iterations: 0, duration: 0 },
  };
}
