// Decodes the responses of one agent, or of one subagent. A response arrives as `stream_event` lines, as `assistant` lines
// with one block each, or as both. Invariants:
//   1. Each block of a message ends once, with the block of its `assistant` line if there is one. Blocks are known by
//      message and index, because only some messages of a session are streamed.
//   2. Without stream events, a message ends when something else begins: another message, a tool result, the result.

import { MessageAssembler } from '../core/assembler.ts';
import type { MessageEnd, StopReason, StreamEvent } from '../core/event.ts';
import { isRecord, omitUndefined } from '../core/json.ts';
import { textOf, type Block, type ToolCallBlock, type WireExtra } from '../core/message.ts';
import { noUsage, type Usage } from '../core/usage.ts';
import { decodeBlock, decodeStopReason, decodeUsage } from './block.ts';
import { extensionOf, numberOf, recordOf, stringOf, type StreamJsonLine } from './line.ts';

/** A message in progress. */
interface OpenMessage {
  readonly id: string;
  readonly isStreamed: boolean;
  readonly assembler: MessageAssembler;
  readonly blocks: Map<number, OpenBlock>;
  readonly finished: Map<number, Block>;
  usage: Usage;
  stopReason: StopReason | undefined;
  providerStopReason: string | undefined;
  stopSequence: string | undefined;
  /** As our own encoder sent it. */
  end: MessageEnd | undefined;
}

interface OpenBlock {
  readonly start: Record<string, unknown>;
  signature: string;
}

export interface MessageProgress {
  readonly events: readonly StreamEvent[];
  /** The calls of a message that has just ended. */
  readonly calls: readonly ToolCallBlock[];
  /** The stream was cut, and the message is invalid. */
  readonly isAbandoned?: boolean;
}

export class MessageDecoder {
  #message: OpenMessage | undefined;
  #events: StreamEvent[] = [];
  #calls: ToolCallBlock[] = [];
  #text = '';
  /** The id of the last message whose stream has ended. All its blocks are known. */
  #endedStream: string | undefined;

  /** The text of the last message that had any. */
  get text(): string {
    return this.#text;
  }

  /** The call with this id, if it is in the message that has not ended yet. */
  findCall(id: string): ToolCallBlock | undefined {
    return callsOf(this.#message).find((call) => call.id === id);
  }

  onAssistant(line: StreamJsonLine): MessageProgress {
    const body = recordOf(line['message']);
    const own = extensionOf(line);
    if (this.#endedStream !== undefined && body['id'] === this.#endedStream) return this.#take();
    const message = this.#messageFor(body);
    for (const block of body['content'] as readonly Record<string, unknown>[]) {
      const index = numberOf(own['index']) ?? nextIndex(message);
      this.#endBlock(message, index, ownBlock(own['block']) ?? decodeBlock(block));
    }
    if (!message.isStreamed) {
      message.usage = decodeUsage(body['usage'], message.usage);
      message.stopReason = decodeStopReason(body['stop_reason']) ?? message.stopReason;
    }
    return this.#take();
  }

  onStreamEvent(line: StreamJsonLine): MessageProgress {
    const event = recordOf(line['event']);
    const own = extensionOf(line);
    switch (event['type']) {
      case 'message_start':
        this.#close();
        this.#start(recordOf(event['message']), true, own);
        break;
      case 'content_block_start':
        this.#onBlockStart(event, own['synthetic'] === true);
        break;
      case 'content_block_delta':
        this.#onDelta(event, own['synthetic'] === true);
        break;
      case 'content_block_stop':
        this.#onBlockStop(event['index'] as number);
        break;
      case 'message_delta':
        this.#onMessageDelta(event, own);
        break;
      case 'message_stop':
        if (line['abandoned_blocks'] !== undefined) return this.#abandon();
        this.#end();
        break;
    }
    return this.#take();
  }

  /** Something other than the message has begun. A stream goes on, because the CLI runs tools while it arrives. */
  close(): MessageProgress {
    if (this.#message?.isStreamed !== true) this.#close();
    return this.#take();
  }

  /** The turn is over. A stream that was cut has no end. */
  discard(): void {
    this.#message = undefined;
  }

  #messageFor(body: Record<string, unknown>): OpenMessage {
    const id = stringOf(body['id']) ?? '';
    if (this.#message?.id === id) return this.#message;
    this.#close();
    return this.#start(body, false, {});
  }

  #start(body: Record<string, unknown>, isStreamed: boolean, own: Record<string, unknown>): OpenMessage {
    const id = stringOf(body['id']) ?? '';
    const message: OpenMessage = {
      id,
      isStreamed,
      assembler: new MessageAssembler(),
      blocks: new Map(),
      finished: new Map(),
      usage: decodeUsage(body['usage'], noUsage),
      stopReason: undefined,
      providerStopReason: undefined,
      stopSequence: undefined,
      end: undefined,
    };
    this.#message = message;
    this.#endedStream = undefined;
    const model = stringOf(body['model']) ?? '';
    const extra = isRecord(own['extra']) ? (own['extra'] as unknown as WireExtra) : undefined;
    this.#emit(message, omitUndefined({ type: 'message-start', id: stringOf(own['id']) ?? id, model, extra }));
    return message;
  }

  /** A stream that begins in the middle gets a message, so that its text is not lost. */
  get #streamed(): OpenMessage {
    return this.#message ?? this.#start({}, true, {});
  }

  #onBlockStart(event: Record<string, unknown>, isSynthetic: boolean): void {
    const message = this.#streamed;
    const index = event['index'] as number;
    const start = recordOf(event['content_block']);
    message.blocks.set(index, { start, signature: stringOf(start['signature']) ?? '' });
    if (isSynthetic) return;
    const { type, text, thinking, id, name } = start;
    if (type === 'tool_use') {
      this.#emit(message, { type: 'tool-call-start', index, id: stringOf(id) ?? '', name: stringOf(name) ?? '' });
    }
    if (type === 'text' && text !== '') this.#onText(message, index, text);
    if (type === 'thinking' && thinking !== '') this.#onThinking(message, index, thinking);
  }

  #onDelta(event: Record<string, unknown>, isSynthetic: boolean): void {
    const message = this.#streamed;
    const index = event['index'] as number;
    const { type, text, thinking, partial_json: json, signature } = recordOf(event['delta']);
    if (type === 'signature_delta') {
      const block = message.blocks.get(index);
      if (block !== undefined) block.signature += stringOf(signature) ?? '';
    }
    if (isSynthetic) return;
    if (type === 'text_delta') this.#onText(message, index, text);
    if (type === 'thinking_delta') this.#onThinking(message, index, thinking);
    if (type === 'input_json_delta' && typeof json === 'string') {
      this.#emit(message, { type: 'tool-call-delta', index, json });
    }
  }

  #onText(message: OpenMessage, index: number, text: unknown): void {
    if (typeof text === 'string') this.#emit(message, { type: 'text-delta', index, text });
  }

  #onThinking(message: OpenMessage, index: number, text: unknown): void {
    if (typeof text === 'string') this.#emit(message, { type: 'reasoning-delta', index, text });
  }

  /** Only for a block that had no `assistant` line. */
  #onBlockStop(index: number): void {
    const message = this.#streamed;
    const open = message.blocks.get(index);
    if (open === undefined || message.finished.has(index)) return;
    const details = open.signature === '' ? {} : { signature: open.signature };
    const block = message.assembler.isOpen(index) ? message.assembler.finish(index, details) : undefined;
    this.#endBlock(message, index, block ?? decodeBlock(open.start));
  }

  #endBlock(message: OpenMessage, index: number, block: Block): void {
    if (message.finished.has(index)) return;
    message.finished.set(index, block);
    const isEmpty = (block.type === 'text' || block.type === 'reasoning') && block.text === '';
    const isNothing = isEmpty && !(block.type === 'reasoning' && (block.redacted ?? block.signature) !== undefined);
    if (!isNothing) this.#emit(message, { type: 'block-end', index, block });
  }

  #onMessageDelta(event: Record<string, unknown>, own: Record<string, unknown>): void {
    const message = this.#streamed;
    const { stop_reason: reason, stop_sequence: sequence } = recordOf(event['delta']);
    message.usage = decodeUsage(event['usage'], message.usage);
    message.stopReason = decodeStopReason(reason) ?? message.stopReason;
    message.providerStopReason = stringOf(reason);
    message.stopSequence = stringOf(sequence);
    message.end = ownEnd(own['end']);
  }

  /** Ends a message that has no stream events. */
  #close(): void {
    if (this.#message === undefined) return;
    if (!this.#message.isStreamed) this.#end();
    this.#message = undefined;
  }

  #end(): void {
    const message = this.#message;
    if (message === undefined) return;
    const calls = callsOf(message);
    const inferred = omitUndefined({
      type: 'message-end',
      stopReason: message.stopReason ?? (calls.length > 0 ? 'tool-calls' : 'end'),
      providerStopReason: message.providerStopReason,
      stopSequence: message.stopSequence,
      usage: message.usage,
    });
    this.#emit(message, message.end ?? inferred);
    this.#text = textOf(inOrder(message)) || this.#text;
    this.#calls.push(...calls);
    if (message.isStreamed) this.#endedStream = message.id;
    this.#message = undefined;
  }

  #abandon(): MessageProgress {
    this.#message = undefined;
    return { ...this.#take(), isAbandoned: true };
  }

  #emit(message: OpenMessage, event: StreamEvent): void {
    message.assembler.push(event);
    this.#events.push(event);
  }

  #take(): MessageProgress {
    const progress = { events: this.#events, calls: this.#calls };
    this.#events = [];
    this.#calls = [];
    return progress;
  }
}

/** The block that an `assistant` line without an index belongs to: the first that is open, or a new one. */
function nextIndex({ blocks, finished }: OpenMessage): number {
  const open = [...blocks.keys()].find((index) => !finished.has(index));
  return open ?? Math.max(-1, ...blocks.keys(), ...finished.keys()) + 1;
}

function inOrder({ finished }: OpenMessage): Block[] {
  return [...finished].toSorted(([left], [right]) => left - right).map(([, block]) => block);
}

function callsOf(message: OpenMessage | undefined): ToolCallBlock[] {
  return message === undefined ? [] : inOrder(message).filter((block) => block.type === 'tool-call');
}

const ownBlockTypes = new Set([
  'text',
  'image',
  'audio',
  'document',
  'reasoning',
  'tool-call',
  'tool-result',
  'opaque',
]);

function ownBlock(value: unknown): Block | undefined {
  const isBlock = isRecord(value) && typeof value['type'] === 'string' && ownBlockTypes.has(value['type']);
  return isBlock ? (value as unknown as Block) : undefined;
}

function ownEnd(value: unknown): MessageEnd | undefined {
  const isEnd = isRecord(value) && value['type'] === 'message-end' && isRecord(value['usage']);
  return isEnd ? (value as unknown as MessageEnd) : undefined;
}
