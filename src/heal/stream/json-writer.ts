// Writes committed parts of a value as JSON text.

import { toJsonText } from '../report/json-text.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Result } from '../coerce/result.ts';
import type { Node } from '../parse/node.ts';
import type { SchemaNode } from '../schema/schema.ts';
import type { CommitWriter, ContainerSchema } from './commit.ts';

/** An open container. */
interface Bracket {
  readonly closing: string;
  children: number;
}

export class JsonWriter implements CommitWriter {
  readonly #open: Bracket[] = [];
  #isNamed = false;
  /** All text written. */
  text = '';
  /** The part of `text` not taken yet. Slicing it from `text` would copy the entire text each time. */
  #untaken = '';

  /** Returns the text written since the last call. */
  take(): string {
    const text = this.#untaken;
    this.#untaken = '';
    return text;
  }

  waitsFor(): boolean {
    return false;
  }

  name(key: string): void {
    this.#separate();
    this.#write(`${JSON.stringify(key)}:`);
    this.#isNamed = true;
  }

  open({ kind }: ContainerSchema): void {
    this.putText(kind === 'array' ? '[' : '{');
    this.#open.push({ closing: kind === 'array' ? ']' : '}', children: 0 });
  }

  close(): void {
    this.#write(this.#open.pop()?.closing ?? '');
  }

  beginString(): void {
    this.putText('"');
  }

  extendString(text: string): void {
    this.#write(JSON.stringify(text).slice(1, -1));
  }

  endString(): void {
    this.#write('"');
  }

  putNode(node: Node, declared: SchemaNode): void {
    this.putText(toJsonText((resultOf(node, declared) as Result).value));
  }

  putMissing(value: unknown): void {
    this.putText(toJsonText(value));
  }

  /** Writes a value that is already JSON text, or the beginning of one. */
  putText(json: string): void {
    if (!this.#isNamed) this.#separate();
    this.#isNamed = false;
    this.#write(json);
  }

  #separate(): void {
    const container = this.#open.at(-1);
    if (container !== undefined && container.children++ > 0) this.#write(',');
  }

  #write(text: string): void {
    this.text += text;
    this.#untaken += text;
  }
}
