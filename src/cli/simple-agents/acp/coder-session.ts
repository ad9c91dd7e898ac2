// One session of our own coding agent, for ACP: its modes, options and commands, and its turns.

import type { AgentSession, SessionHost } from '../../../acp/agent-session.ts';
import type { AvailableCommand, ConfigOption, SessionMode } from '../../../acp/types.ts';
import type { AgentEvent, TurnEnd } from '../../../agent/event.ts';
import type { Coder } from '../../../coder/coder.ts';
import type { PermissionMode } from '../../../coder/permission/decision.ts';
import { formatDollars } from '../../../core/dollars.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { Block, Message } from '../../../core/message.ts';
import { reasoningEfforts, type ReasoningEffort } from '../../../core/request.ts';
import { noUsage } from '../../../core/usage.ts';
import { PriceBook } from '../../../prices/price.ts';
import { listModels } from '../../../gateway/routing/model-list.ts';
import { loadAgentSettings, type AgentModelFlags } from '../../forgeflare/model.ts';
import type { Terminal } from '../../terminal/terminal.ts';

const modes: readonly (SessionMode & { readonly id: PermissionMode })[] = [
  { id: 'ask', name: 'Ask', description: 'Ask before changing files and running commands' },
  { id: 'auto-edit', name: 'Auto-edit', description: 'Change files without asking; ask before running commands' },
  { id: 'read-only', name: 'Read-only', description: 'Only read and search; refuse every change' },
  { id: 'full', name: 'Full', description: 'Never ask; the guard still refuses dangerous commands' },
];

const commands: readonly AvailableCommand[] = [
  { name: 'compact', description: 'Replace the conversation by a summary', input: null },
  { name: 'cost', description: 'Show the tokens and the cost of this session', input: null },
];

const defaultEffort = 'default';

export interface CoderSessionParts {
  readonly coder: Coder;
  /** The names of the configured models. */
  readonly models: readonly string[];
  readonly host: SessionHost;
  readonly history: readonly Message[];
}

export class CoderSession implements AgentSession {
  readonly modes = modes;
  readonly commands = commands;
  readonly history: readonly Message[];
  readonly id: string;
  readonly #parts: CoderSessionParts;

  constructor(parts: CoderSessionParts) {
    this.#parts = parts;
    this.history = parts.history;
    this.id = parts.coder.sessionId;
  }

  get modeId(): string {
    return this.#coder.permissionMode;
  }

  get options(): readonly ConfigOption[] {
    return [this.#modelOption, this.#effortOption];
  }

  get contextWindow(): number | undefined {
    return this.#coder.contextWindow;
  }

  get cost(): number | undefined {
    return this.#coder.tally.cost;
  }

  async run(prompt: readonly Block[], watch: (event: AgentEvent) => void, signal: AbortSignal): Promise<TurnEnd> {
    const command = commandIn(prompt);
    if (command === 'compact') return this.#compact(watch, signal);
    if (command === 'cost') return say(this.#describeCost(), watch);
    return this.#coder.run(prompt, async (event) => watch(event), signal);
  }

  async setMode(id: string): Promise<void> {
    const mode = modes.find((each) => each.id === id);
    if (mode !== undefined) this.#coder.permissionMode = mode.id;
  }

  async setOption(id: string, value: string): Promise<void> {
    if (id === 'model') await this.#coder.switchModel(value);
    if (id === 'effort') this.#coder.effort = value === defaultEffort ? undefined : (value as ReasoningEffort);
  }

  async close(): Promise<void> {
    await this.#coder.close();
  }

  get #coder(): Coder {
    return this.#parts.coder;
  }

  get #modelOption(): ConfigOption {
    const { modelName } = this.#coder;
    const names = new Set([modelName, ...this.#parts.models]);
    return {
      id: 'model',
      name: 'Model',
      category: 'model',
      type: 'select',
      currentValue: modelName,
      options: Array.from(names, (name) => ({ value: name, name })),
    };
  }

  get #effortOption(): ConfigOption {
    return {
      id: 'effort',
      name: 'Effort',
      description: 'How much the model reasons before it responds',
      category: 'thought_level',
      type: 'select',
      currentValue: this.#coder.effort ?? defaultEffort,
      options: [defaultEffort, ...reasoningEfforts].map((value) => ({ value, name: value })),
    };
  }

  async #compact(watch: (event: AgentEvent) => void, signal: AbortSignal): Promise<TurnEnd> {
    const trimmed = await this.#coder.compact(async (event) => watch(event), signal);
    if (trimmed !== undefined) watch(trimmed);
    return say(trimmed === undefined ? 'There is nothing to summarise.' : 'The conversation was summarised.', watch);
  }

  #describeCost(): string {
    const { tally, modelName } = this.#coder;
    const { usage, cost, turns } = tally;
    const tokens = tally.isEmpty ? 'no tokens' : `${usage.input} tokens in, ${usage.output} tokens out`;
    const price = cost === undefined ? 'the price is not known' : formatDollars(cost);
    return `${modelName}: ${turns} ${turns === 1 ? 'turn' : 'turns'}, ${tokens}, ${price}`;
  }
}

/** The command, if the prompt is nothing else. */
function commandIn(prompt: readonly Block[]): string | undefined {
  const [first] = prompt;
  if (prompt.length !== 1 || first?.type !== 'text') return undefined;
  return commands.find(({ name }) => first.text.trim() === `/${name}`)?.name;
}

/** A turn that consists of this text. */
function say(text: string, watch: (event: AgentEvent) => void): TurnEnd {
  watch({ type: 'model-event', event: { type: 'message-start', id: '', model: '' } });
  watch({ type: 'model-event', event: { type: 'block-end', index: 0, block: { type: 'text', text } } });
  const end: TurnEnd = { type: 'turn-end', reason: 'end', text, usage: noUsage, iterations: 0, duration: 0 };
  watch(end);
  return end;
}

/** The names of the configured models. */
export async function modelNames(flags: AgentModelFlags, { env, cwd }: Terminal): Promise<readonly string[]> {
  const settings = await loadAgentSettings(omitUndefined({ config: flags.config }), env, cwd);
  return listModels(settings, new PriceBook()).map(({ id }) => id);
}
