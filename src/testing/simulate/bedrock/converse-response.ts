// Encodes the simulated model's responses as Bedrock's Converse API sends them. A stream is written as server-sent events
// with the names of Bedrock's events, and `frames.ts` makes the binary messages, so that faults are injected in one form.
// What the wire cannot express: the id and the model, reasoning tokens, the stop sequence, `pause`, and foreign blocks.

import type { AssembledMessage } from '../../../core/assembler.ts';
import type { SimpleAgentsError } from '../../../core/error.ts';
import type { StopReason, StreamEvent } from '../../../core/event.ts';
import { isRecord, omitUndefined, type JsonObject, type JsonValue } from '../../../core/json.ts';
import { argumentsOf, type Block, type ImageBlock, type TextBlock } from '../../../core/message.ts';
import type { Usage } from '../../../core/usage.ts';
import { exceptionEvent } from '../../../wire/aws-event-frames.ts';
import { wireName } from '../../../wire/bedrock-converse/types.ts';
import type { StreamEncoder } from '../../../wire/wire.ts';
import { exceptionOf } from './exception.ts';

const stopReasons: Readonly<Record<StopReason, string>> = {
  end: 'end_turn',
  pause: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'stop-sequence': 'stop_sequence',
  refusal: 'content_filtered',
};

/** Always the same, so that the same request gets the same bytes. */
const metrics = { latencyMs: 321 };

export function encodeConverseStream(): StreamEncoder {
  return new ConverseEncoder();
}

class ConverseEncoder implements StreamEncoder {
  readonly includesUsage = true;
  /** The blocks of which a delta was sent. */
  readonly #streamed = new Set<number>();

  push(event: StreamEvent): string {
    switch (event.type) {
      case 'message-start':
        return frame('messageStart', { role: 'assistant' });
      case 'text-delta':
        return this.#delta(event.index, { text: event.text });
      case 'reasoning-delta':
        return this.#delta(event.index, { reasoningContent: { text: event.text } });
      case 'tool-call-start':
        return start(event.index, { toolUse: { toolUseId: event.id, name: event.name } });
      case 'tool-call-delta':
        return this.#delta(event.index, { toolUse: { input: event.json } });
      case 'block-end':
        return this.#end(event.index, event.block);
      case 'message-end':
        return (
          frame('messageStop', { stopReason: stopReasons[event.stopReason] }) +
          frame('metadata', omitUndefined({ usage: encodeUsage(event.usage), metrics }))
        );
      case 'notice':
        return '';
    }
  }

  fail(error: SimpleAgentsError): string {
    const { name } = exceptionOf(error);
    const type = name.charAt(0).toLowerCase() + name.slice(1);
    return frame(exceptionEvent, { type, message: error.message });
  }

  #delta(index: number, delta: JsonObject): string {
    this.#streamed.add(index);
    return frame('contentBlockDelta', { contentBlockIndex: index, delta });
  }

  #end(index: number, block: Block): string {
    const rest = this.#rest(index, block);
    return rest === undefined ? '' : rest + frame('contentBlockStop', { contentBlockIndex: index });
  }

  /** What the deltas did not contain; undefined if the wire cannot express the block. */
  #rest(index: number, block: Block): string | undefined {
    const isNew = !this.#streamed.has(index);
    switch (block.type) {
      case 'text':
        return (
          (isNew ? this.#delta(index, { text: block.text }) : '') +
          citationsOf(block)
            .map((citation) => this.#delta(index, { citation }))
            .join('')
        );
      case 'reasoning': {
        const { text, signature, redacted } = block;
        return (
          (isNew && text !== '' ? this.#delta(index, { reasoningContent: { text } }) : '') +
          (signature === undefined ? '' : this.#delta(index, { reasoningContent: { signature } })) +
          (redacted === undefined ? '' : this.#delta(index, { reasoningContent: { redactedContent: redacted } }))
        );
      }
      case 'tool-call':
        return isNew ? this.#delta(index, { toolUse: { input: argumentsOf(block) } }) : '';
      case 'image': {
        const { format, source } = encodeImage(block) ?? {};
        if (format === undefined || source === undefined) return undefined;
        return start(index, { image: { format } }) + this.#delta(index, { image: { source } });
      }
      case 'opaque':
        return this.#opaque(index, block);
      default:
        return undefined;
    }
  }

  /** Only tools that the provider runs itself can be streamed. */
  #opaque(index: number, { origin, data }: Block & { type: 'opaque' }): string | undefined {
    const toolUse = origin.wire === wireName && isRecord(data) ? data['toolUse'] : undefined;
    if (!isRecord(toolUse)) return undefined;
    const { input, ...rest } = toolUse;
    const text = input === undefined ? '' : this.#delta(index, { toolUse: { input: JSON.stringify(input) } });
    return start(index, { toolUse: rest }) + text;
  }
}

function frame(name: string, data: JsonObject): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}

function start(index: number, block: JsonObject): string {
  return frame('contentBlockStart', { contentBlockIndex: index, start: block });
}

function encodeUsage(usage: Usage): JsonObject | undefined {
  if (usage.missing) return undefined;
  const { input, output, cacheRead, cacheWrite } = usage;
  return omitUndefined({
    inputTokens: input,
    outputTokens: output,
    totalTokens: input + output + (cacheRead ?? 0) + (cacheWrite ?? 0),
    cacheReadInputTokens: cacheRead,
    cacheWriteInputTokens: cacheWrite,
  });
}

function citationsOf({ citations = [] }: TextBlock): JsonValue[] {
  return citations.filter((citation) => isRecord(citation) && citation['type'] === undefined);
}

function encodeImage({ source }: ImageBlock): { readonly format: string; readonly source: JsonObject } | undefined {
  if (source.kind !== 'base64') return undefined;
  return { format: source.mediaType.replace('image/', ''), source: { bytes: source.data } };
}

export function encodeConverseBody(message: AssembledMessage): JsonObject {
  const content = message.content.flatMap(encodeBlock);
  return omitUndefined({
    output: { message: { role: 'assistant', content } },
    stopReason: stopReasons[message.stopReason ?? 'end'],
    usage: encodeUsage(message.usage),
    metrics,
  });
}

function encodeBlock(block: Block): JsonValue[] {
  switch (block.type) {
    case 'text': {
      const citations = citationsOf(block);
      const { text } = block;
      return citations.length === 0 ? [{ text }] : [{ citationsContent: { content: [{ text }], citations } }];
    }
    case 'reasoning': {
      const { text, signature, redacted } = block;
      if (redacted !== undefined) return [{ reasoningContent: { redactedContent: redacted } }];
      return [{ reasoningContent: { reasoningText: omitUndefined({ text, signature }) } }];
    }
    case 'tool-call': {
      const input = isRecord(block.input) ? (block.input as JsonObject) : { invalid_json: block.raw ?? '' };
      return [{ toolUse: { toolUseId: block.id, name: block.name, input } }];
    }
    case 'image': {
      const image = encodeImage(block);
      return image === undefined ? [] : [{ image }];
    }
    case 'opaque':
      return block.origin.wire === wireName ? [block.data] : [];
    default:
      return [];
  }
}
