// Normalizes two streams with the same content, so that they can be compared: what each wire documents as lost is removed,
// and each block's deltas are joined. Used to state decode(encode(events)) = events.

import type { StopReason, StreamEvent } from '../../src/core/event.ts';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';
import type { AudioBlock, Block, ImageBlock, ReasoningBlock, ToolCallBlock } from '../../src/core/message.ts';
import type { Usage } from '../../src/core/usage.ts';
import { openReasoning } from '../../src/wire/foreign-reasoning.ts';
import { toMediaNote } from '../../src/wire/made-media.ts';

export interface NormalBlock {
  readonly block: Block;
  /** The text of all deltas. */
  readonly streamed: string;
}

export interface NormalStream {
  readonly id: string;
  readonly model: string;
  readonly blocks: readonly NormalBlock[];
  readonly stopReason: StopReason | undefined;
  readonly stopSequence: string | undefined;
  readonly usage: Usage | undefined;
}

export function normalise(events: Iterable<StreamEvent>, wireNames: readonly string[]): NormalStream {
  const openai = wireNames.includes('openai-chat');
  const anthropic = wireNames.includes('anthropic-messages');
  const responses = wireNames.includes('openai-responses');
  const bedrock = wireNames.includes('bedrock-converse');
  const gemini = wireNames.includes('gemini');
  const wires = { openai, anthropic, responses, bedrock, gemini };
  const order: number[] = [];
  const streamed = new Map<number, string>();
  const finished = new Map<number, Block>();
  let start = { id: '', model: '' };
  let end: (StreamEvent & { type: 'message-end' }) | undefined;
  for (const event of events) {
    if (event.type === 'message-start') start = event;
    if (event.type === 'message-end') end = event;
    if (!('index' in event)) continue;
    if (!order.includes(event.index)) order.push(event.index);
    if (event.type === 'block-end') finished.set(event.index, event.block);
    else streamed.set(event.index, (streamed.get(event.index) ?? '') + deltaText(event));
  }
  let blocks = order.flatMap((index): NormalBlock[] => {
    const whole = finished.get(index);
    const block = whole && withNote(whole, wires);
    if (block === undefined || isUnsayable(block, wires)) return [];
    if (gemini && block.type === 'tool-call') return [toWholeCall(block)];
    return [{ block: strip(block, wires), streamed: wholeText(block, streamed.get(index)) }];
  });
  if (openai || gemini) blocks = mergeText(blocks);
  const stopReason = end?.stopReason;
  return {
    id: bedrock ? '' : start.id,
    model: bedrock ? '' : start.model,
    blocks,
    stopReason: stopReasonOf(
      bedrock && stopReason === 'pause' ? 'end' : stopReason,
      openai || responses || gemini,
      (responses || gemini) && blocks.some(isToolCall),
    ),
    stopSequence: openai || responses || bedrock || gemini ? undefined : end?.stopSequence,
    usage: usageOf(sayableUsage(end?.usage, wires), anthropic, responses),
  };
}

/** The Gemini wire sends a call when it is complete, with its arguments as an object. */
function toWholeCall(call: ToolCallBlock): NormalBlock {
  const { id, name, input, raw, error } = call;
  const whole = error === undefined ? input : { 'invalid_json': raw };
  return { block: { type: 'tool-call', id, name, input: whole }, streamed: JSON.stringify(whole) };
}

/** The Gemini wire counts tokens that were written to the cache as input. */
function withoutCacheWrite(usage: Usage | undefined): Usage | undefined {
  if (usage?.cacheWrite === undefined) return usage;
  const { cacheWrite, ...rest } = usage;
  return { ...rest, input: usage.input + cacheWrite };
}

/** The Responses and Gemini wires have no stop reason for tool calls: it follows from the calls. */
function stopReasonOf(reason: StopReason | undefined, isOpenai: boolean, hasCalls: boolean): StopReason | undefined {
  const plain = isOpenai && (reason === 'pause' || reason === 'stop-sequence') ? 'end' : reason;
  return plain === 'end' && hasCalls ? 'tool-calls' : plain;
}

function isToolCall({ block }: NormalBlock): boolean {
  return block.type === 'tool-call';
}

function usageOf(usage: Usage | undefined, anthropic: boolean, responses: boolean): Usage | undefined {
  const known = anthropic && usage?.missing ? { input: 0, output: 0 } : usage;
  if (!(responses || anthropic) || known === undefined || known.missing) return known;
  const cached = { ...known, cacheRead: known.cacheRead ?? 0, cacheWrite: known.cacheWrite ?? 0 };
  return responses ? { ...cached, reasoning: known.reasoning ?? 0 } : cached;
}

function sayableUsage(usage: Usage | undefined, { bedrock, gemini }: Wires): Usage | undefined {
  const counted = gemini ? withoutCacheWrite(usage) : usage;
  return bedrock ? withoutReasoning(counted) : counted;
}

/** Bedrock does not report reasoning tokens. */
function withoutReasoning(usage: Usage | undefined): Usage | undefined {
  if (usage === undefined) return undefined;
  const { reasoning: _reasoning, ...rest } = usage;
  return rest;
}

function deltaText(event: StreamEvent): string {
  if (event.type === 'text-delta' || event.type === 'reasoning-delta') return event.text;
  return event.type === 'tool-call-delta' ? event.json : '';
}

/** A block may arrive without deltas, and be sent with some. */
function wholeText(block: Block, streamed: string | undefined): string {
  if (block.type === 'text' || block.type === 'reasoning') return block.text;
  if (block.type === 'tool-call')
    return streamed === '' || streamed === undefined ? JSON.stringify(block.input) : streamed;
  return '';
}

interface Wires {
  readonly openai: boolean;
  readonly anthropic: boolean;
  readonly responses: boolean;
  readonly bedrock: boolean;
  readonly gemini: boolean;
}

function isUnsayable(block: Block, { openai, anthropic, responses, bedrock, gemini }: Wires): boolean {
  if (block.type === 'opaque') {
    const { wire } = block.origin;
    if (openai || (bedrock && wire !== 'bedrock-converse') || (gemini && wire !== 'gemini')) return true;
    return (anthropic && wire !== 'anthropic-messages') || (responses && wire !== 'openai-responses');
  }
  if (bedrock && block.type === 'audio') return true;
  // Reasoning that its provider knows by an id only.
  if (block.type === 'reasoning') return isBare(block) && !responses;
  return false;
}

function toNote(block: ImageBlock | AudioBlock): Block {
  return { type: 'text', text: toMediaNote(block) };
}

/** What stands in place of media that a wire has no form for. */
function withNote(block: Block, { anthropic, responses }: Wires): Block {
  if (block.type === 'audio') return anthropic || responses ? toNote(block) : block;
  if (block.type !== 'image') return block;
  const isNote = anthropic || (responses && block.source.kind !== 'base64');
  return isNote ? toNote(block) : { type: 'image', source: block.source };
}

function isBare({ text, signature, redacted }: Block & { type: 'reasoning' }): boolean {
  return text === '' && signature === undefined && redacted === undefined;
}

function strip(block: Block, wires: Wires): Block {
  if (block.type === 'reasoning') {
    const { origin: _origin, extra: _extra, ...rest } = unsealed(block);
    return rest;
  }
  if (block.type === 'opaque') {
    const { origin: _origin, ...rest } = block;
    return rest as Block;
  }
  if (block.type !== 'text' || block.citations === undefined) return block;
  const { citations, ...rest } = block;
  const sayable = citations.filter((citation) => isSayable(citation, wires)).map(flatten);
  return sayable.length === 0 ? rest : { ...rest, citations: sayable };
}

/** Each server wire seals reasoning of another wire, that of Gemini in base64. */
export function unsealed(block: ReasoningBlock): ReasoningBlock {
  const seal = block.signature ?? block.redacted ?? '';
  const inner = openReasoning(seal) ?? openReasoning(Buffer.from(seal, 'base64').toString());
  return inner === undefined ? block : unsealed(inner);
}

function isSayable(citation: JsonValue, { openai, anthropic, responses, bedrock, gemini }: Wires): boolean {
  if (gemini) return false;
  const { type = '' } = citation as { type?: string };
  if (type === '') return !openai && !anthropic && !responses;
  if (bedrock) return false;
  if (type === 'url_citation') return !anthropic;
  return ['file_citation', 'file_path'].includes(type) ? !openai : !openai && !responses;
}

/** OpenAI's two wires nest a URL citation differently. */
function flatten(citation: JsonValue): JsonValue {
  const { url_citation: nested, ...rest } = citation as JsonObject;
  return { ...rest, ...(nested as JsonObject | undefined) };
}

function mergeText(blocks: NormalBlock[]): NormalBlock[] {
  const merged: NormalBlock[] = [];
  for (const next of blocks) {
    const last = merged.at(-1);
    if (last?.block.type === 'text' && next.block.type === 'text') {
      const text = last.block.text + next.block.text;
      const citations = [...(last.block.citations ?? []), ...(next.block.citations ?? [])];
      merged[merged.length - 1] = {
        block: citations.length === 0 ? { type: 'text', text } : { type: 'text', text, citations },
        streamed: last.streamed + next.streamed,
      };
    } else merged.push(next);
  }
  return merged;
}
