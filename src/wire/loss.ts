// Collects what a wire cannot express of a request, while the request is encoded. Every loss is a sentence for the caller.
// A loss that may change the response also names its field, for the client.

import type { ToolCallBlock, WireExtra } from '../core/message.ts';
import type { ChatRequest, OpaqueTool } from '../core/request.ts';
import { isCarried, ruleOf } from './request-fields.ts';
import { typeOf } from './unsupported.ts';

/**
 * The member of a block's `extra` with the id, state and role of an item of the Responses wire. It has no effect on the
 * response, so other wires leave it out without a report.
 */
export const itemMember = 'item';

/**
 * The member of a tool call's `extra` with its arguments as the client wrote them, if they are not the shortest JSON. Sent
 * back in the same words, they match the provider's prompt cache, and long numbers keep their digits.
 */
export const writtenMember = 'arguments';

/** The arguments for `extra`, if encoding the call again would change them. */
export function writtenArguments({ input, error }: ToolCallBlock, written: string): { readonly arguments?: string } {
  const isSame = error !== undefined || written.trim() === '' || JSON.stringify(input) === written;
  return isSame ? {} : { [writtenMember]: written };
}

export class Losses {
  readonly #sentences = new Set<string>();
  readonly #fields = new Set<string>();

  get list(): string[] {
    return [...this.#sentences];
  }

  /** Fields that affect the response and were left out or changed: members of `ChatRequest`, or fields of a wire. */
  get dropped(): string[] {
    return [...this.#fields];
  }

  add(sentence: string): void {
    this.#sentences.add(sentence);
  }

  /** For an encoder that returns a list: records the loss and returns an empty list. */
  omit(what: string): [] {
    this.add(`${what} was left out`);
    return [];
  }

  /** A tool that only another provider has. */
  omitTool(tool: OpaqueTool): [] {
    this.drop(`tools.${typeOf(tool)}`, 'a tool of another provider was left out');
    return [];
  }

  drop(field: string, sentence: string): void {
    this.add(sentence);
    this.#fields.add(field);
  }

  /** Records the members of `extra` that belong to another wire. */
  addExtras({ extra = {} }: ChatRequest, wire: string): void {
    for (const [other, members] of Object.entries(extra)) {
      if (other === wire) continue;
      for (const [field, value] of Object.entries(members)) this.#addExtra(field, other, value);
    }
  }

  /** Returns the members that belong to this wire. Those of another wire are recorded as losses. */
  takeExtra(extra: WireExtra | undefined, wire: string): Readonly<Record<string, unknown>> | undefined {
    if (extra === undefined || extra.wire === wire) return extra?.members;
    for (const [field, value] of Object.entries(extra.members)) {
      if (field === itemMember || field === writtenMember || value === undefined || value === null) continue;
      this.drop(field, `${field} is a field of ${extra.wire} only`);
    }
    return undefined;
  }

  #addExtra(field: string, wire: string, value: unknown): void {
    const rule = ruleOf(wire, field, value);
    if (rule === undefined) return;
    if (isCarried(wire, field)) return;
    const sentence = `${field} is a field of ${wire} only`;
    if (rule.class !== 'ignored') this.drop(field, sentence);
    else this.add(sentence);
  }
}
