// A subagent: a run of the loop with its own conversation, for one task that the agent's model describes. It uses the
// agent's provider, policies and clock, and a subset of its tools, so it never has more rights than the agent. It has no
// `Task` tool and cannot start subagents of its own.

import { didYouMean } from '../core/suggest.ts';
import type { StreamEvent } from '../core/event.ts';
import { text, type Message } from '../core/message.ts';
import { CallIds } from './call-id.ts';
import type { Emit } from './event-queue.ts';
import type { TurnEnd } from './event.ts';
import { excerpt } from './excerpt.ts';
import { History, type HistoryChange } from './history.ts';
import { runTurn, type LoopOptions, type TurnLimits } from './loop.ts';
import type { PolicyAnswer, SubagentIdentity } from './policy.ts';
import { invalidOption, isToolName, toErrorAnswer, type Tool, type ToolContext } from './tool.ts';

export const taskToolName = 'Task';

export interface Subagent {
  /** The model chooses it by this name: 1 to 64 letters, digits, "_" or "-". */
  readonly name: string;
  /** For the model: what it is good at. */
  readonly description: string;
  /** Default: the agent's system prompt. */
  readonly system?: string;
  /** Names of the agent's tools. Default: all of them. */
  readonly tools?: readonly string[];
  /** Default: the agent's model. */
  readonly model?: string;
  /** Default: the agent's. The cost limit of the agent's turn applies in any case. */
  readonly limits?: Partial<TurnLimits>;
}

/** Called at every change of a subagent's conversation. Exceptions it throws are ignored. */
export type SubagentObserver = (subagent: SubagentIdentity, change: HistoryChange) => void;

/** What all subagents of an agent share. */
export interface SubagentHost {
  /** The options of the agent itself, without the `Task` tool. */
  readonly loop: Omit<LoopOptions, 'history'>;
  /** The agent's conversation. */
  readonly messages: () => readonly Message[];
  /** The call ids of all subagents of this agent, past and present. */
  readonly callIds: Set<string>;
  readonly onHistory?: SubagentObserver;
}

/** Throws `configuration` for a definition that cannot work. */
export function checkSubagents(subagents: readonly Subagent[], tools: ReadonlyMap<string, Tool>): void {
  const names = new Set<string>();
  for (const { name, description, tools: listed = [] } of subagents) {
    const field = `subagent ${JSON.stringify(name)}`;
    if (!isToolName(name)) invalidOption(field, 'the name must have 1 to 64 letters, digits, "_" or "-"');
    if (names.has(name)) invalidOption(field, 'is defined twice; names must be unique');
    if (description.trim() === '') invalidOption(`${field}: description`, 'must not be empty');
    for (const tool of listed) checkTool(tool, [...tools.keys()], `${field}: tools`);
    names.add(name);
  }
}

function checkTool(name: string, known: readonly string[], field: string): void {
  if (name === taskToolName) invalidOption(field, 'a subagent cannot start subagents; remove "Task"');
  if (known.includes(name)) return;
  const hint = didYouMean(name, known) || `; the tools are: ${known.join(', ') || 'none'}`;
  invalidOption(field, `the agent has no tool ${JSON.stringify(name)}${hint}`);
}

export interface SubagentTask {
  readonly subagent: Subagent;
  readonly prompt: string;
  /** A few words. */
  readonly description: string;
}

/** Runs the task to its end. Failures and limits are errors that the agent's model reads. */
export async function runSubagent(
  { subagent, prompt, description }: SubagentTask,
  host: SubagentHost,
  { callId, signal, emit, account }: ToolContext,
): Promise<PolicyAnswer> {
  signal.throwIfAborted();
  if (account.isExhausted())
    return toErrorAnswer('The subagent was not started: the cost limit of the turn is reached.');
  const identity: SubagentIdentity = { callId, name: subagent.name, task: description };
  const history = new History([], (change) => host.onHistory?.(identity, change));
  const options: LoopOptions = {
    ...toSubagentLoop(subagent, host),
    history,
    onSpend: account.spend,
    parent: { identity, isOverBudget: account.isExhausted },
  };
  let end: TurnEnd | undefined;
  let lastText = '';
  const emitNested: Emit = (event) => {
    if (event.type === 'turn-end') end = event;
    if (event.type === 'model-event') lastText = textIn(event.event) || lastText;
    return emit({ type: 'subagent-event', id: callId, event });
  };
  await runTurn([text(prompt)], options, { emit: emitNested, signal });
  return toTaskAnswer(end, lastText);
}

function toSubagentLoop({ tools, model, system, limits }: Subagent, host: SubagentHost): Omit<LoopOptions, 'history'> {
  const { loop, messages, callIds } = host;
  const { cost: _cost, ...inherited } = loop.limits;
  const before = messages();
  return {
    ...loop,
    tools: tools === undefined ? loop.tools : new Map([...loop.tools].filter(([name]) => tools.includes(name))),
    request: model === undefined ? loop.request : { ...loop.request, model },
    ...(system === undefined ? {} : { system }),
    limits: { ...inherited, ...limits },
    callIdsOf: (own) => new CallIds([...before, ...own], callIds),
  };
}

/** As long as the output of a command. */
const longestAnswer = 100 * 1024;

/** `lastText`: what the subagent wrote last, also if calls followed it. */
function toTaskAnswer(end: TurnEnd | undefined, lastText: string): PolicyAnswer {
  if (end === undefined) return toErrorAnswer('The subagent ended without a result.');
  const words = shorten(end.text.trim());
  if (end.reason === 'end') return { content: [text(words === '' ? 'The subagent ended without a text.' : words)] };
  const last = words === '' ? shorten(lastText) : words;
  const answer = toErrorAnswer([describeEnd(end), ...(last === '' ? [] : [`Its last text:\n${last}`])].join(' '));
  // The hook's signal is about the work as a whole.
  return end.reason === 'convergence-signal' ? { ...answer, isError: false, endTurn: end.reason } : answer;
}

function describeEnd({ reason, error, iterations }: TurnEnd): string {
  switch (reason) {
    case 'error':
      return `The subagent failed: ${error?.message ?? 'unknown error'} (${error?.kind ?? 'internal'}).`;
    case 'cancelled':
      return 'Cancelled by the user.';
    case 'iteration-limit':
      return `The subagent was stopped after ${iterations} ${iterations === 1 ? 'round' : 'rounds'} of tool calls, which is its limit.`;
    case 'cost-limit':
      return 'The subagent was stopped because the cost limit is reached.';
    case 'refusal':
      return 'The model of the subagent refused to respond.';
    case 'length':
    case 'continuation-cap':
      return 'The response of the subagent was cut off at the token limit.';
    case 'convergence-signal':
      return 'A hook signalled that the work is done, so the subagent was stopped.';
    default:
      return `The subagent was stopped: too many of its calls were blocked (${reason}).`;
  }
}

function textIn(event: StreamEvent): string {
  return event.type === 'block-end' && event.block.type === 'text' ? event.block.text.trim() : '';
}

function shorten(words: string): string {
  return excerpt(words, longestAnswer, (total) => `\n… [shortened: ${total} bytes in total] …\n`);
}
