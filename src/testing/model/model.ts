// The simulated model itself: a request in, every event of the answer out, at once and without a clock. The embedded
// provider and the HTTP simulator both play what it gives. Deterministic from the seed, the script and the request.

import type { StreamEvent } from '../../core/event.ts';
import type { Origin } from '../../core/message.ts';
import type { ChatRequest } from '../../core/request.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { damageText, type DamageKind } from '../damage/damage.ts';
import { toEvents } from './events.ts';
import type { Fault } from './fault.ts';
import { limitReply } from './limit.ts';
import { Playback } from './playback.ts';
import { createRandom, fingerprint, type Random } from './random.ts';
import { composeReply, type Reply, type ReplyBlock } from './reply.ts';
import { checkSchemas } from '../sample/schema-limit.ts';
import { contentOf, type Script, type ScriptedBlock, type ScriptedReply } from './script.ts';
import { estimateRequestTokens, estimateTokens } from '../../core/token-estimate.ts';

export interface ModelOptions {
  /** Another seed, other words and values. */
  readonly seed?: string | number;
  readonly script?: Script;
  /** How every JSON answer and every tool call's arguments are damaged. */
  readonly damage?: DamageKind;
}

export interface ResponseOptions {
  readonly origin: Origin;
  /** Instead of the model's own and the script's. */
  readonly damage?: DamageKind;
  readonly omitUsage?: boolean;
}

export interface SimulatedResponse {
  readonly events: readonly StreamEvent[];
  /** What the script wants to go wrong. */
  readonly fault: Fault;
  readonly delayMs: number;
}

export class SimulatedModel {
  readonly #seed: string;
  readonly #damage: DamageKind | undefined;
  #playback: Playback | undefined;

  constructor({ seed = 'simple-agents', script, damage }: ModelOptions = {}) {
    this.#seed = String(seed);
    this.#damage = damage;
    this.playScript(script);
  }

  /** Starts a script from its beginning; nothing: the model speaks for itself. */
  playScript(script: Script | undefined): void {
    this.#playback = script === undefined ? undefined : new Playback(script);
  }

  /** Throws `bad-request` when the script has nothing for the request, or a schema asks for too much. */
  respond(request: ChatRequest, options: ResponseOptions): SimulatedResponse {
    checkSchemas(request);
    const scripted = this.#playback?.next(request);
    const random = createRandom(`${this.#seed}\n${identityOf(request)}`);
    const fault = scripted?.fault ?? {};
    const reply = damageReply(
      replyOf(scripted, request, random),
      options.damage ?? fault.damage ?? this.#damage,
      random,
    );
    const usage = options.omitUsage === true || fault.omitUsage === true ? noUsage : usageOf(request, reply, scripted);
    const envelope = {
      id: `msg_${fingerprint(String(random.next()))}`,
      // A request need not name a model where only one answers.
      model: scripted?.model ?? (request.model || 'simulated'),
      origin: options.origin,
      usage,
    };
    return { events: toEvents(reply, envelope, random), fault, delayMs: scripted?.delayMs ?? 0 };
  }
}

/** What the answer depends on: not on the wire it came by, nor on whether it is streamed. */
function identityOf({ model, messages, tools, toolChoice, responseFormat, reasoning, seed }: ChatRequest): string {
  const said = { model, messages, tools, toolChoice, responseFormat, reasoning, seed };
  // Members that only one wire knows say nothing to this model.
  return JSON.stringify(said, (key, value: unknown) => (key === 'extra' ? undefined : value));
}

/** A scripted reply is said as written: the request's limits do not cut it. */
function replyOf(scripted: ScriptedReply | undefined, request: ChatRequest, random: Random): Reply {
  const content = scripted === undefined ? undefined : contentOf(scripted);
  const { stopReason, interleave = interleaves(request) } = scripted ?? {};
  const reply =
    content === undefined ? limitReply(composeReply(request, random), request) : { blocks: content.map(toReplyBlock) };
  return { ...reply, interleave, ...(stopReason === undefined ? {} : { stopReason }) };
}

/** “Interleave” in the user's words shows how tool calls stream in turns. */
function interleaves({ messages }: ChatRequest): boolean {
  return (messages.at(-1)?.content ?? []).some((block) => block.type === 'text' && /\binterleave/iu.test(block.text));
}

function toReplyBlock(block: ScriptedBlock): ReplyBlock {
  switch (block.type) {
    case 'text':
    case 'reasoning':
      return block;
    case 'json':
      return { type: 'text', text: JSON.stringify(block.value), isJson: true };
    case 'tool-call': {
      const { name, id, input = {}, rawInput } = block;
      return { type: 'tool-call', name, json: rawInput ?? JSON.stringify(input), ...(id === undefined ? {} : { id }) };
    }
  }
}

function damageReply(reply: Reply, damage: DamageKind | undefined, random: Random): Reply {
  if (damage === undefined) return reply;
  const blocks = reply.blocks.map((block) => {
    if (block.type === 'tool-call') return { ...block, json: damageText(damage, block.json, () => random.next()) };
    return block.type === 'text' && block.isJson === true
      ? { ...block, text: damageText(damage, block.text, () => random.next()) }
      : block;
  });
  return { ...reply, blocks };
}

function usageOf(request: ChatRequest, reply: Reply, scripted: ScriptedReply | undefined): Usage {
  let output = 0;
  let reasoning = 0;
  for (const block of reply.blocks) {
    const tokens = estimateTokens(block.type === 'tool-call' ? block.name + block.json : block.text);
    output += tokens;
    if (block.type === 'reasoning') reasoning += tokens;
  }
  return {
    input: estimateRequestTokens(request),
    output,
    ...(reasoning === 0 ? {} : { reasoning }),
    ...scripted?.usage,
  };
}
