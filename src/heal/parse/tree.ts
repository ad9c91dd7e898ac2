// Builds the tree while the machine reads: keeps the open containers, attaches nodes and records changes. Knows only
// positions, not the text.

import { code } from './character.ts';
import type { Cursor } from './cursor.ts';
import { HealError } from '../report/error.ts';
import type { FlagKind } from '../report/flag.ts';
import { createFrame, expectationOf, pathIn, type Expectation, type ContainerFrame } from './frame.ts';
import { maxMarks, MarkCounts, touchedLength, type Detail, type Mark } from './mark.ts';
import { createNode, setMember, type Node, type NodeContent, type NodeKind } from './node.ts';
import { contenders, type Root } from './root.ts';

const { openRound } = code;

/**
 * Notified when a node begins and when it is complete. A parent begins before its children and completes after them.
 */
export interface NodeListener {
  opened(node: Node, parent: Node | undefined): void;
  completed(node: Node, parent: Node | undefined): void;
}

/** What the text around a value says about it. */
export interface ProseContext {
  readonly fenced: boolean;
  readonly thinkCount: number;
  readonly thinking: boolean;
}

/** Maximum number of roots kept if only the final value is needed. */
const maxRoots = 16;

export class Tree {
  /** The values found. If only the final value is needed, those that cannot be chosen are dropped. */
  readonly roots: Root[] = [];
  dropped = 0;
  readonly frames: ContainerFrame[] = [];
  /** The innermost frame. */
  frame: ContainerFrame | undefined;
  /** The containers of the frames, if nodes are kept. */
  readonly path: Node[] = [];
  /** The value being read, if any. */
  root: Root | undefined;
  /** Counts nodes that begin, end or move. It does not change while a string only grows. */
  changes = 0;
  /** The last change in the value being read. */
  lastChange: FlagKind | undefined;
  /** The last completed node. */
  last: Node | undefined;
  /** Position of a container that is in quotes of its own. */
  quotedAt = -1;
  /** Whether any key was in doubled quotes. */
  #hasDoubled = false;
  readonly #cursor: Cursor;
  /** Changes before the value they belong to. */
  #pending: Mark[] = [];
  readonly #expect: Expectation | undefined;
  readonly #listener: NodeListener | undefined;
  readonly maxDepth: number;
  /** Whether nodes of scalars are needed, or only their values. */
  readonly keepsNodes: boolean;
  readonly #around: ProseContext;

  constructor(options: {
    readonly cursor: Cursor;
    readonly expect: Expectation | undefined;
    readonly listener: NodeListener | undefined;
    readonly maxDepth: number;
    readonly keepsNodes: boolean;
    readonly around: ProseContext;
  }) {
    this.#cursor = options.cursor;
    this.#expect = options.expect;
    this.#listener = options.listener;
    this.maxDepth = options.maxDepth;
    this.keepsNodes = options.keepsNodes;
    this.#around = options.around;
  }

  /** Whether the last key was in doubled quotes. */
  get isDoubled(): boolean {
    const { frame, frames } = this;
    if (!this.#hasDoubled || frame === undefined || frame.nearestObject === -1) return false;
    return (frames[frame.nearestObject]?.keyQuote ?? 0) < 0;
  }

  /** Records a change at the cursor, or in the given range. */
  mark(kind: FlagKind, range?: { readonly start?: number; readonly end?: number }, detail?: Detail): void {
    const here = this.#cursor.position;
    const start = range?.start ?? here;
    const end = range?.end ?? here;
    const { root } = this;
    if (kind === 'dropped-text' && this.frame !== undefined) this.frame.node.hasLostText = true;
    if (root?.unlisted !== undefined && start > root.unlisted.from) {
      this.lastChange = kind;
      root.unlisted.add(kind, touchedLength(start, end));
    } else this.#addMark({ kind, path: pathIn(this.frame), start, end, detail });
  }

  #addMark(mark: Mark): void {
    this.lastChange = mark.kind;
    const { root } = this;
    if (root === undefined) this.#pending.push(mark);
    else {
      root.marks.push(mark);
      // Bounds the memory for changes that will not be listed.
      if (root.marks.length >= 2 * maxMarks && !this.keepsNodes)
        (root.unlisted ??= new MarkCounts()).takeSurplus(root.marks);
    }
  }

  /** Adds an open node. */
  open(kind: NodeKind, start: number, content: NodeContent): Node {
    this.changes++;
    const parent = this.frame;
    const { keepsNodes } = this;
    const isQuoted = start === this.quotedAt;
    const node = createNode(kind, start, content, { path: pathIn(parent), keepsChildren: keepsNodes, isQuoted });
    if (parent === undefined) {
      const { fenced, thinkCount, thinking: isThinking } = this.#around;
      this.root = { node, fenced, thinkCount, isThinking, marks: this.#pending, unlisted: undefined };
      this.#pending = [];
      this.lastChange = undefined;
      if (!keepsNodes && this.roots.length >= maxRoots) this.#dropRoots();
      this.roots.push(this.root);
    } else {
      this.#attach(parent, node.value);
      if (keepsNodes) parent.node.children.push(node);
      if ((keepsNodes || kind === 'missing') && parent.node.kind === 'object') parent.node.keys.push(parent.key);
    }
    this.#listener?.opened(node, parent?.node);
    return node;
  }

  /** Keeps only the number of values that cannot be chosen. */
  #dropRoots(): void {
    const kept = contenders(this.roots);
    this.dropped += this.roots.length - kept.length;
    this.roots.splice(0, Infinity, ...kept);
  }

  openContainer(kind: 'object' | 'array', open: number, start = this.#cursor.position): void {
    const parent = this.frame;
    const depth = this.frames.length;
    const expect = parent === undefined ? this.#expect : expectationOf(parent);
    const node = this.open(kind, start, { value: kind === 'object' ? {} : [] });
    if (this.keepsNodes) this.path.push(node);
    if (depth >= this.maxDepth)
      throw new HealError('too-deep', `the value is nested more than ${this.maxDepth} levels deep`);
    this.frame = createFrame(node, expect, { open, depth, parent });
    this.frames.push(this.frame);
    if (open !== openRound) return;
    node.isRound = true;
    this.mark('fixed-brackets');
  }

  /** Adds a complete scalar that ends at the cursor. */
  add(kind: NodeKind, start: number, content: NodeContent): void {
    const { frame } = this;
    // A string may continue, and a name without a value may be the item of a set.
    const isDone = kind !== 'string' && kind !== 'missing';
    if (isDone && frame !== undefined && !this.keepsNodes) this.put(frame, content.value);
    else this.complete(this.open(kind, start, content));
  }

  /** Adds a missing value. */
  addMissing(): void {
    this.mark('missing-value');
    this.add('missing', this.#cursor.position, { value: null });
  }

  /** Adds the value of a scalar without a node. */
  put(frame: ContainerFrame, value: unknown): undefined {
    this.#attach(frame, value);
    frame.valued++;
    this.last = undefined;
  }

  complete(node: Node): void {
    this.changes++;
    node.end = this.#cursor.position;
    node.complete = true;
    this.last = node;
    const { frame } = this;
    this.#listener?.completed(node, frame?.node);
    if (frame === undefined) this.root = undefined;
    else if (node.kind !== 'missing') frame.valued++;
  }

  close(): void {
    const frame = this.#leave();
    if (frame !== undefined) this.complete(frame.node);
  }

  #leave(): ContainerFrame | undefined {
    const frame = this.frames.pop();
    const { length } = this.frames;
    this.frame = length === 0 ? undefined : this.frames[length - 1];
    if (this.keepsNodes) this.path.pop();
    return frame;
  }

  /** Closes an array whose brackets only group: it becomes its single item. */
  closeGroup(): void {
    this.changes++;
    const { node } = this.#leave() as ContainerFrame;
    const [value] = node.value as unknown[];
    this.show(node, value);
    const only = node.children[0] ?? createNode(kindOf(value), node.start, { value });
    const { kind, bare, raw, children, keys } = only;
    Object.assign(node, { kind, bare, raw, children, keys });
    this.complete(node);
  }

  /** The last string was not an item of the array, but the first key of an object without its opening brace. */
  turnIntoKey(frame: ContainerFrame, node: Node): void {
    this.#takeBack(frame);
    this.mark('inserted-brackets');
    this.openContainer('object', 0);
    this.setKey(this.frame as ContainerFrame, node.value as string);
  }

  /** The last string was not an item of the array, but a key of the enclosing object: the array has ended. */
  turnIntoOuterKey(frame: ContainerFrame, node: Node): void {
    this.#takeBack(frame);
    this.mark('inserted-brackets');
    this.close();
    this.setKey(this.frame as ContainerFrame, node.value as string);
  }

  /** A string at the top level was the first key of an object without its opening brace. */
  turnRootIntoKey(node: Node): void {
    this.changes++;
    this.roots.pop();
    this.root = undefined;
    this.openContainer('object', 0, node.start);
    this.mark('inserted-brackets');
    this.setKey(this.frame as ContainerFrame, node.value as string);
  }

  #takeBack(frame: ContainerFrame): void {
    this.changes++;
    if (this.keepsNodes) frame.node.children.pop();
    (frame.node.value as unknown[]).pop();
    frame.count--;
    frame.valued--;
  }

  /** An object of names without any value is a set: `{'a', 'b'}`. */
  turnIntoArray(frame: ContainerFrame): void {
    this.changes++;
    const { node } = frame;
    const names = node.keys.splice(0);
    if (this.keepsNodes) node.children.length = 0;
    node.kind = 'array';
    this.#replace(this.frames.at(-2), node, []);
    frame.count = 0;
    this.mark('fixed-brackets');
    for (const [index, name] of names.entries()) {
      frame.index = index;
      if (frame.quotedKeys > 0) this.add('string', node.start, { value: name });
      else this.add('number', node.start, { value: Number(name), raw: name });
    }
  }

  /** Moves the items from `from` on into a nested array. */
  gather(frame: ContainerFrame, from: number): void {
    this.changes++;
    const children = this.keepsNodes ? frame.node.children.splice(from) : [];
    const items = (frame.node.value as unknown[]).splice(from);
    frame.valued -= items.length;
    frame.count = from;
    frame.index = from;
    this.mark('inserted-brackets');
    const list = this.open('array', children[0]?.start ?? this.#cursor.position, { value: items });
    for (const child of children) list.children.push(child);
    this.complete(list);
  }

  /** Updates the value of the last node. `added` is what a string has grown by; `undefined` if that is unknown. */
  show(node: Node, value: unknown, added?: string): void {
    if (added === '') return;
    node.added = added === undefined || node.added === undefined ? undefined : node.added + added;
    this.#replace(this.frame, node, value);
  }

  #replace(frame: ContainerFrame | undefined, node: Node, value: unknown): void {
    node.value = value;
    if (frame === undefined) return;
    if (frame.node.kind === 'array') (frame.node.value as unknown[])[frame.count - 1] = value;
    else setMember(frame.node.value as Record<string, unknown>, frame.key, value);
  }

  /** A quoted key has been read. */
  setKeyQuote(frame: ContainerFrame, quote: number, isDoubled: boolean): void {
    frame.quotedKeys++;
    frame.keyQuote = isDoubled ? -quote : quote;
    if (isDoubled) this.#hasDoubled = true;
  }

  setKey(frame: ContainerFrame, key: string): void {
    frame.key = key;
    frame.reading = 'child';
  }

  /** Prepares for the next item or member. Until a key is known, marks belong to the object. */
  expectChild(frame: ContainerFrame): void {
    frame.reading = frame.node.kind === 'array' ? 'child' : 'itself';
    frame.index = frame.count;
  }

  /** Adds a value to its container. An earlier member with the same name is replaced. */
  #attach(frame: ContainerFrame, value: unknown): void {
    frame.afterComma = false;
    frame.count++;
    if (frame.node.kind === 'array') {
      (frame.node.value as unknown[]).push(value);
      return;
    }
    const members = frame.node.value as Record<string, unknown>;
    if (Object.hasOwn(members, frame.key)) this.mark('duplicate-key', undefined, { field: frame.key });
    setMember(members, frame.key, value);
  }
}

function kindOf(value: unknown): NodeKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value as NodeKind;
}
