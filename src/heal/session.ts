// Heals one text: the machine parses it, coercion scores its nodes against the schema, and at the end one value is
// chosen. One-shot healing is a session with a single push.

import { HealBudget } from './budget.ts';
import { readBracketless, type BracketlessText } from './parse/bracketless.ts';
import { mentionedValues } from './coerce/enumeration.ts';
import { countOtherValues, isTruncated } from './coerce/other-values.ts';
import { chooseScoredRoot, contextMarks, type ScoredRoot } from './coerce/scored-root.ts';
import { finishScoring, scoreNode, beginScoring } from './coerce/coerce.ts';
import { HealError } from './report/error.ts';
import { findMismatch } from './report/mismatch.ts';
import { LenientMachine } from './parse/machine.ts';
import { resultFrom, resultOf, type CoerceContext } from './coerce/node-scores.ts';
import type { Node } from './parse/node.ts';
import type { Mark, MarkCounts } from './parse/mark.ts';
import type { HealOptions, HealResult } from './option.ts';
import { locateFlags, toResult } from './report/report.ts';
import { changed, exact, marksOf, markOn, type Result } from './coerce/result.ts';
import { parseScalar, type Scalar } from './parse/scalar.ts';
import { branchesOf, type EnumSchema, type SchemaNode } from './schema/schema.ts';
import { lowerBound, SourceText } from './parse/source-text.ts';
import type { HealTarget } from './schema/heal-target.ts';
import { isStripped, textNode } from './parse/text-node.ts';
import { chooseRoot, isComputedFrom, type Root } from './parse/root.ts';
import type { NodeListener } from './parse/tree.ts';

/** Deeper nesting is treated as an attack, because every open bracket takes memory. */
const maxTypedDepth = 10_000;
const maxUntypedDepth = 100_000;

/** Minimum cost of parsing JSON inside a string. */
const stepsPerText = 100;

export interface HealSessionOptions {
  /** How many levels of JSON inside strings enclose this session. */
  readonly nesting?: number;
  /** Only the final value is needed, not the tree. Has no effect with a schema. */
  readonly valuesOnly?: boolean;
}

/** A value and the changes it took, before they become flags and a confidence. */
export interface ChosenValue {
  readonly value: unknown;
  readonly marks: readonly Mark[];
  /** Length of the text that the value was read from. */
  readonly length: number;
  /** Counts of changes that have no mark. */
  readonly unlisted: MarkCounts | undefined;
}

export class HealSession implements NodeListener, CoerceContext {
  readonly #target: HealTarget | undefined;
  readonly #options: HealOptions;
  readonly #nesting: number;
  readonly #source = new SourceText();
  readonly #maxDepth: number;
  /** Changes inside strings: their offsets are offsets into the string. */
  readonly #inner = new WeakSet<Mark>();
  readonly machine: LenientMachine;
  readonly coerceTypes: boolean;
  readonly budget: HealBudget;

  constructor(
    target: HealTarget | undefined,
    options: HealOptions,
    { nesting = 0, valuesOnly = false }: HealSessionOptions = {},
  ) {
    this.#target = target;
    this.budget = options.budget ?? new HealBudget();
    this.#options = options;
    this.#nesting = nesting;
    this.#maxDepth = options.maxDepth ?? (target === undefined ? maxUntypedDepth : maxTypedDepth);
    this.machine = new LenientMachine({
      maxDepth: this.#maxDepth,
      expect: target?.candidates,
      listener: target === undefined ? undefined : this,
      valuesOnly: valuesOnly && target === undefined,
    });
    this.coerceTypes = options.coerceTypes ?? true;
  }

  push(chunk: string): void {
    this.#keep(chunk);
    this.budget.addText(chunk.length);
    this.#charge();
    this.machine.push(chunk);
  }

  /**
   * Makes this session pay for new candidate sets. Another session with the same schema may have run since the last
   * chunk.
   */
  #charge(): void {
    this.#target?.chargeTo(this.budget);
  }

  #keep(chunk: string): void {
    this.#source.push(chunk);
    const limit = this.#options.maxBytes;
    if (limit !== undefined && this.#source.length > limit) {
      throw new HealError('too-large', `the text is longer than ${limit} characters, the limit set by maxBytes`);
    }
  }

  /** The text received so far. */
  get text(): string {
    return this.#source.join();
  }

  /** Marks the end of the text. */
  end(): void {
    this.#charge();
    this.machine.end();
  }

  /** Ends the text and returns its value. `rest` is the part that has not been pushed yet. */
  finish(rest = ''): HealResult {
    const { value, marks, length, unlisted } = this.choose(rest);
    const healed = toResult(value, marks, length, unlisted);
    return this.#options.locate === true ? locateFlags(healed, marks, (mark) => this.#isLocated(mark)) : healed;
  }

  #isLocated(mark: Mark): boolean {
    return !this.machine.isDecoded && !this.#inner.has(mark);
  }

  /** Ends the text and chooses its value. */
  choose(rest = ''): ChosenValue {
    if (rest !== '') this.#keep(rest);
    this.#charge();
    // The text is complete: join it once so that later slices are cut from one string.
    this.#source.join();
    this.machine.end(rest);
    const choice = this.#target === undefined ? this.#chooseUntyped() : this.#chooseTyped(this.#target);
    if (choice === undefined) throw this.#explain();
    const { node, marks, result, unlisted } = choice;
    const all = result.parts.length + result.marks.length === 0 ? marks : [...marks, ...marksOf(result)];
    return { value: result.value, marks: all, length: node.end - node.start, unlisted };
  }

  opened(node: Node, parent: Node | undefined): void {
    beginScoring(node, parent, this.#target as HealTarget);
  }

  completed(node: Node): void {
    finishScoring(node, this);
  }

  #chooseUntyped(): ScoredRoot | undefined {
    const { machine } = this;
    const root = chooseRoot(machine.roots, machine.prose.thinkCount);
    if (root !== undefined) return this.#toScoredRoot(root, exact(root.node.value), machine.found);
    const node = textNode(this.text, machine.prose.responseStart, this.text.length);
    if (node === undefined) return undefined;
    const { kind, value, fixed }: Scalar = node.bare ? parseScalar(node.raw) : node;
    Object.assign(node, { kind, value });
    const marks = fixed === undefined ? [] : [markOn(node, fixed)];
    if (machine.prose.thinkCount > 0) marks.push(markOn(node, 'stripped-think'));
    if (isStripped(node, this.text)) marks.push(markOn(node, 'stripped-wrapper'));
    return { node, fenced: false, thinkCount: machine.prose.thinkCount, marks, result: exact(node.value) };
  }

  #toScoredRoot(root: Root, result: Result, values: number): ScoredRoot {
    const { node, fenced, thinkCount, unlisted } = root;
    const around = contextMarks(this.machine.prose, root, { possible: values - 1, impossible: 0 });
    if (isComputedFrom(this.text, node)) around.push(markOn(node, 'guessed-structure'));
    const marks = around.length === 0 ? root.marks : around.concat(root.marks);
    return { node, fenced, thinkCount, marks, unlisted, result };
  }

  #chooseTyped(target: HealTarget): ScoredRoot | undefined {
    const { machine } = this;
    const roots = machine.roots.flatMap((root): ScoredRoot[] => {
      const result = resultOf(root.node, target.schema);
      // Whether precision was lost depends on the schema, so coercion sets this flag.
      const marks = root.marks.filter((mark) => mark.kind !== 'precision-lost');
      return result === null ? [] : [{ ...root, marks, result }];
    });
    const collected = this.#collect(target, roots);
    if (collected !== undefined) return collected;
    const fences = machine.prose.fences.flatMap((fence) => this.#scoreText(target, fence.start, fence.end, true));
    const best = chooseScoredRoot([...fences, ...roots], machine.prose.thinkCount);
    if (best !== undefined && !this.#prefersText(target)) {
      return this.#isOneOfSeveral(target, best) ? undefined : this.#withChoiceMarks(target, best);
    }
    const isBracketless = machine.roots.length === 0 && this.#nesting === 0;
    const bracketless = isBracketless ? readBracketless(target, this.#bracketlessText()) : undefined;
    if (bracketless !== undefined) return this.#withThinkingMark(bracketless);
    // A value that does not match the schema is not searched for words.
    if (machine.roots.length > 0 && !machine.prose.found && !this.#prefersText(target)) return undefined;
    const [text] = this.#scoreText(target, machine.prose.responseStart, undefined, false);
    return text && this.#withThinkingMark(text);
  }

  /** Flags what surrounds the value, and the values that were not chosen. */
  #withChoiceMarks(target: HealTarget, best: ScoredRoot): ScoredRoot {
    const { prose, roots } = this.machine;
    const others = roots.filter((root) => root.node !== best.node && root.thinkCount === best.thinkCount);
    const around = contextMarks(prose, best, countOtherValues(others, target, this.budget));
    const isCut = others.some(isTruncated) && !isTruncated(best);
    if (isCut) around.push(markOn(best.node, 'closed-truncated'));
    return { ...best, marks: [...around, ...best.marks] };
  }

  /** `"BUG", "FEATURE", "QUESTION"`: the first word is not the answer, but one of the choices. */
  #isOneOfSeveral({ schema }: HealTarget, { node, fenced }: ScoredRoot): boolean {
    if (node.kind !== 'string' || fenced || !this.machine.prose.found) return false;
    return branchesOf(schema).some((branch) => branch.kind === 'enum' && this.#mentionsIn(branch).length > 1);
  }

  #mentionsIn(schema: EnumSchema): unknown[] {
    return mentionedValues(schema, this.text.slice(this.machine.prose.responseStart), this.budget);
  }

  #withThinkingMark(choice: ScoredRoot): ScoredRoot {
    if (this.machine.prose.thinkCount === 0) return choice;
    return { ...choice, marks: [markOn(choice.node, 'stripped-think'), ...choice.marks] };
  }

  #bracketlessText(): BracketlessText {
    const { responseStart: start, thinkCount } = this.machine.prose;
    return { text: this.text, start, thinkCount, maxDepth: this.#maxDepth, context: this };
  }

  /** If the schema wants a string, the entire text is the value, unless the text is exactly one quoted string. */
  #prefersText(target: HealTarget): boolean {
    if (target.schema.kind !== 'string' || this.#nesting > 0) return false;
    const [only] = this.machine.roots;
    return !(this.machine.roots.length === 1 && only?.node.kind === 'string' && !this.machine.prose.found);
  }

  /** If the schema wants an array, several values in the text become its items. */
  #collect(target: HealTarget, roots: readonly ScoredRoot[]): ScoredRoot | undefined {
    const list = target.schema.kind === 'array' ? target.schema : undefined;
    if (list === undefined || roots.length < 2 || roots.some((root) => root.node.kind === 'array')) return undefined;
    const last = this.machine.roots.filter((root) => root.thinkCount === this.machine.prose.thinkCount);
    const pool = last.some((root) => root.fenced) ? last.filter((root) => root.fenced) : last;
    const items = pool.flatMap((root) => resultOf(root.node, list.items) ?? []);
    const first = roots.find((root) => pool.some(({ node }) => node === root.node));
    if (items.length < 2 || first === undefined) return undefined;
    const lost = pool.filter((root) => resultOf(root.node, list.items) === null);
    const marks = [...pool.flatMap((root) => root.marks), ...lost.map(({ node }) => markOn(node, 'dropped-item'))];
    const mark = markOn(first.node, 'collected-values', { count: items.length });
    const result = changed(
      items.map((item) => item.value),
      [mark],
      items,
    );
    return { ...first, marks: [...contextMarks(this.machine.prose, first), ...marks], result };
  }

  /** Scores a section of text without brackets as a single scalar. */
  #scoreText(target: HealTarget, start: number, end: number | undefined, fenced: boolean): ScoredRoot[] {
    const stop = end ?? this.text.length;
    if (fenced && holdsRoot(this.machine.roots, start, stop)) return [];
    const node = textNode(this.text, start, stop);
    if (node === undefined) return [];
    const verbatim =
      target.schema.kind === 'string' && !fenced
        ? { ...node, kind: 'string' as const, value: this.text.slice(start, stop) }
        : node;
    const result = resultFrom(scoreNode(verbatim, target.candidates, this), target.schema);
    if (result === null) return [];
    return [
      {
        node: verbatim,
        fenced,
        thinkCount: this.machine.prose.thinkCount,
        marks: [
          ...(node.bare && node.kind === 'string' ? [markOn(node, 'unquoted-string')] : []),
          ...(verbatim === node && isStripped(node, this.text) ? [markOn(node, 'stripped-wrapper')] : []),
        ],
        result,
      },
    ];
  }

  sourceOf(node: Node): string {
    return this.#source.slice(node.start, node.end);
  }

  parseInside(text: string, schema: SchemaNode): Result | null {
    if (this.#nesting >= 3 || this.#hasRead(text)) return null;
    const { budget } = this;
    budget.spend(stepsPerText + text.length);
    const target = (this.#target as HealTarget).part(schema, budget);
    const inner = new HealSession(target, { ...this.#options, budget }, { nesting: this.#nesting + 1 });
    inner.#charge();
    inner.#keep(text);
    inner.machine.end(text);
    const choice = inner.#chooseTyped(inner.#target as HealTarget);
    if (choice?.node.kind !== schema.kind) return null;
    const result = changed(choice.result.value, choice.marks, [choice.result]);
    if (this.#options.locate === true) for (const mark of marksOf(result)) this.#inner.add(mark);
    return result;
  }

  /**
   * Whether the response begins with the text, so that this session has read it already. Reading it again for each
   * branch of the schema took up to 15 ms for 700 characters, and found nothing else.
   */
  #hasRead(text: string): boolean {
    return this.text.slice(this.machine.prose.responseStart).trimStart().startsWith(text.trim());
  }

  #explain(): HealError {
    const root = this.machine.roots.at(-1);
    const several = this.#explainMentions();
    if (several !== undefined) return several;
    if (this.#target === undefined || root === undefined) {
      return new HealError('no-value', 'the text contains no value');
    }
    const { kind, path, message } = findMismatch(root.node, this.#target.schema);
    return new HealError(kind, message, { value: root.node.value, path });
  }

  /** One of several words was wanted, and the text mentions more than one. */
  #explainMentions(): HealError | undefined {
    const schema = this.#target?.schema;
    const [first, second] = schema?.kind === 'enum' ? this.#mentionsIn(schema) : [];
    if (second === undefined) return undefined;
    const both = `${JSON.stringify(first)} and ${JSON.stringify(second)}`;
    return new HealError('no-value', `the value: the text mentions both ${both}, and only one can be meant`);
  }
}

/** Whether a root lies between the two offsets. `roots` are in text order. */
function holdsRoot(roots: readonly Root[], start: number, end: number): boolean {
  const root = roots[lowerBound(roots, start, ({ node }) => node.start)];
  return root !== undefined && root.node.end <= end;
}
