// Healing for output that cannot be taken back, such as a proxied stream: returns JSON text that matches the schema as
// soon as it is certain.
// Invariants:
//   1. All text returned, joined, is the JSON of the value that `end()` returns, or an error is thrown.
//   2. The result is that of one-shot healing. If later text would change what was sent, the value is the one that was
//      sent, and the flag `ignored-later-value` says so.

import { describeGuesses, throwOnGuess } from '../arguments.ts';
import { HealBudget } from '../budget.ts';
import { ArgumentCommit } from './argument-commit.ts';
import { Commit } from './commit.ts';
import { countOtherValues } from '../coerce/other-values.ts';
import { contextMarks } from '../coerce/scored-root.ts';
import { HealError } from '../report/error.ts';
import { accept, checkConfidence, finishSession } from '../heal.ts';
import { contradictionOf } from './growth.ts';
import { toJsonText } from '../report/json-text.ts';
import { findMismatch } from '../report/mismatch.ts';
import { JsonWriter } from './json-writer.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { toResult } from '../report/report.ts';
import { marksOf, markOn, type Result } from '../coerce/result.ts';
import { HealSession } from '../session.ts';
import type { HealTarget } from '../schema/heal-target.ts';
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
}

export interface HealTextOptions extends HealOptions {
  /** `end`: return no text before the end, for a reader that waits for the entire response. Default: `early`. */
  readonly commit?: 'early' | 'end';
}

export function healText<const S extends SchemaInput>(
  schema: S & SchemaArgument<S>,
  options: HealTextOptions = {},
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
  return new CommittedArguments(schema, options);
}

class CommittedText implements HealedText {
  readonly #text: TextSession;
  readonly #writer = new JsonWriter();
  readonly #commit: Commit;
  readonly #isEarly: boolean;

  constructor(schema: SchemaInput, { commit = 'early', ...options }: HealTextOptions) {
    this.#isEarly = commit === 'early';
    this.#text = new TextSession(schema, options);
    const { session, target } = this.#text;
    this.#commit = new Commit(session, target.schema, this.#writer);
  }

  push(chunk: string): string {
    this.#text.session.push(chunk);
    if (!this.#isEarly) return '';
    this.#advance();
    return this.#writer.take();
  }

  /** A container that cannot match any more is an error at once, because its beginning was sent. */
  #advance(): void {
    this.#commit.advance();
    const { failed } = this.#commit;
    if (failed === undefined) return;
    const { kind, path, message } = findMismatch(failed.node, failed.schema);
    throw new HealError(kind, message, { value: failed.node.value, path });
  }

  end(): HealedEnd {
    const { session, target, options } = this.#text;
    session.end();
    if (!this.#isEarly) return this.#text.healAtOnce();
    this.#advance();
    if (this.#writer.text === '') return this.#text.healAtOnce();
    if (!this.#commit.isDone) throw incomplete();
    const healed = finishSession(session, target, options);
    const sent: unknown = JSON.parse(this.#writer.text);
    const result = isSameJson(sent, healed.value) ? healed : this.#toSentResult(sent);
    return { ...this.#text.accept(result), text: this.#writer.take() };
  }

  /** The result for the value that was sent, if one-shot healing gives another. */
  #toSentResult(sent: unknown): HealResult {
    const { ignored } = this.#commit;
    const chosen = this.#commit.chosen as Root;
    const result = resultOf(chosen.node, this.#text.target.schema) as Result;
    const marks = [...marksOf(result), ...ignored.map((node) => markOn(node, 'ignored-later-value'))];
    const healed = this.#text.toResult(chosen, sent, marks);
    if (healed.flags.some(({ kind }) => kind === 'ignored-later-value')) return healed;
    // Later text changed how the value is read, without a value or member of its own.
    return this.#text.toResult(chosen, sent, [...marks, markOn(chosen.node, 'ignored-later-value')]);
  }
}

class CommittedArguments implements HealedArguments {
  readonly #text: TextSession;
  readonly #writer = new JsonWriter();
  readonly #commit: ArgumentCommit;

  constructor(schema: SchemaInput, options: HealOptions) {
    this.#text = new TextSession(schema, options);
    const { session, target } = this.#text;
    this.#commit = new ArgumentCommit(session, target.schema, this.#writer, options.strict === true);
  }

  get hasBegun(): boolean {
    return this.#writer.text !== '';
  }

  unclosed(): string {
    return JSON.stringify(this.#commit.unwritten).slice(1, -1);
  }

  push(chunk: string): string {
    this.#text.session.push(chunk);
    this.#commit.advance();
    return this.#writer.take();
  }

  end(): HealedEnd {
    this.#text.session.end();
    this.#commit.advance();
    const { chosen, isDone, marks } = this.#commit;
    if (chosen === undefined) return this.#healAtOnce();
    const result = this.#text.toResult(chosen, isDone ? JSON.parse(this.#writer.text) : undefined, marks);
    this.#throwIfRefused(result);
    if (!isDone && !this.hasBegun) return this.#healAtOnce();
    if (!isDone) throw incomplete();
    return { ...checkConfidence(result, this.#text.options), text: this.#writer.take() };
  }

  #healAtOnce(): HealedEnd {
    const end = this.#text.healAtOnce();
    throwOnGuess(end);
    return end;
  }

  #throwIfRefused(result: HealResult): void {
    const refused = result.flags.filter((flag) => this.#commit.isRefused(flag));
    if (refused.length > 0) throw new HealError('guess', describeGuesses(refused), result);
  }
}

/** The healing of one text, and the results for it. */
class TextSession {
  readonly #schema: SchemaInput;
  readonly options: HealOptions;
  readonly target: HealTarget;
  readonly session: HealSession;

  constructor(schema: SchemaInput, options: HealOptions) {
    const { budget = new HealBudget() } = options;
    this.#schema = schema;
    this.target = toTarget(schema, budget);
    this.options = { ...options, budget };
    this.session = new HealSession(this.target, this.options);
  }

  /** Nothing was certain before the end. */
  healAtOnce(): HealedEnd {
    const result = this.accept(finishSession(this.session, this.target, this.options));
    return { ...result, text: toJsonText(result.value) };
  }

  accept(result: HealResult): HealResult {
    return accept(result, this.#schema, this.options);
  }

  /** The result for a value that was read from the chosen root. `marks` are the changes of the value itself. */
  toResult(chosen: Root, value: unknown, marks: readonly Mark[]): HealResult {
    const { node, unlisted } = chosen;
    // Whether precision was lost depends on the schema, so the result of the value sets this flag.
    const notation = chosen.marks.filter(({ kind }) => kind !== 'precision-lost');
    const all = [...this.#contextMarks(chosen), ...notation, ...marks, ...this.#laterRoots(chosen)];
    return toResult(value, all, node.end - node.start, unlisted);
  }

  /** Flags what surrounds the value. Later values that match the schema have a flag of their own. */
  #contextMarks(chosen: Root): Mark[] {
    const { machine, budget } = this.session;
    const others = machine.roots.filter((root) => root !== chosen && root.thinkCount === chosen.thinkCount);
    const mismatches = others.filter((root) => !this.#isMatch(root));
    return contextMarks(machine.prose, chosen, countOtherValues(mismatches, this.target, budget));
  }

  #laterRoots(chosen: Root): Mark[] {
    const { roots } = this.session.machine;
    const later = roots.filter(
      (root) => root !== chosen && root.thinkCount >= chosen.thinkCount && this.#isMatch(root),
    );
    const [first] = later;
    return first === undefined ? [] : [markOn(first.node, 'ignored-later-value', { count: later.length })];
  }

  #isMatch({ node }: Root): boolean {
    return resultOf(node, this.target.schema) !== null;
  }
}

function incomplete(): HealError {
  return new HealError('no-value', 'the text ended before the value was complete');
}

/** Dates are compared as they are sent. */
function isSameJson(sent: unknown, value: unknown): boolean {
  const json: unknown = JSON.parse(toJsonText(value));
  return contradictionOf(sent, json) === undefined && contradictionOf(json, sent) === undefined;
}
