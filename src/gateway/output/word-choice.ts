// One of several words as a response, at vendors whose formats are objects: the word is requested as the member of an
// object, and the response becomes the word as a JSON string. A response in another form stays as the model wrote it.

import type { BlockEnd, StreamEvent } from '../../core/event.ts';
import { isRecord, type JsonSchema } from '../../core/json.ts';
import { text } from '../../core/message.ts';
import type { ResponseFormat } from '../../core/request.ts';
import type { Rewriter } from './rewrite.ts';

type JsonSchemaFormat = Extract<ResponseFormat, { type: 'json-schema' }>;

export function toObjectFormat({ isBare: _isBare, schema, ...format }: JsonSchemaFormat): JsonSchemaFormat {
  const object: JsonSchema = {
    type: 'object',
    properties: { value: schema },
    required: ['value'],
    additionalProperties: false,
  };
  return { ...format, schema: object };
}

/** Holds back the text of each block until it is complete. */
export class WordRewriter implements Rewriter {
  readonly #written = new Map<number, string>();

  push(event: StreamEvent): readonly StreamEvent[] {
    if (event.type === 'text-delta') {
      this.#written.set(event.index, (this.#written.get(event.index) ?? '') + event.text);
      return [];
    }
    return event.type === 'block-end' && event.block.type === 'text' ? this.#end(event, event.block.text) : [event];
  }

  release(): readonly StreamEvent[] {
    const held = [...this.#written].map(([index, written]): StreamEvent => ({
      type: 'text-delta',
      index,
      text: written,
    }));
    this.#written.clear();
    return held;
  }

  #end(event: BlockEnd, whole: string): StreamEvent[] {
    const { index } = event;
    this.#written.delete(index);
    const word = toWord(whole);
    return [
      { type: 'text-delta', index, text: word },
      { ...event, block: text(word) },
    ];
  }
}

function toWord(written: string): string {
  try {
    const parsed: unknown = JSON.parse(written);
    return isRecord(parsed) && typeof parsed['value'] === 'string' ? JSON.stringify(parsed['value']) : written;
  } catch {
    return written;
  }
}
