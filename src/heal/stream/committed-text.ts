// Healing for output that cannot be taken back, such as a proxied stream: emits JSON text that matches the schema as
// soon as it is certain. Undecided parts (a union branch, a wrapper, a word that may become a number) are held back.
// Later text that contradicts what was sent is flagged `ignored-later-value`.
// Invariants:
//   1. All emitted text, joined, is the JSON of the value that `end()` returns, or `end()` throws.
//   2. Tool arguments are never completed or guessed. A member that does not match is sent as written, so that the tool
//      can report it. Output stops at damage that only a guess could repair.

import { describeGuesses } from '../arguments.ts';
import { HealBudget } from '../budget.ts';
import { fieldAt } from '../coerce/candidate.ts';
import { Certainty } from './certainty.ts';
import { contextMarks } from '../coerce/scored-root.ts';
import { formatPath, HealError } from '../report/error.ts';
import { fillOf } from '../coerce/fill.ts';
import { isGuess, type FlagKind } from '../report/flag.ts';
import { accept, checkConfidence } from '../heal.ts';
import { parseJson } from '../parse/json-text.ts';
import { maxKeyLength } from '../parse/cursor.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Node } from '../parse/node.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { toKeys } from '../report/linked-path.ts';
import { toResult } from '../report/report.ts';
import { markAt, marksOf, markOn, type Result } from '../coerce/result.ts';
import type { ArraySchema, SchemaField, ObjectSchema, SchemaNode } from '../schema/schema.ts';
import { HealSession } from '../session.ts';
import { toTarget, type InferOutput, type SchemaArgument, type SchemaInput } from '../schema/schema-input.ts';
import type { Mark } from '../parse/mark.ts';
import type { Root } from '../parse/root.ts';

export interface HealedText<T = unknown> {
  /** Adds text and returns the JSON text that is now certain, possibly empty. */
  push(chunk: string): string;
  /**
   * Returns the rest of the JSON text and the complete value. Throws `HealError` if the text sent so far cannot be
   * completed.
   */
  end(): HealedEnd<T>;
}

export interface HealedEnd<T = unknown> extends HealResult<T> {
  readonly text: string;
  /** Keys of members that were left out because the schema does not have them. They do not lower the confidence. */
  readonly leftOut: readonly string[];
}

export function healText<const S extends SchemaInput>(
  schema: S & SchemaArgument<S>,
  options: HealOptions = {},
): HealedText<InferOutput<S>> {
  return new CommittedText(schema, options) as HealedText<InferOutput<S>>;
}

/** The healed text of a tool call's arguments. */
export interface HealedArguments extends HealedText {
  /** Whether any text was sent. */
  readonly hasBegun: boolean;
  /** After `end` has thrown: the rest of the truncated string, without the closing quote. */
  unclosed(): string;
}

/** `end` throws a `HealError` with kind `guess` if the arguments can only be read by guessing. */
export function healArgumentText(schema: SchemaInput, options: HealOptions = {}): HealedArguments {
  return new CommittedText(schema, options, true);
}

/** A container whose opening bracket has been sent. */
interface CommittedLevel {
  readonly node: Node;
  readonly schema: ObjectSchema | ArraySchema;
  /** Number of children processed. */
  seen: number;
  /** Number of children sent. */
  sent: number;
  readonly fields: Set<SchemaField>;
}

class CommittedText implements HealedArguments {
  readonly #schema: SchemaInput;
  readonly #options: HealOptions;
  readonly #session: HealSession;
  readonly #root: SchemaNode;
  readonly #isArguments: boolean;
  readonly #certainty: Certainty;
  readonly #levels: CommittedLevel[] = [];
  readonly #marks: Mark[] = [];
  readonly #leftOut: string[] = [];
  #chosen: Root | undefined;
  #considered = 0;
  /** How many marks of the chosen root were checked. */
  #checked = 0;
  /** How many of our own marks were checked for an ambiguous key. */
  #reviewed = 0;
  #done = false;
  /** The string that is being sent, and how much of it was sent. */
  #string: { readonly node: Node; sent: number } | undefined;
  #text = '';
  /** The part of `#text` not returned yet. Slicing it from `#text` would copy the entire text each time. */
  #untaken = '';

  constructor(schema: SchemaInput, options: HealOptions, isArguments = false) {
    this.#isArguments = isArguments;
    const { budget = new HealBudget() } = options;
    const target = toTarget(schema, budget);
    this.#schema = schema;
    this.#options = { ...options, budget };
    this.#root = target.schema;
    this.#session = new HealSession(target, this.#options);
    this.#certainty = new Certainty(budget);
  }

  push(chunk: string): string {
    this.#session.push(chunk);
    this.#advance();
    return this.#take();
  }

  get hasBegun(): boolean {
    return this.#text !== '';
  }

  unclosed(): string {
    if (this.#string === undefined) return '';
    const { node, sent } = this.#string;
    return JSON.stringify((node.value as string).slice(sent)).slice(1, -1);
  }

  end(): HealedEnd {
    this.#session.end();
    this.#advance();
    if (!this.#done) {
      if (this.#isArguments && this.#chosen !== undefined) this.#throwIfRefused(this.#toResult(this.#chosen));
      if (this.#text !== '') throw new HealError('no-value', 'the text ended before the value was complete');
      return this.#healAtOnce();
    }
    const result = this.#toResult(this.#chosen as Root, JSON.parse(this.#text));
    if (this.#isArguments) this.#throwIfRefused(result);
    const accepted = this.#isArguments
      ? checkConfidence(result, this.#options)
      : accept(result, this.#schema, this.#options);
    return { ...accepted, text: this.#take(), leftOut: this.#leftOut };
  }

  #toResult(chosen: Root, value?: unknown): HealResult {
    const { node, fenced } = chosen;
    const marks = [
      ...this.#contextMarks(node, fenced),
      ...this.#marksOf(chosen),
      ...this.#marks,
      ...this.#laterRoots(chosen),
    ];
    return toResult(value, marks, node.end - node.start, chosen.unlisted);
  }

  /** Other values in the text that cannot match the schema count as prose. */
  #contextMarks(node: Node, fenced: boolean): Mark[] {
    const { prose, roots } = this.#session.machine;
    const hasOthers = roots.some((root) => root.node !== node && resultOf(root.node, this.#root) === null);
    const around = contextMarks(prose, node, fenced, 1);
    return hasOthers && !prose.found ? [...around, markOn(node, 'stripped-prose')] : around;
  }

  /** Whether precision was lost depends on the schema, so the result of the sent value sets this flag. */
  #marksOf({ marks }: Root): Mark[] {
    return this.#isArguments ? marks.filter(({ kind }) => kind !== 'precision-lost') : marks;
  }

  #throwIfRefused(result: HealResult): void {
    const refused = result.flags.filter((flag) => this.#isRefused(flag));
    if (refused.length > 0) throw new HealError('guess', describeGuesses(refused), result);
  }

  /** Both members of a duplicate key are sent, so nothing is guessed. */
  #isRefused(change: { readonly kind: FlagKind }): boolean {
    if (this.#options.strict === true) return true;
    return isGuess(change) && change.kind !== 'duplicate-key';
  }

  /** Nothing was certain before the end: falls back to one-shot healing. */
  #healAtOnce(): HealedEnd {
    const result = accept(this.#session.finish(), this.#schema, this.#options);
    return { ...result, text: JSON.stringify(result.value), leftOut: [] };
  }

  #send(text: string): void {
    this.#text += text;
    this.#untaken += text;
  }

  #take(): string {
    const text = this.#untaken;
    this.#untaken = '';
    return text;
  }

  #laterRoots(chosen: Root): Mark[] {
    const later = this.#session.machine.roots.filter(
      (root) => root !== chosen && root.thinkCount >= chosen.thinkCount && resultOf(root.node, this.#root) !== null,
    );
    const [first] = later;
    return first === undefined ? [] : [markOn(first.node, 'ignored-later-value', { count: later.length })];
  }

  #advance(): void {
    while (!this.#done && !this.#isStopped() && this.#step());
  }

  /** Whether output has stopped because the arguments need a guess. */
  #isStopped(): boolean {
    if (!this.#isArguments || this.#chosen === undefined) return false;
    const { marks, unlisted } = this.#chosen;
    for (; this.#checked < marks.length; this.#checked++) {
      const mark = marks[this.#checked] as Mark;
      if (mark.kind !== 'precision-lost' && this.#isRefused(mark)) return true;
    }
    return unlisted !== undefined || this.#isAmbiguous();
  }

  /** Runs at every step, so each mark is checked once. */
  #isAmbiguous(): boolean {
    for (; this.#reviewed < this.#marks.length; this.#reviewed++) {
      if (this.#marks[this.#reviewed]?.kind === 'ambiguous-key') return true;
    }
    return false;
  }

  /** Sends the next certain piece, if there is one. */
  #step(): boolean {
    if (this.#chosen === undefined) return this.#chooseRoot();
    if (this.#string !== undefined) return this.#continueString(this.#string);
    const level = this.#levels.at(-1);
    if (level === undefined) return this.#begin(this.#chosen.node, this.#root);
    const child = level.node.children[level.seen];
    if (child !== undefined) return this.#sendChild(level, child);
    return level.node.complete ? this.#close(level) : false;
  }

  /** Chooses the first value after the thinking that matches the schema. */
  #chooseRoot(): boolean {
    const { machine } = this.#session;
    // If the schema wants a string, the value is the entire text, so nothing is certain before the end.
    if (machine.prose.thinking || this.#root.kind === 'string') return false;
    const root = machine.roots[this.#considered];
    if (root === undefined) return false;
    if (root.thinkCount === machine.prose.thinkCount) {
      const isCertain = this.#certainty.has(root.node, this.#root);
      // Arguments with an unexpected beginning are decided at the end, when all of the text is known.
      if (this.#isArguments && !isCertain) return false;
      if (!root.node.complete && !isCertain) return false;
      if (!root.node.complete || resultOf(root.node, this.#root) !== null) {
        this.#chosen = root;
        return true;
      }
    }
    this.#considered++;
    return true;
  }

  /** Sends a complete value, or the beginning of an open one. */
  #begin(node: Node, schema: SchemaNode): boolean {
    const isSure = this.#certainty.has(node, schema);
    // A complete container is also sent member by member, so that the output does not depend on how the text was split.
    if (node.complete && !(isSure && isContainer(node))) {
      this.#sendComplete(node, schema);
      if (this.#levels.length === 0) this.#done = true;
      return true;
    }
    if (!isSure) return false;
    if (node.kind === 'string') {
      this.#send('"');
      this.#string = { node, sent: 0 };
      return true;
    }
    const branch = this.#certainty.branchOf(node, schema) as ObjectSchema | ArraySchema;
    this.#send(node.kind === 'array' ? '[' : '{');
    this.#levels.push({ node, schema: branch, seen: 0, sent: 0, fields: new Set() });
    return true;
  }

  #sendComplete(node: Node, schema: SchemaNode): void {
    const result = resultOf(node, schema) as Result;
    const marks = marksOf(result);
    if (this.#isArguments && marks.length === 0) return this.#sendAsWritten(node);
    this.#marks.push(...marks);
    this.#send(JSON.stringify(result.value));
  }

  /**
   * Whether a complete value has to be sent as written, because it matches only with a change that arguments must not
   * have.
   */
  #isMismatch(node: Node, schema: SchemaNode): boolean {
    const result = resultOf(node, schema);
    return result === null || (this.#isArguments && marksOf(result).some((mark) => this.#isRefused(mark)));
  }

  #sendAsWritten(node: Node): void {
    const source = this.#session.sourceOf(node);
    this.#send(parseJson(source) === undefined ? JSON.stringify(node.value) : source);
  }

  #continueString(string: { readonly node: Node; sent: number }): boolean {
    const { node, sent } = string;
    const text = node.complete ? (node.value as string).slice(sent) : this.#session.machine.settledFrom(sent);
    // Sends surrogate pairs together.
    const isHalf = !node.complete && isHighSurrogate(text.charCodeAt(text.length - 1));
    const whole = isHalf ? text.slice(0, -1) : text;
    this.#send(JSON.stringify(whole).slice(1, -1));
    string.sent += whole.length;
    if (!node.complete) return false;
    this.#send('"');
    this.#string = undefined;
    const level = this.#levels.at(-1);
    if (level === undefined) this.#done = true;
    else level.seen++;
    return true;
  }

  #sendChild(level: CommittedLevel, child: Node): boolean {
    return level.schema.kind === 'array'
      ? this.#sendItem(level, level.schema, child)
      : this.#sendMember(level, level.schema, child);
  }

  #sendItem(level: CommittedLevel, schema: ArraySchema, child: Node): boolean {
    const item = schema.prefix[level.seen] ?? schema.items;
    if (child.complete && this.#isMismatch(child, item)) {
      if (this.#isArguments) return this.#keepMismatch(level, child);
      if (child.kind !== 'missing') this.#marks.push(markOn(child, 'dropped-item'));
      level.seen++;
      return true;
    }
    if ((!child.complete && !this.#certainty.has(child, item)) || this.#mayBeKey(level, child)) return false;
    this.#send(level.sent === 0 ? '' : ',');
    return this.#enter(level, child, item);
  }

  /** A short string at the end of an array may be a key, if the bracket between the two is missing. */
  #mayBeKey({ node, seen }: CommittedLevel, child: Node): boolean {
    if (child.kind !== 'string' || node.complete || node.children.length > seen + 1) return false;
    if (child.complete) return (child.value as string).length <= maxKeyLength;
    return this.#session.machine.settledFrom(maxKeyLength) === '';
  }

  #sendMember(level: CommittedLevel, schema: ObjectSchema, child: Node): boolean {
    const key = level.node.keys[level.seen] ?? '';
    const field = fieldAt(schema, level.node, level.seen);
    const declared = field?.schema ?? schema.rest;
    if (this.#isArguments && field !== undefined && field.name !== key) {
      if (!level.node.complete) return false;
      this.#session.budget.spend(level.node.keys.length);
      const keys = keysOfField(level, field);
      if (keys.includes(field.name)) return this.#keepMismatch(level, child, key);
      if (keys.length > 1) return this.#stop(child, 'ambiguous-key', key);
    }
    if (declared === undefined || (field !== undefined && level.fields.has(field))) {
      if (!child.complete) return false;
      if (this.#isArguments) return this.#keepMismatch(level, child, key);
      if (field === undefined) this.#leftOut.push(key);
      else this.#flag(child, 'ignored-later-value', field.name);
      level.seen++;
      return true;
    }
    if (child.complete && this.#isMismatch(child, declared)) {
      if (this.#isArguments) return this.#keepMismatch(level, child, key);
      // Treated as missing, so it may be filled in at the end of the object.
      if (child.kind !== 'missing' && child.kind !== 'null') this.#flag(child, 'dropped-field', field?.name ?? key);
      level.seen++;
      return true;
    }
    if (!child.complete && !this.#certainty.has(child, declared)) return false;
    if (field !== undefined) {
      level.fields.add(field);
      if (field.name !== key)
        this.#marks.push(markOn(child, 'fuzzy-field-match', { expected: field.name, found: key }));
    }
    this.#send(`${level.sent === 0 ? '' : ','}${JSON.stringify(field?.name ?? key)}:`);
    return this.#enter(level, child, declared);
  }

  #stop(child: Node, kind: FlagKind, key: string): boolean {
    this.#flag(child, kind, key);
    return false;
  }

  /** Sends a value that does not match as it was written. */
  #keepMismatch(level: CommittedLevel, child: Node, key?: string): boolean {
    this.#send(`${level.sent++ === 0 ? '' : ','}${key === undefined ? '' : `${JSON.stringify(key)}:`}`);
    this.#sendAsWritten(child);
    level.seen++;
    return true;
  }

  #enter(level: CommittedLevel, child: Node, schema: SchemaNode): boolean {
    level.sent++;
    if (child.complete && !(isContainer(child) && this.#certainty.has(child, schema))) {
      this.#sendComplete(child, schema);
      level.seen++;
      return true;
    }
    return this.#begin(child, schema);
  }

  #flag(node: Node, kind: FlagKind, field: string): void {
    this.#marks.push(markOn(node, kind, { field }));
  }

  #close(level: CommittedLevel): boolean {
    if (level.schema.kind === 'object') this.#fillMissing(level, level.schema);
    this.#send(level.schema.kind === 'array' ? ']' : '}');
    this.#levels.pop();
    const parent = this.#levels.at(-1);
    if (parent === undefined) this.#done = true;
    else parent.seen++;
    return true;
  }

  #fillMissing(level: CommittedLevel, schema: ObjectSchema): void {
    for (const field of schema.fields.values()) {
      if (level.fields.has(field) || (!field.required && !field.schema.hasDefault)) continue;
      const fill = fillOf(field.schema, this.#session.budget);
      if (this.#isArguments && fill?.kind !== 'used-default-value') continue;
      const path = { parent: level.node.path, key: field.name };
      if (fill === undefined) {
        const keys = toKeys(path);
        throw new HealError('missing-field', `${formatPath(keys)}: required, but missing from the text`, {
          path: keys,
        });
      }
      this.#marks.push(markAt(level.node, path, fill.kind, { field: field.name }));
      this.#send(`${level.sent++ === 0 ? '' : ','}${JSON.stringify(field.name)}:${JSON.stringify(fill.value)}`);
    }
  }
}

/** All keys of the object that match this field. */
function keysOfField({ node, schema }: CommittedLevel, field: SchemaField): string[] {
  return node.keys.filter((_key, index) => fieldAt(schema as ObjectSchema, node, index) === field);
}

function isContainer({ kind }: Node): boolean {
  return kind === 'object' || kind === 'array';
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
