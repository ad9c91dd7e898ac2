// Walks the tree while it is read and writes every part as soon as it is certain, in text order. Serves all output that
// cannot be taken back: text that is sent on (committed-text.ts) and partial values that only grow (growing-value.ts).
// Invariants:
//   1. What is written depends on the text alone, not on how it was split into chunks. How early it is written may.
//   2. The first value outside the thinking that can match is the one that is written, and the first of several equal
//      keys. Text that follows does not change this choice, not even a `</think>`.
//   3. An undecided part (a union branch, a wrapper, a word that may become a number) waits until it is complete.

import { fieldAt } from '../coerce/candidate.ts';
import { Certainty } from './certainty.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Node } from '../parse/node.ts';
import type { Root } from '../parse/root.ts';
import type { ArraySchema, ObjectSchema, SchemaNode } from '../schema/schema.ts';
import type { HealSession } from '../session.ts';

export type ContainerSchema = ObjectSchema | ArraySchema;

/** Receives what has become certain. `declared` is the schema at the place of the value, before a branch is chosen. */
export interface CommitWriter {
  /** Whether nothing of the value may be written before it is complete. */
  waitsFor(declared: SchemaNode): boolean;
  /** The name of the member that follows. */
  name(key: string): void;
  open(schema: ContainerSchema, declared: SchemaNode): void;
  close(): void;
  beginString(declared: SchemaNode): void;
  extendString(text: string): void;
  endString(): void;
  /** Writes a complete value that matches its schema. */
  putNode(node: Node, declared: SchemaNode): void;
  /** Writes a value that the text does not have: a default, or null. */
  putMissing(value: unknown, declared: SchemaNode): void;
}

/** A container whose beginning has been written. */
export interface CommitLevel {
  readonly node: Node;
  readonly schema: ContainerSchema;
  /** Number of children processed. */
  seen: number;
  /** Names of the members written. */
  readonly names: Set<string>;
}

export class Commit<Writer extends CommitWriter = CommitWriter> {
  protected readonly session: HealSession;
  protected readonly writer: Writer;
  protected readonly certainty: Certainty;
  readonly #root: SchemaNode;
  readonly #levels: CommitLevel[] = [];
  /** The string that is being written, and how much of it was written. */
  #string: { readonly node: Node; written: number } | undefined;
  #considered = 0;
  /** The value that is written. */
  chosen: Root | undefined;
  isDone = false;
  /** Later members whose name was already written. */
  readonly ignored: Node[] = [];
  /** The container that cannot match its schema, although its beginning was written. Nothing is written after it. */
  failed: CommitLevel | undefined;

  constructor(session: HealSession, root: SchemaNode, writer: Writer) {
    this.session = session;
    this.writer = writer;
    this.#root = root;
    this.certainty = new Certainty(session);
  }

  /** Writes everything that has become certain. */
  advance(): void {
    while (!this.isDone && !this.isStopped() && this.#step());
  }

  protected isStopped(): boolean {
    return this.failed !== undefined;
  }

  /** The rest of the string that is being written. */
  get unwritten(): string {
    return this.#string === undefined ? '' : (this.#string.node.value as string).slice(this.#string.written);
  }

  /** Writes the next certain piece, if there is one. */
  #step(): boolean {
    if (this.chosen === undefined) return this.#chooseRoot();
    if (this.#string !== undefined) return this.#continueString(this.#string);
    const level = this.#levels.at(-1);
    if (level === undefined) return this.#begin(this.chosen.node, this.#root);
    const child = level.node.children[level.seen];
    if (child !== undefined) return this.#commitChild(level, child);
    return level.node.complete && this.#close(level);
  }

  /** Chooses the first value outside the thinking that has become certain, or that is complete and matches. */
  #chooseRoot(): boolean {
    const root = this.session.machine.roots[this.#considered];
    // If the schema wants a string, the value is the entire text, so nothing is certain before the end.
    if (root === undefined || this.#root.kind === 'string') return false;
    const isCandidate = !root.isThinking;
    if (isCandidate && !this.mayChoose(root.node, this.#root)) return false;
    if (isCandidate && !this.#isPassedOver(root.node)) this.chosen = root;
    else this.#considered++;
    return true;
  }

  /** A container that would have been begun before it was complete is chosen, however the text arrives. */
  #isPassedOver(node: Node): boolean {
    if (!node.complete || resultOf(node, this.#root) !== null) return false;
    return !(isContainer(node) && this.#isCertain(node, this.#root));
  }

  protected mayChoose(node: Node, schema: SchemaNode): boolean {
    return node.complete || this.#isCertain(node, schema);
  }

  #isCertain(node: Node, schema: SchemaNode): boolean {
    return !this.writer.waitsFor(schema) && this.certainty.has(node, schema);
  }

  /** Writes a complete value, or the beginning of an open one. */
  #begin(node: Node, schema: SchemaNode): boolean {
    const isCertain = this.#isCertain(node, schema);
    // A complete container is also written member by member, so that the output does not depend on the chunks.
    if (node.complete && !(isCertain && isContainer(node))) {
      this.putComplete(node, schema);
      this.#advanceParent();
      return true;
    }
    if (!isCertain) return false;
    if (node.kind === 'string') {
      this.writer.beginString(schema);
      this.#string = { node, written: 0 };
      return true;
    }
    const branch = this.certainty.branchOf(node, schema) as ContainerSchema;
    this.writer.open(branch, schema);
    this.#levels.push({ node, schema: branch, seen: 0, names: new Set() });
    return true;
  }

  protected putComplete(node: Node, schema: SchemaNode): void {
    this.writer.putNode(node, schema);
  }

  #continueString(string: { readonly node: Node; written: number }): boolean {
    const { node, written } = string;
    const text = node.complete ? (node.value as string).slice(written) : this.session.machine.settledFrom(written);
    // Writes surrogate pairs together.
    const isHalf = !node.complete && isHighSurrogate(text.charCodeAt(text.length - 1));
    const whole = isHalf ? text.slice(0, -1) : text;
    if (whole !== '') this.writer.extendString(whole);
    string.written += whole.length;
    if (!node.complete) return false;
    this.writer.endString();
    this.#string = undefined;
    this.#advanceParent();
    return true;
  }

  #advanceParent(): void {
    const parent = this.#levels.at(-1);
    if (parent === undefined) this.isDone = true;
    else parent.seen++;
  }

  #commitChild(level: CommitLevel, child: Node): boolean {
    return level.schema.kind === 'array'
      ? this.#commitItem(level, level.schema, child)
      : this.commitMember(level, level.schema, child);
  }

  #commitItem(level: CommitLevel, schema: ArraySchema, child: Node): boolean {
    const item = schema.prefix[level.seen] ?? schema.items;
    if (this.isSkipped(child, item)) return this.skipMismatch(level, child);
    if (this.certainty.mayBeKey(level.node, level.seen)) return false;
    return this.#begin(child, item);
  }

  protected commitMember(level: CommitLevel, schema: ObjectSchema, child: Node): boolean {
    const key = level.node.keys[level.seen] ?? '';
    const field = fieldAt(schema, level.node, level.seen);
    const declared = field?.schema ?? schema.rest;
    const name = field?.name ?? key;
    if (declared === undefined || level.names.has(name)) {
      if (!child.complete) return false;
      if (declared !== undefined) this.ignored.push(child);
      level.seen++;
      return true;
    }
    if (this.isSkipped(child, declared)) return this.skipMismatch(level, child, key);
    return this.beginMember(level, name, child, declared);
  }

  protected beginMember(level: CommitLevel, name: string, child: Node, declared: SchemaNode): boolean {
    if (!child.complete && !this.#isCertain(child, declared)) return false;
    level.names.add(name);
    this.writer.name(name);
    return this.#begin(child, declared);
  }

  /** A container that would have been begun before it was complete is not skipped, however the text arrives. */
  protected isSkipped(child: Node, schema: SchemaNode): boolean {
    if (!child.complete || !this.isMismatch(child, schema)) return false;
    return !(isContainer(child) && this.#isCertain(child, schema));
  }

  protected isMismatch(node: Node, schema: SchemaNode): boolean {
    return resultOf(node, schema) === null;
  }

  /** An item that does not match is dropped. A member counts as missing, so it may be filled in at the end. */
  protected skipMismatch(level: CommitLevel, _child: Node, _key?: string): boolean {
    level.seen++;
    return true;
  }

  #close(level: CommitLevel): boolean {
    if (!this.complete(level)) return false;
    this.writer.close();
    this.#levels.pop();
    this.#advanceParent();
    return true;
  }

  /** Writes what the result of the container has beyond its text. Returns false if there is no result. */
  protected complete(level: CommitLevel): boolean {
    const { node, schema, names } = level;
    const result = resultOf(node, schema);
    if (result === null) {
      this.failed = level;
      return false;
    }
    if (schema.kind === 'array') return true;
    for (const [name, value] of Object.entries(result.value as object)) {
      const declared = schema.fields.get(name)?.schema ?? schema.rest;
      if (!names.has(name) && declared !== undefined) this.putMissing(name, value, declared);
    }
    return true;
  }

  protected putMissing(name: string, value: unknown, declared: SchemaNode): void {
    this.writer.name(name);
    this.writer.putMissing(value, declared);
  }
}

function isContainer({ kind }: Node): boolean {
  return kind === 'object' || kind === 'array';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
