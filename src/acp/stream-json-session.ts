// A session of a stream-json agent, such as the claude CLI. One process serves it; if the process dies, the next prompt
// starts another one that resumes the session. Invariants:
//   1. A cancelled turn ends: if the agent does not obey an interrupt in time, its process is killed.
//   2. What the user allowed or refused for good is not asked again in this session.

import type { AgentEvent, TurnEnd } from '../agent/event.ts';
import { systemClock, type Clock } from '../core/clock.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import type { Block, Message } from '../core/message.ts';
import {
  encodePermissionAnswer,
  type ControlReply,
  type ControlRequest,
  type PermissionAnswer,
} from '../streamjson/control.ts';
import { recordOf, stringOf } from '../streamjson/line.ts';
import type { StartAgentProcess } from './agent-process.ts';
import type { AgentSession, AskReply, SessionHost } from './agent-session.ts';
import { StreamJsonProcess } from './stream-json-process.ts';
import type { AvailableCommand, ConfigOption, ConfigValue, SessionMode } from './types.ts';

export interface StreamJsonSessionOptions {
  readonly id: string;
  /** The session exists already. */
  readonly isResumed: boolean;
  readonly history: readonly Message[];
  readonly host: SessionHost;
  readonly start: StartAgentProcess;
  readonly createId: () => string;
  readonly log: (text: string) => void;
  readonly mode: string;
  readonly model?: string;
  readonly clock?: Clock;
}

const modes: readonly SessionMode[] = [
  { id: 'default', name: 'Ask', description: 'Ask before changing files and running commands' },
  { id: 'acceptEdits', name: 'Accept edits', description: 'Change files without asking' },
  { id: 'plan', name: 'Plan', description: 'Plan, and change nothing' },
];
const bypass: SessionMode = { id: 'bypassPermissions', name: 'Bypass permissions', description: 'Never ask' };

const protocolArguments: readonly string[] =
  '-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages --permission-prompt-tool stdio'.split(
    ' ',
  );

/** Milliseconds that the agent has to end a turn after an interrupt. */
const interruptGrace = 5_000;

const defaultEffort = 'default';
const editTools: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

interface ModelRow {
  readonly value: ConfigValue;
  readonly efforts: readonly string[];
}

export class StreamJsonSession implements AgentSession {
  readonly id: string;
  readonly history: readonly Message[];
  readonly modes: readonly SessionMode[];
  readonly #options: StreamJsonSessionOptions;
  /** What the user decided for good, by call. */
  readonly #decisions = new Map<string, 'always' | 'never'>();
  #process: StreamJsonProcess;
  #hasTurns: boolean;
  #mode: string;
  #model: string;
  #effort = defaultEffort;
  #commands: readonly AvailableCommand[] = [];
  #models: readonly ModelRow[] = [];
  /** US dollars of the processes that have ended. */
  #spent = 0;

  private constructor(options: StreamJsonSessionOptions) {
    this.#options = options;
    this.id = options.id;
    this.history = options.history;
    this.#hasTurns = options.isResumed;
    this.#mode = options.mode;
    this.#model = options.model ?? 'default';
    this.modes = options.mode === bypass.id ? [...modes, bypass] : modes;
    this.#process = this.#spawn();
  }

  static async open(options: StreamJsonSessionOptions): Promise<StreamJsonSession> {
    const session = new StreamJsonSession(options);
    try {
      await session.#initialize();
      return session;
    } catch (error) {
      await session.#process.kill();
      throw error;
    }
  }

  get modeId(): string {
    return this.#mode;
  }

  get commands(): readonly AvailableCommand[] {
    return this.#commands;
  }

  get contextWindow(): number | undefined {
    return this.#process.contextWindow;
  }

  get cost(): number | undefined {
    return this.#process.cost === undefined ? undefined : this.#spent + this.#process.cost;
  }

  get options(): readonly ConfigOption[] {
    const model = { id: 'model', name: 'Model', category: 'model', type: 'select', currentValue: this.#model } as const;
    const values = this.#models.map(({ value }) => value);
    const known = values.some(({ value }) => value === this.#model);
    const options = known ? values : [{ value: this.#model, name: this.#model }, ...values];
    const efforts = this.#models.find(({ value }) => value.value === this.#model)?.efforts ?? [];
    return [{ ...model, options }, ...(efforts.length === 0 ? [] : [this.#effortOption(efforts)])];
  }

  async run(prompt: readonly Block[], watch: (event: AgentEvent) => void, signal: AbortSignal): Promise<TurnEnd> {
    if (!this.#process.isRunning) await this.#restart();
    this.#hasTurns = true;
    const turn = this.#process.turn(prompt, watch);
    const interrupt = (): void => void this.#interrupt(turn);
    signal.addEventListener('abort', interrupt, { once: true });
    if (signal.aborted) interrupt();
    return turn.finally(() => signal.removeEventListener('abort', interrupt));
  }

  async setMode(id: string): Promise<void> {
    if (this.#process.isRunning) await this.#process.request({ subtype: 'set_permission_mode', mode: id });
    this.#mode = id;
  }

  async setOption(id: string, value: string): Promise<void> {
    const isModel = id === 'model';
    const effortLevel = value === defaultEffort ? null : value;
    const request: ControlRequest = isModel
      ? { subtype: 'set_model', model: value }
      : { subtype: 'apply_flag_settings', settings: { effortLevel } };
    if (this.#process.isRunning) await this.#process.request(request);
    if (isModel) this.#model = value;
    else this.#effort = value;
  }

  async close(): Promise<void> {
    await this.#process.stop();
  }

  #spawn(): StreamJsonProcess {
    const { start, createId, log } = this.#options;
    return new StreamJsonProcess({
      start,
      args: this.#toArguments(),
      sessionId: this.id,
      createId,
      onRequest: (request, signal) => this.#onRequest(request, signal),
      onMode: (mode) => this.#onMode(mode),
      log,
    });
  }

  #toArguments(): string[] {
    return [
      ...protocolArguments,
      '--permission-mode',
      this.#mode,
      ...(this.#mode === bypass.id ? ['--allow-dangerously-skip-permissions'] : []),
      ...(this.#model === 'default' ? [] : ['--model', this.#model]),
      ...(this.#hasTurns ? ['--resume', this.id] : ['--session-id', this.id]),
    ];
  }

  async #restart(): Promise<void> {
    this.#spent += this.#process.cost ?? 0;
    this.#process = this.#spawn();
    await this.#initialize();
    if (this.#effort !== defaultEffort) await this.setOption('effort', this.#effort);
  }

  async #initialize(): Promise<void> {
    const { commands, models } = await this.#process.request({ subtype: 'initialize', hooks: null });
    this.#commands = listOf(commands).map(toCommand);
    this.#models = listOf(models).map(toModel);
  }

  async #interrupt(turn: Promise<TurnEnd>): Promise<void> {
    void this.#process.interrupt();
    const timer = new AbortController();
    const late = (this.#options.clock ?? systemClock).sleep(interruptGrace, timer.signal).then(
      () => true,
      () => false,
    );
    const isLate = await Promise.race([turn.then(() => false), late]);
    timer.abort();
    if (isLate) await this.#process.kill();
  }

  #onMode(mode: string): void {
    if (mode === this.#mode || !this.modes.some(({ id }) => id === mode)) return;
    this.#mode = mode;
    this.#options.host.changed('mode');
  }

  async #onRequest(request: ControlRequest, signal: AbortSignal): Promise<ControlReply> {
    if (request.subtype !== 'can_use_tool') {
      return { kind: 'error', message: `This host does not support ${request.subtype}.` };
    }
    const input = recordOf(request['input']);
    const name = stringOf(request['tool_name']) ?? '';
    const reply = await this.#decide(request, { name, input }, signal);
    return encodePermissionAnswer(toAnswer(reply, request), input);
  }

  async #decide(
    request: ControlRequest,
    { name, input }: { readonly name: string; readonly input: Readonly<Record<string, unknown>> },
    signal: AbortSignal,
  ): Promise<AskReply> {
    const command = name === 'Bash' ? stringOf(input['command']) : undefined;
    const isEdit = editTools.has(name);
    const key = JSON.stringify(isEdit ? 'edit' : [name, command]);
    const known = this.#decisions.get(key);
    if (known !== undefined) return known;
    // A background task asks outside a turn, where nothing may be shown.
    if (!this.#process.isBusy) return 'no';
    const reply = await this.#options.host.askPermission(
      {
        callId: stringOf(request['tool_use_id']) ?? '',
        name,
        input,
        reason: stringOf(request['decision_reason']) ?? '',
        scope: isEdit ? 'file changes' : command === undefined ? `the tool ${name}` : 'this command',
      },
      signal,
    );
    if (reply === 'always' || reply === 'never') this.#decisions.set(key, reply);
    return reply;
  }

  #effortOption(efforts: readonly string[]): ConfigOption {
    return {
      id: 'effort',
      name: 'Effort',
      description: 'How much the model reasons before it responds',
      category: 'thought_level',
      type: 'select',
      currentValue: this.#effort,
      options: [defaultEffort, ...efforts].map((value) => ({ value, name: value })),
    };
  }
}

/** The agent keeps the rules that it suggested itself. A suggested change of the mode is the user's own decision. */
function toAnswer(reply: AskReply, request: ControlRequest): PermissionAnswer {
  if (reply === 'once') return { behavior: 'allow' };
  if (reply === 'always') {
    const suggestions = listOf(request['permission_suggestions']).filter(({ type }) => type === 'addRules');
    return { behavior: 'allow', updatedPermissions: suggestions };
  }
  const message = 'The user did not allow this call. Do not try another way to do it; ask what to do instead.';
  return reply === 'cancelled' ? { behavior: 'deny', message, interrupt: true } : { behavior: 'deny', message };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function toCommand({ name, description, argumentHint }: Record<string, unknown>): AvailableCommand {
  const hint = stringOf(argumentHint) ?? '';
  return {
    name: stringOf(name) ?? '',
    description: stringOf(description) ?? '',
    input: hint === '' ? null : { hint },
  };
}

function toModel({ value, displayName, description, supportedEffortLevels }: Record<string, unknown>): ModelRow {
  const id = stringOf(value);
  if (id === undefined) throw new SimpleAgentsError('bad-response', 'The agent listed a model without a name.');
  const efforts = Array.isArray(supportedEffortLevels) ? supportedEffortLevels : [];
  return {
    value: { value: id, name: stringOf(displayName) ?? id, description: stringOf(description) ?? '' },
    efforts: efforts.filter((effort) => typeof effort === 'string'),
  };
}
