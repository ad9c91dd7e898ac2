// Builds the parts of a content. A signature of reasoning is sent with the part that follows it, as Google's models do and
// as clients keep it: some drop the parts with thoughts. Without such a part it is sent with the thought, or with an empty
// text if the thought is hidden.

import type { JsonObject } from '../../core/json.ts';

export class PartList {
  readonly #parts: JsonObject[] = [];
  /** A signature to place, and the index of its thought. */
  #waiting: { readonly thoughtSignature: string; readonly thoughtAt: number | undefined } | undefined;

  add(parts: readonly JsonObject[]): void {
    const [first, ...others] = parts;
    if (first === undefined) return;
    this.#parts.push(this.#waiting === undefined ? first : signed(first, this.#waiting.thoughtSignature), ...others);
    this.#waiting = undefined;
  }

  addReasoning(text: string, thoughtSignature: string | undefined): void {
    this.#settle();
    const thoughtAt = text === '' ? undefined : this.#parts.length;
    if (text !== '') this.#parts.push({ text, thought: true });
    if (thoughtSignature !== undefined) this.#waiting = { thoughtSignature, thoughtAt };
  }

  end(): JsonObject[] {
    this.#settle();
    return this.#parts;
  }

  #settle(): void {
    if (this.#waiting === undefined) return;
    const { thoughtSignature, thoughtAt } = this.#waiting;
    this.#waiting = undefined;
    const thought = thoughtAt === undefined ? undefined : this.#parts[thoughtAt];
    if (thoughtAt === undefined || thought === undefined) this.#parts.push({ text: '', thoughtSignature });
    else this.#parts[thoughtAt] = signed(thought, thoughtSignature);
  }
}

function signed(part: JsonObject, thoughtSignature: string): JsonObject {
  return { ...part, thoughtSignature };
}
