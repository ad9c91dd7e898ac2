// One text on its way to a value: the machine reads, the coercion measures, and at the end one value is chosen.
// One-shot healing is a session with one push.

import { Family, type CandidateSet } from './candidate.ts';
import { chooseRoot, chooseTyped, surroundings, type Choice } from './choose.ts';
import { measure, type CoerceContext, type Measured } from './coerce.ts';
import { confidenceOf } from './confidence.ts';
import { HealError } from './error.ts';
import { findMisfit } from './explain.ts';
import type { Flag } from './flag.ts';
import { LenientMachine } from './machine.ts';
import type { Mark, NodeListener, Root } from './tree.ts';
import { createNode, type Node } from './node.ts';
import type { HealOptions, HealResult } from './option.ts';
import { toKeys } from './path.ts';
import { changed, exact, marksOf, markOn, type Result } from './result.ts';
import { parseScalar, type Scalar } from './scalar.ts';
import { trimSpace } from './character.ts';
import type { SchemaNode } from './schema.ts';

/** More flags than this are told as a number. */
const mostFlags = 1000;

/** Brackets deeper than these are no value but an attack, and each open one holds memory. */
const deepestTyped = 10_000;
const deepestUntyped = 100_000;

/** A schema made ready to heal against, shared by all sessions. */
export class Target {
  readonly schema: SchemaNode;
  readonly set: CandidateSet;

  constructor(schema: SchemaNode) {
    this.schema = schema;
    this.set = new Family().of([schema]);
  }
}

/** What a session is for. */
export interface SessionRole {
  /** How many texts inside texts it is in. */
  readonly nesting?: number;
  /** Without a schema: only the final value is wanted, and nobody looks at the tree. */
  readonly valuesOnly?: boolean;
}

export class HealSession implements NodeListener {
  readonly #target: Target | undefined;
  readonly #options: HealOptions;
  readonly #nesting: number;
  readonly #chunks: string[] = [];
  /** Where each chunk begins. */
  readonly #offsets: number[] = [];
  #length = 0;
  readonly #maxDepth: number;
  readonly machine: LenientMachine;
  #text: string | undefined;
  readonly #context: CoerceContext;

  constructor(target: Target | undefined, options: HealOptions, { nesting = 0, valuesOnly = false }: SessionRole = {}) {
    this.#target = target;
    this.#options = options;
    this.#nesting = nesting;
    this.#maxDepth = options.maxDepth ?? (target === undefined ? deepestUntyped : deepestTyped);
    this.machine = new LenientMachine({
      maxDepth: this.#maxDepth,
      ...(target === undefined ? { valuesOnly } : { expect: target.set, listener: this }),
    });
    this.#context = {
      coerceTypes: options.coerceTypes ?? true,
      measured: (node) => node.slot as Measured | undefined,
      sourceOf: (node) => this.#slice(node.start, node.end),
      parseInside: (text, schema) => this.#parseInside(text, schema),
    };
  }

  push(chunk: string): void {
    this.#chunks.push(chunk);
    this.#offsets.push(this.#length);
    this.#length += chunk.length;
    const most = this.#options.maxBytes;
    if (most !== undefined && this.#length > most) {
      throw new HealError('too-large', `the text has more than ${most} characters`);
    }
    this.machine.push(chunk);
  }

  /** The text so far. */
  get text(): string {
    return this.#source();
  }

  /** The value of the whole text, as the machine read it. */
  finish(): HealResult {
    // All of it has come, and what is closed now may be cut from the whole.
    this.#source();
    this.machine.end();
    const choice = this.#target === undefined ? this.#chooseUntyped() : this.#chooseTyped(this.#target);
    if (choice === undefined) throw this.#explain();
    return toResult(choice);
  }

  opened(node: Node, parent: Node | undefined): void {
    const set = parent === undefined ? this.#rootSet() : childSet(parent);
    node.slot = { set, results: [] } satisfies Measured;
  }

  completed(node: Node): void {
    const { set } = node.slot as Measured;
    node.slot = measure(node, set, this.#context);
  }

  #source(): string {
    this.#text ??= this.#chunks.join('');
    return this.#text;
  }

  /** A stretch of the text, without putting the whole together while it still grows. */
  #slice(start: number, end: number): string {
    if (this.#text !== undefined) return this.#text.slice(start, end);
    const low = Math.max(0, firstFrom(this.#offsets, start + 1, (offset) => offset) - 1);
    const first = this.#offsets[low] ?? 0;
    let text = '';
    for (let at = low; at < this.#chunks.length && (this.#offsets[at] as number) < end; at++) text += this.#chunks[at];
    return text.slice(start - first, end - first);
  }

  #rootSet(): CandidateSet {
    return (this.#target as Target).set;
  }

  #chooseUntyped(): Choice | undefined {
    const { machine } = this;
    const root = chooseRoot(machine.roots, machine.prose.thinks);
    if (root !== undefined) return this.#toChoice(root, exact(root.node.value), machine.roots.length);
    const node = this.#textNode(machine.prose.answerStart, this.#source().length);
    if (node === undefined) return undefined;
    const { kind, value, fixed }: Scalar = node.bare ? parseScalar(node.raw) : node;
    Object.assign(node, { kind, value });
    const marks = fixed === undefined ? [] : [markOn(node, fixed)];
    if (machine.prose.thinks > 0) marks.push(markOn(node, 'stripped-think'));
    if (this.#isStripped(node)) marks.push(markOn(node, 'stripped-wrapper'));
    return { node, fenced: false, afterThink: machine.prose.thinks, marks, result: exact(node.value) };
  }

  #toChoice(root: Root, result: Result, values: number): Choice {
    const around = surroundings(this.machine, root.node, root.fenced, values);
    return { ...root, marks: [...around, ...root.marks], result };
  }

  #chooseTyped(target: Target): Choice | undefined {
    const { machine } = this;
    const roots = machine.roots.flatMap((root): Choice[] => {
      const result = resultOf(root.node, target.schema);
      // Whether precision was lost depends on what is wanted, so the coercion tells it.
      const marks = root.marks.filter((mark) => mark.kind !== 'precision-lost');
      return result === null ? [] : [{ ...root, marks, result }];
    });
    const collected = this.#collect(target, roots);
    if (collected !== undefined) return collected;
    const fences = machine.prose.fences.flatMap((fence) => this.#measureText(target, fence.start, fence.end, true));
    const best = chooseTyped([...fences, ...roots], machine.prose.thinks);
    if (best !== undefined && !this.#prefersText(target)) {
      const around = surroundings(machine, best.node, best.fenced, roots.length);
      return { ...best, marks: [...around, ...best.marks] };
    }
    const lines = this.#readLines(target);
    if (lines !== undefined) return lines;
    // A value that does not fit is no text to look for words in.
    if (machine.roots.length > 0 && !machine.prose.found && !this.#prefersText(target)) return undefined;
    return this.#measureText(target, machine.prose.answerStart, undefined, false)[0];
  }

  /** Lines of keys and values without brackets, as a last resort, when the schema knows the keys. */
  #readLines(target: Target): Choice | undefined {
    const { prose, roots } = this.machine;
    const text = this.#source().slice(prose.answerStart);
    if (roots.length > 0 || this.#nesting > 0 || !knowsAKey(target, text)) return undefined;
    const machine = new LenientMachine({
      expect: target.set,
      listener: this,
      isObject: true,
      maxDepth: this.#maxDepth,
    });
    machine.push(text);
    machine.end();
    const [root] = machine.roots;
    const result = root === undefined ? null : resultOf(root.node, target.schema);
    return root === undefined || result === null ? undefined : { ...root, result };
  }

  /** A text is wanted: the whole text is it, unless it is nothing but one quoted string. */
  #prefersText(target: Target): boolean {
    if (target.schema.kind !== 'string' || this.#nesting > 0) return false;
    const [only] = this.machine.roots;
    return !(this.machine.roots.length === 1 && only?.node.kind === 'string' && !this.machine.prose.found);
  }

  /** Several values where a list is wanted are its items. */
  #collect(target: Target, roots: readonly Choice[]): Choice | undefined {
    const list = target.schema.kind === 'array' ? target.schema : undefined;
    if (list === undefined || roots.length < 2 || roots.some((root) => root.node.kind === 'array')) return undefined;
    const last = roots.filter((root) => root.afterThink === this.machine.prose.thinks);
    const pool = last.some((root) => root.fenced) ? last.filter((root) => root.fenced) : last;
    const items = pool.flatMap((root) => resultOf(root.node, list.items) ?? []);
    const [first] = pool;
    if (items.length < 2 || first === undefined) return undefined;
    const marks = pool.flatMap((root) => root.marks);
    const mark = markOn(first.node, 'collected-values', { count: items.length });
    const result = changed(
      items.map((item) => item.value),
      [mark],
      items,
    );
    return { ...first, marks: [...surroundings(this.machine, first.node, first.fenced, 1), ...marks], result };
  }

  /** A stretch of text without brackets, measured as one word. */
  #measureText(target: Target, start: number, end: number | undefined, fenced: boolean): Choice[] {
    const stop = end ?? this.#source().length;
    if (fenced && holdsRoot(this.machine.roots, start, stop)) return [];
    const node = this.#textNode(start, stop);
    if (node === undefined) return [];
    const verbatim =
      target.schema.kind === 'string' && !fenced
        ? { ...node, kind: 'string' as const, value: this.#source().slice(start, stop) }
        : node;
    const result = resultIn(measure(verbatim, target.set, this.#context), target.schema);
    if (result === null) return [];
    return [
      {
        node: verbatim,
        fenced,
        afterThink: this.machine.prose.thinks,
        marks: [
          ...(node.bare && node.kind === 'string' ? [markOn(node, 'unquoted-string')] : []),
          ...(verbatim === node && this.#isStripped(node) ? [markOn(node, 'stripped-wrapper')] : []),
        ],
        result,
      },
    ];
  }

  /** A call, quotes or a comma around the word were taken off. */
  #isStripped({ raw, start, end }: Node): boolean {
    return raw !== trimSpace(this.#source().slice(start, end));
  }

  #textNode(start: number, end: number): Node | undefined {
    const { raw, isQuoted } = bareValue(this.#source().slice(start, end));
    if (!/[\p{L}\p{N}]/u.test(raw)) return undefined;
    const scalar = parseScalar(raw);
    // Words such as None are literals in a value, but words in a text.
    const isText = isQuoted || scalar.fixed === 'fixed-literal';
    const { kind, value } = isText ? { kind: 'string' as const, value: raw } : scalar;
    return Object.assign(createNode(kind, start, { value, raw }), { end, complete: true, bare: !isQuoted });
  }

  #parseInside(text: string, schema: SchemaNode): Result | null {
    if (this.#nesting >= 3) return null;
    const inner = new HealSession(new Target(schema), this.#options, { nesting: this.#nesting + 1 });
    inner.push(text);
    inner.machine.end();
    const choice = inner.#chooseTyped(inner.#target as Target);
    return choice?.node.kind !== schema.kind ? null : changed(choice.result.value, choice.marks, [choice.result]);
  }

  #explain(): HealError {
    const root = this.machine.roots.at(-1);
    if (this.#target === undefined || root === undefined) {
      return new HealError('no-value', 'there is no value in the text');
    }
    const { kind, path, message } = findMisfit(root.node, this.#target.schema);
    return new HealError(kind, message, { value: root.node.value, path });
  }
}

/** Whether one of the roots, which stand in the order of the text, lies between these places. */
function holdsRoot(roots: readonly Root[], start: number, end: number): boolean {
  const root = roots[firstFrom(roots, start, ({ node }) => node.start)];
  return root !== undefined && root.node.end <= end;
}

/** The index of the first item at or after a place, by halves. */
function firstFrom<T>(items: readonly T[], place: number, placeOf: (item: T) => number): number {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (placeOf(items[middle] as T) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A word without what a program may have around it: `callback(2);`, `4,`, a fence, half its quotes. */
function bareValue(text: string): { readonly raw: string; readonly isQuoted: boolean } {
  const trimmed = trimSpace(text).replaceAll(/^`{3,}\w*\s*|\s*`{3,}$/g, '');
  const [, inside] = /^[\w$.]+\(([^()]*)\)\s*;?$/.exec(trimmed.length > 1000 ? '' : trimmed) ?? [];
  const bare = (inside ?? trimmed).trim().replace(/[,;]$/, '').trim();
  if (inside !== undefined && /^"[^"]*"$/.test(bare)) return { raw: bare.slice(1, -1), isQuoted: true };
  const isHalfQuoted = bare.length > 1 && bare.indexOf('"') === bare.length - 1;
  return { raw: isHalfQuoted ? bare.slice(0, -1) : bare, isQuoted: isHalfQuoted };
}

/** Whether the text begins a line with a field of the schema and a colon. */
function knowsAKey({ set }: Target, text: string): boolean {
  const keys = text.slice(0, 4000).matchAll(/^[\s*-]*["']?([\w$][\w$ .-]*?)["'*]*\s*:/gm);
  return Array.from(keys, ([, key]) => set.knows(key ?? '')).includes(true);
}

function toResult({ node, marks, result }: Choice): HealResult {
  const all = inOrder([...marks, ...marksOf(result)]);
  return { value: result.value, flags: toFlags(all), confidence: confidenceOf(all, node.end - node.start) };
}

function childSet(parent: Node): CandidateSet {
  const { set } = parent.slot as Measured;
  return parent.kind === 'array' ? set.item() : set.member(parent.keys.at(-1) ?? '');
}

function resultIn({ set, results }: Measured, schema: SchemaNode): Result | null {
  return results[set.placeOf(schema)] ?? null;
}

function resultOf(node: Node, schema: SchemaNode): Result | null {
  return node.slot === undefined ? null : resultIn(node.slot as Measured, schema);
}

/** By the place in the text, so that the order, and with it the product, does not depend on how they were found. */
export function inOrder(marks: readonly Mark[]): Mark[] {
  return marks.toSorted(
    (left, right) => left.start - right.start || left.end - right.end || (left.kind < right.kind ? -1 : 1),
  );
}

export function toFlags(marks: readonly Mark[]): Flag[] {
  const flags = marks
    .slice(0, mostFlags)
    .map(({ start: _start, end: _end, path, ...mark }): Flag => ({ ...mark, path: toKeys(path) }));
  if (marks.length > mostFlags) flags.push({ kind: 'more-changes', path: [], count: marks.length - mostFlags });
  return flags;
}
