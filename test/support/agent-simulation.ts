// A random model, tools, policies and user as plain data, and an agent that runs with them. Every request is checked
// against both wires' rules and the conversation's invariants, every event against the grammar of events.

import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { createAgent, type Agent } from '../../src/agent/agent.ts';
import type { AgentEvent } from '../../src/agent/event.ts';
import type { HistoryObserver } from '../../src/agent/history.ts';
import type { ToolPolicy } from '../../src/agent/policy.ts';
import { defineTool, toErrorAnswer, type ToolContext } from '../../src/agent/tool.ts';
import { SimpleAgentsError, type ErrorKind } from '../../src/core/error.ts';
import type { StopReason, StreamEvent } from '../../src/core/event.ts';
import { toolCallsOf, type Message } from '../../src/core/message.ts';
import type { ModelStream, Provider } from '../../src/core/provider.ts';
import type { ChatRequest } from '../../src/core/request.ts';
import { toEvents } from '../../src/testing/model/events.ts';
import { createRandom } from '../../src/testing/model/random.ts';
import type { ReplyBlock } from '../../src/testing/model/reply.ts';
import { validateAnthropic } from '../../src/testing/simulate/validate-anthropic.ts';
import { validateOpenai } from '../../src/testing/simulate/validate-openai.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { openaiChat } from '../../src/wire/openai-chat/client.ts';
import { hastyClock } from './agent-model.ts';

interface ModelMove {
  readonly blocks: readonly ReplyBlock[];
  readonly stopReason: StopReason | undefined;
  readonly tokens: number;
  /** What goes wrong after so many events; `stall`: nothing more comes until the user cancels. */
  readonly failure: { readonly kind: ErrorKind | 'stall'; readonly after: number } | undefined;
}

type ToolMove = 'answer' | 'silence' | 'blank' | 'long' | 'throw' | 'hang';
type PolicyMove = 'pass' | 'block' | 'withdraw' | 'end-turn' | 'throw' | 'withdraw-before' | 'block-before';

export interface Story {
  readonly prompts: readonly { readonly words: string; readonly cancelAt: number | undefined }[];
  readonly model: readonly ModelMove[];
  readonly tools: readonly ToolMove[];
  readonly policy: readonly PolicyMove[];
  readonly loaded: readonly Message[];
  readonly contextWindow: number;
  readonly compaction: boolean;
  readonly iterations: number;
}

/** Long enough to be cut, and rare: they take most of the time. */
const longWords = 'ä😀 '.repeat(1_600);
const words = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom('', ' ', '\n', 'Hello.', 'I look ', 'x'.repeat(700)) },
  { weight: 1, arbitrary: fc.constant(longWords) },
);
const ids = fc.constantFrom('', 'a', 'b', 'c.d', 'c_d', 'call_1');
const json = fc.constantFrom(
  '',
  '{}',
  '{"at":"sky"}',
  "{at: 'sky',}",
  '{"at":"sk',
  '{"at":{"deep":[1]}}',
  'null',
  '[]',
  '?',
);
const block: fc.Arbitrary<ReplyBlock> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({ type: fc.constant('reasoning' as const), text: fc.constantFrom('hm', 'I must look') }),
  fc.record({
    type: fc.constant('tool-call' as const),
    name: fc.constantFrom('look', 'write', 'nowhere'),
    id: ids,
    json,
  }),
);
const stopReason = fc.constantFrom<(StopReason | undefined)[]>(
  undefined,
  undefined,
  undefined,
  'end',
  'length',
  'tool-calls',
  'stop-sequence',
  'refusal',
  'pause',
);
const failure = fc.record({
  kind: fc.constantFrom<(ErrorKind | 'stall')[]>('overloaded', 'network', 'auth', 'context-overflow', 'stall'),
  after: fc.nat(8),
});
const modelMove: fc.Arbitrary<ModelMove> = fc.record({
  blocks: fc.array(block, { maxLength: 4 }),
  stopReason,
  tokens: fc.constantFrom(0, 10, 400, 100_000),
  failure: fc.option(failure, { freq: 4, nil: undefined }),
});

const loadedBlock: fc.Arbitrary<Message['content'][number]> = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: words }),
  fc.record({ type: fc.constant('tool-call' as const), id: ids, name: fc.constant('look'), input: fc.constant({}) }),
  fc.record({
    type: fc.constant('tool-result' as const),
    callId: ids,
    content: fc.array(fc.record({ type: fc.constant('text' as const), text: words }), { maxLength: 2 }),
  }),
);

export const story: fc.Arbitrary<Story> = fc.record({
  prompts: fc.array(
    fc.record({
      words: fc.constantFrom('Go', 'Look', 'Well?'),
      cancelAt: fc.option(fc.nat(12), { freq: 2, nil: undefined }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  model: fc.array(modelMove, { maxLength: 7 }),
  tools: fc.array(fc.constantFrom<ToolMove[]>('answer', 'answer', 'silence', 'blank', 'long', 'throw', 'hang'), {
    maxLength: 6,
  }),
  policy: fc.array(
    fc.constantFrom<PolicyMove[]>(
      'pass',
      'pass',
      'block',
      'withdraw',
      'end-turn',
      'throw',
      'withdraw-before',
      'block-before',
    ),
    { maxLength: 4 },
  ),
  loaded: fc.array(
    fc.record({
      role: fc.constantFrom('user' as const, 'assistant' as const),
      content: fc.array(loadedBlock, { maxLength: 3 }),
    }),
    { maxLength: 4 },
  ),
  contextWindow: fc.constantFrom(300, 5_000, 200_000),
  compaction: fc.boolean(),
  iterations: fc.constantFrom(1, 2, 50),
});

/** Somebody who keeps the conversation, and is asked after every turn whether it was kept. */
export interface Keeper {
  readonly onHistory: HistoryObserver;
  check(messages: readonly Message[]): void;
}

/** Plays a story to its end. Throws when a rule is broken. */
export async function play(told: Story, keeper?: Keeper): Promise<void> {
  const user = new User();
  const model = new Model(told.model, user);
  const agent = createAgent({
    provider: model,
    model: 'm',
    tools: toolsOf(told.tools, user),
    policies: [() => policyOf(told.policy)],
    messages: told.loaded,
    contextWindow: told.contextWindow,
    compaction: told.compaction,
    limits: { iterations: told.iterations },
    clock: hastyClock(),
    ...(keeper === undefined ? {} : { onHistory: keeper.onHistory }),
  });
  for (const { words: prompt, cancelAt } of told.prompts) {
    await takeTurn(agent, user, { prompt, cancelAt });
    keeper?.check(agent.messages);
  }
  // Whatever happened: one more prompt goes out.
  const { length } = model.requests;
  model.calmDown();
  const { text } = await agent.run('Still there?').result();
  assert.equal(text, 'Yes.');
  assert.ok(model.requests.length > length);
  if (model.violation !== undefined) throw model.violation;
}

interface Turn {
  readonly prompt: string;
  readonly cancelAt: number | undefined;
}

async function takeTurn(agent: Agent, user: User, { prompt, cancelAt }: Turn): Promise<void> {
  user.begin();
  const events: AgentEvent[] = [];
  for await (const event of agent.run(prompt, { signal: user.signal })) {
    if (events.push(event) === cancelAt) user.cancel();
  }
  checkEvents(events);
  checkMessages(agent.messages);
  assert.notEqual(agent.messages.at(-1)?.role, 'user', 'a turn leaves the last word to the assistant');
}

/** Cancels; also when nothing else would ever happen. */
class User {
  #controller = new AbortController();

  begin(): void {
    this.#controller = new AbortController();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  cancel(): void {
    this.#controller.abort(new Error('enough'));
  }

  /** Never resolves; rejects when the signal is aborted, which is soon. */
  async waitInVain(signal: AbortSignal): Promise<never> {
    await Promise.resolve();
    this.cancel();
    signal.throwIfAborted();
    return new Promise(() => undefined);
  }
}

class Model implements Provider {
  readonly name = 'anthropic';
  readonly requests: ChatRequest[] = [];
  /** The first rule that a request broke. */
  violation: unknown;
  readonly #moves: ModelMove[];
  readonly #user: User;

  constructor(moves: readonly ModelMove[], user: User) {
    this.#moves = [...moves];
    this.#user = user;
  }

  calmDown(): void {
    this.#moves.length = 0;
  }

  async open(request: ChatRequest, signal: AbortSignal): Promise<ModelStream> {
    this.requests.push(request);
    try {
      checkRequest(request);
    } catch (error) {
      // To the agent it would be one more failure.
      this.violation ??= error;
    }
    const move = this.#moves.shift();
    const events = this.#eventsOf(move, this.requests.length);
    if (move?.failure !== undefined && move.failure.after === 0) await this.#fail(move.failure.kind, signal);
    return {
      target: this.name,
      ended: Promise.resolve({ type: 'left', usage: { input: 0, output: 0 } }),
      [Symbol.asyncIterator]: () => this.#play(events, move?.failure, signal),
    };
  }

  async *#play(
    events: readonly StreamEvent[],
    fault: ModelMove['failure'],
    signal: AbortSignal,
  ): AsyncGenerator<StreamEvent, void, undefined> {
    for (const [index, event] of events.entries()) {
      signal.throwIfAborted();
      if (fault !== undefined && index === fault.after) await this.#fail(fault.kind, signal);
      yield event;
    }
  }

  async #fail(kind: ErrorKind | 'stall', signal: AbortSignal): Promise<void> {
    if (kind === 'stall') await this.#user.waitInVain(signal);
    else throw new SimpleAgentsError(kind, 'as told');
  }

  #eventsOf(move: ModelMove | undefined, number: number): StreamEvent[] {
    const { blocks, stopReason: reason, tokens } = move ?? { blocks: [], tokens: 1 };
    const origin = { wire: 'anthropic-messages', provider: this.name };
    const envelope = { id: `m${number}`, model: 'm', origin, usage: { input: tokens, output: 1 } };
    const reply = move === undefined ? { blocks: [{ type: 'text' as const, text: 'Yes.' }] } : { blocks };
    return toEvents(reason === undefined ? reply : { ...reply, stopReason: reason }, envelope, createRandom('story'));
  }
}

function toolsOf(moves: readonly ToolMove[], user: User) {
  let number = 0;
  const run = async (_input: unknown, { signal, output }: ToolContext) => {
    const move = moves[number++ % Math.max(1, moves.length)] ?? 'answer';
    output('so far');
    if (move === 'throw') throw new Error('the tool failed');
    if (move === 'hang') return user.waitInVain(signal);
    return { answer: 'seen', silence: undefined, blank: ' \n', long: longWords }[move];
  };
  const input = { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } as const;
  return [
    defineTool({ name: 'look', description: 'Looks', effect: 'pure', input, run }),
    defineTool({ name: 'write', description: 'Writes', run }),
  ];
}

function policyOf(moves: readonly PolicyMove[]): ToolPolicy {
  let number = 0;
  const next = (): PolicyMove => moves[number++ % Math.max(1, moves.length)] ?? 'pass';
  return {
    beforeBatch({ calls }) {
      const move = next();
      if (move === 'withdraw-before') return { withdraw: 'block-limit-total' };
      if (move !== 'block-before') return undefined;
      return { answers: new Map(calls.slice(0, 1).map(({ id }) => [id, toErrorAnswer('')])) };
    },
    async around(_call, run) {
      const move = next();
      if (move === 'throw') throw new Error('the policy failed');
      if (move === 'block') return toErrorAnswer('blocked');
      if (move === 'withdraw') return { withdraw: 'block-limit-consecutive' };
      const answer = await run();
      return move === 'end-turn' ? { content: [], endTurn: 'convergence-signal' } : answer;
    },
  };
}

/** What both APIs would say to it, and our own rules, which are stricter. */
function checkRequest(request: ChatRequest): void {
  checkMessages(request.messages);
  validateAnthropic(anthropicMessages.encodeRequest(request, { provider: 'anthropic' }).body);
  validateOpenai(openaiChat.encodeRequest(request, { provider: 'openai' }).body);
}

function checkMessages(messages: readonly Message[]): void {
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [index, { role, content }] of messages.entries()) {
    assert.equal(role, index % 2 === 0 ? 'user' : 'assistant', `message ${index} takes its turn`);
    assert.ok(content.length > 0, `message ${index} says something`);
    const results = content.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : []));
    assert.deepEqual(results, open, `message ${index} answers the calls, in order`);
    const firstOther = content.findIndex(({ type }) => type !== 'tool-result');
    assert.ok(firstOther === -1 || firstOther >= results.length, 'results stand first');
    assert.ok(!content.some((part) => part.type === 'text' && part.text.trim() === ''), 'no blank text');
    assert.notEqual(role === 'assistant' && content.at(-1)?.type, 'reasoning');
    open = toolCallsOf(content).map(({ id }) => id);
    for (const id of open) {
      assert.ok(id !== '' && !seen.has(id), `the id ${id} is new`);
      seen.add(id);
    }
  }
  assert.deepEqual(open, [], 'no call is left open');
}

function checkEvents(events: readonly AgentEvent[]): void {
  assert.equal(events[0]?.type, 'turn-start');
  assert.equal(events.at(-1)?.type, 'turn-end');
  const running = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.type === 'turn-end') assert.equal(index, events.length - 1);
    if (event.type === 'tool-start') running.add(event.id);
    if (event.type === 'tool-output') assert.ok(running.has(event.id), 'output of a running tool');
    if (event.type === 'tool-end') assert.ok(running.delete(event.id), 'a tool ends once');
    if (event.type === 'model-event') assert.equal(running.size, 0, 'the model waits for the tools');
    if (event.type === 'turn-end' && event.error !== undefined)
      assert.notEqual(event.error.kind, 'internal', String(event.error));
  }
  assert.equal(running.size, 0, 'every tool has ended');
}
