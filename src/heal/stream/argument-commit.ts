// Commits the arguments of a tool call. They are never completed or guessed: a member that does not match is written as
// the model wrote it, so that the tool can report it, and output stops at damage that only a guess could repair.

import { toJsonText } from '../report/json-text.ts';
import { fieldAt } from '../coerce/candidate.ts';
import { resultOf } from '../coerce/node-scores.ts';
import { markAt, markOn, marksOf, type Result } from '../coerce/result.ts';
import { fillOf } from '../coerce/fill.ts';
import { parseJson } from '../parse/json-text.ts';
import type { Mark } from '../parse/mark.ts';
import type { Node } from '../parse/node.ts';
import { isGuess, type FlagKind } from '../report/flag.ts';
import type { ObjectSchema, SchemaField, SchemaNode } from '../schema/schema.ts';
import type { HealSession } from '../session.ts';
import { Commit, type CommitLevel } from './commit.ts';
import type { JsonWriter } from './json-writer.ts';

export class ArgumentCommit extends Commit<JsonWriter> {
  readonly #isStrict: boolean;
  /** The changes of the values that were written. */
  readonly marks: Mark[] = [];
  /** How many marks of the chosen root were checked. */
  #checked = 0;
  #isAmbiguous = false;

  constructor(session: HealSession, root: SchemaNode, writer: JsonWriter, isStrict: boolean) {
    super(session, root, writer);
    this.#isStrict = isStrict;
  }

  /** Both members of a duplicate key are written, so nothing is guessed. */
  isRefused(change: { readonly kind: FlagKind }): boolean {
    return this.#isStrict || (isGuess(change) && change.kind !== 'duplicate-key');
  }

  protected override isStopped(): boolean {
    if (this.chosen === undefined) return false;
    const { marks, unlisted } = this.chosen;
    for (; this.#checked < marks.length; this.#checked++) {
      const mark = marks[this.#checked] as Mark;
      if (mark.kind !== 'precision-lost' && this.isRefused(mark)) return true;
    }
    return unlisted !== undefined || this.#isAmbiguous;
  }

  /** Arguments with an unexpected beginning are decided at the end, when all of the text is known. */
  protected override mayChoose(node: Node, schema: SchemaNode): boolean {
    return this.certainty.has(node, schema);
  }

  protected override putComplete(node: Node, schema: SchemaNode): void {
    const marks = marksOf(resultOf(node, schema) as Result);
    this.marks.push(...marks);
    if (marks.length === 0) this.#putAsWritten(node);
    else super.putComplete(node, schema);
  }

  #putAsWritten(node: Node): void {
    const source = this.session.sourceOf(node);
    this.writer.putText(parseJson(source) === undefined ? toJsonText(node.value) : source);
  }

  /** Also a value that matches only with a change that arguments must not have. */
  protected override isMismatch(node: Node, schema: SchemaNode): boolean {
    const result = resultOf(node, schema);
    return result === null || marksOf(result).some((mark) => this.isRefused(mark));
  }

  protected override skipMismatch(level: CommitLevel, child: Node, key?: string): boolean {
    if (key !== undefined) this.writer.name(key);
    this.#putAsWritten(child);
    level.seen++;
    return true;
  }

  protected override commitMember(level: CommitLevel, schema: ObjectSchema, child: Node): boolean {
    const key = level.node.keys[level.seen] ?? '';
    const field = fieldAt(schema, level.node, level.seen);
    if (field !== undefined && field.name !== key) {
      if (!level.node.complete) return false;
      this.session.budget.spend(level.node.keys.length);
      const keys = keysOfField(level, schema, field);
      if (keys.includes(field.name)) return this.skipMismatch(level, child, key);
      if (keys.length > 1) return this.#stop(child, key);
    }
    const declared = field?.schema ?? schema.rest;
    const isMismatch = declared === undefined || (field !== undefined && level.names.has(field.name));
    if (isMismatch || this.isSkipped(child, declared)) return child.complete && this.skipMismatch(level, child, key);
    return this.#commitMatch(level, { key, field, declared }, child);
  }

  #commitMatch(
    level: CommitLevel,
    { key, field, declared }: { key: string; field: SchemaField | undefined; declared: SchemaNode },
    child: Node,
  ): boolean {
    if (!this.beginMember(level, field?.name ?? key, child, declared)) return false;
    if (field !== undefined && field.name !== key)
      this.marks.push(markOn(child, 'fuzzy-field-match', { expected: field.name, found: key }));
    return true;
  }

  #stop(child: Node, key: string): false {
    this.marks.push(markOn(child, 'ambiguous-key', { field: key }));
    this.#isAmbiguous = true;
    return false;
  }

  /** Only defaults are filled in. The tool reports what else is missing. */
  protected override complete({ node, schema, names }: CommitLevel): boolean {
    if (schema.kind === 'array') return true;
    for (const field of schema.fields.values()) {
      if (names.has(field.name) || !field.schema.hasDefault) continue;
      const { value } = fillOf(field.schema, this.session.budget) ?? {};
      const path = { parent: node.path, key: field.name };
      this.marks.push(markAt(node, path, 'used-default-value', { field: field.name }));
      this.putMissing(field.name, value, field.schema);
    }
    return true;
  }
}

/** All keys of the object that match this field. */
function keysOfField({ node }: CommitLevel, schema: ObjectSchema, field: SchemaField): string[] {
  return node.keys.filter((_key, index) => fieldAt(schema, node, index) === field);
}
