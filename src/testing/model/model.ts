// The simulated model: takes a request and returns all events of the response at once, without timing. The embedded
// provider and the HTTP simulator play them. The result depends only on the seed, the script and the request.

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
  /** Selects other words and values. */
  readonly seed?: string | number;
  readonly script?: Script;
  /** How every JSON response and the arguments of every tool call are damaged. */
  readonly damage?: DamageKind;
}

export interface ResponseOptions {
  readonly origin: Origin;
  /** Replaces the damage of the model and of the script. */
  readonly damage?: DamageKind;
  readonly omitUsage?: boolean;
}

export interface SimulatedResponse {
  readonly events: readonly StreamEvent[];
  /** The fault in the script. */
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

  /** Starts a script from its beginning. Undefined: the model composes its own replies. */
  playScript(script: Script | undefined): void {
    this.#playback = script === undefined ? undefined : new Playback(script);
  }

  /** Throws `bad-request` when the script has no reply for the request, or a schema is too large. */
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
      // A request without a model name is allowed.
      model: scripted?.model ?? (request.model || 'simulated'),
      origin: options.origin,
      usage,
    };
    return { events: toEvents(reply, envelope, random), fault, delayMs: scripted?.delayMs ?? 0 };
  }
}

/** What the response depends on. The wire and streaming are not part of it. */
function identityOf({ model, messages, tools, toolChoice, responseFormat, reasoning, seed }: ChatRequest): string {
  const members = { model, messages, tools, toolChoice, responseFormat, reasoning, seed };
  // Members that only one wire has are ignored.
  return JSON.stringify(members, (key, value: unknown) => (key === 'extra' ? undefined : value));
}

/** A scripted reply is sent as written: the limits of the request do not cut it. */
function replyOf(scripted: ScriptedReply | undefined, request: ChatRequest, random: Random): Reply {
  const content = scripted === undefined ? undefined : contentOf(scripted);
  const { stopReason, interleave = interleaves(request) } = scripted ?? {};
  const reply =
    content === undefined ? limitReply(composeReply(request, random), request) : { blocks: content.map(toReplyBlock) };
  return { ...reply, interleave, ...(stopReason === undefined ? {} : { stopReason }) };
}

/** “Interleave” in the user's message makes tool calls stream interleaved. */
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
