// Builds the tree while the machine reads: what is open, where the next node goes, what was changed on the way.
// Knows nothing of text but positions.

import { code } from './character.ts';
import type { Cursor } from './cursor.ts';
import { HealError } from './error.ts';
import type { Flag, FlagKind } from './flag.ts';
import { setMember, type Node, type NodeKind } from './node.ts';
import type { Path } from './path.ts';

/** What a schema can tell about a place. */
export interface Expectation {
  /** Whether the object here has this field; nothing when any name will do. */
  knows(key: string): boolean | undefined;
  member(key: string): Expectation | undefined;
  item(): Expectation | undefined;
  /** A text is wanted, and nothing else. */
  readonly wantsText: boolean;
  readonly wantsArray: boolean;
  readonly wantsObject: boolean;
}

/** A change, with the stretch of text it concerns. */
export interface Mark extends Omit<Flag, 'path'> {
  readonly path: Path | undefined;
  readonly start: number;
  readonly end: number;
}

/** A value found in the text. */
export interface Root {
  readonly node: Node;
  readonly fenced: boolean;
  /** How many `</think>` stood before it. */
  readonly afterThink: number;
  readonly marks: Mark[];
}

/** Told of every node when it begins and when it is complete, parents around children. */
export interface NodeListener {
  opened(node: Node, parent: Node | undefined): void;
  completed(node: Node, parent: Node | undefined): void;
}

/** A container that is open. */
export interface Frame {
  readonly node: Node;
  readonly expect: Expectation | undefined;
  /** The bracket that opened it; 0 when there was none. */
  open: number;
  /** The nearest object and array in the stack, itself included, round brackets left out; -1 for none. */
  readonly nearest: Readonly<Record<'object' | 'array', number>>;
  key: string;
  path: Path | undefined;
  /** Whether a comma stands before what comes now. */
  afterComma: boolean;
  /** Whether one stood before its first child. */
  leadingComma: boolean;
  quotedKeys: number;
  /** The quote its last key began with. */
  keyQuote: number;
  /** How many of its members have a value, and how many a colon. */
  valued: number;
  colons: number;
}

export class Tree {
  readonly roots: Root[] = [];
  readonly frames: Frame[] = [];
  /** The containers of the frames. */
  readonly path: Node[] = [];
  /** The value being read, if any. */
  root: Root | undefined;
  /** The node completed last. */
  last: Node | undefined;
  readonly #cursor: Cursor;
  /** What was changed before the value it belongs to began. */
  readonly #pending: Mark[] = [];
  readonly #expect: Expectation | undefined;
  readonly #listener: NodeListener | undefined;
  readonly #maxDepth: number;
  readonly #surroundings: () => Pick<Root, 'fenced' | 'afterThink'>;

  constructor(options: {
    readonly cursor: Cursor;
    readonly expect: Expectation | undefined;
    readonly listener: NodeListener | undefined;
    readonly maxDepth: number;
    readonly surroundings: () => Pick<Root, 'fenced' | 'afterThink'>;
  }) {
    this.#cursor = options.cursor;
    this.#expect = options.expect;
    this.#listener = options.listener;
    this.#maxDepth = options.maxDepth;
    this.#surroundings = options.surroundings;
  }

  get frame(): Frame | undefined {
    return this.frames.at(-1);
  }

  mark(kind: FlagKind, detail: Partial<Mark> = {}): void {
    const start = this.#cursor.position;
    const marks = this.root?.marks ?? this.#pending;
    marks.push({ kind, path: this.frame?.path, start, end: start, ...detail });
  }

  /** Adds a node that begins here, still open. */
  open(kind: NodeKind, start: number, extra: Partial<Node> = {}): Node {
    const parent = this.frame;
    const node: Node = {
      kind,
      path: parent?.path,
      start,
      end: start,
      complete: false,
      value: undefined,
      bare: false,
      raw: '',
      children: [],
      keys: [],
      slot: undefined,
      ...extra,
    };
    if (parent === undefined) {
      this.root = { node, ...this.#surroundings(), marks: this.#pending.splice(0) };
      this.roots.push(this.root);
    } else this.#attach(parent, node);
    this.#listener?.opened(node, parent?.node);
    return node;
  }

  openContainer(kind: 'object' | 'array', open: number, start = this.#cursor.position): void {
    const parent = this.frame;
    const expect = parent === undefined ? this.#expect : expectationOf(parent);
    const node = this.open(kind, start, { value: kind === 'object' ? {} : [] });
    const nearest = { object: -1, array: -1, ...parent?.nearest };
    if (open !== code.openRound) nearest[kind] = this.frames.length;
    this.path.push(node);
    if (this.frames.length >= this.#maxDepth)
      throw new HealError('too-deep', `the value is nested more than ${this.#maxDepth} deep`);
    this.frames.push({
      node,
      expect,
      open,
      nearest,
      key: '',
      path: node.path,
      afterComma: false,
      leadingComma: false,
      quotedKeys: 0,
      keyQuote: 0,
      valued: 0,
      colons: 0,
    });
    if (open === code.openRound) this.mark('fixed-brackets');
  }

  add(kind: NodeKind, start: number, extra: Partial<Node>): void {
    this.complete(this.open(kind, start, extra));
  }

  complete(node: Node): void {
    node.end = this.#cursor.position;
    node.complete = true;
    this.last = node;
    const { frame } = this;
    this.#listener?.completed(node, frame?.node);
    if (frame === undefined) this.root = undefined;
    else if (node.kind !== 'missing') frame.valued++;
  }

  close(): void {
    const frame = this.frames.pop();
    this.path.pop();
    if (frame !== undefined) this.complete(frame.node);
  }

  /** Closes a list whose brackets only group: it is its one item. */
  closeGroup(): void {
    const { node } = this.frames.pop() as Frame;
    this.path.pop();
    const only = node.children[0] as Node;
    this.show(node, only.value);
    const { kind, bare, raw, children, keys } = only;
    Object.assign(node, { kind, bare, raw, children, keys });
    this.complete(node);
  }

  /** The string completed last was no item of the list, but the first key of an object without its bracket. */
  turnIntoKey(frame: Frame, node: Node): void {
    this.#takeBack(frame);
    this.mark('inserted-brackets');
    this.openContainer('object', 0);
    this.setKey(this.frame as Frame, node.value as string);
  }

  /** The string completed last was no item of the list, but a key of the object around it, and the list has ended. */
  turnIntoOuterKey(frame: Frame, node: Node): void {
    this.#takeBack(frame);
    this.mark('inserted-brackets');
    this.close();
    this.setKey(this.frame as Frame, node.value as string);
  }

  /** A string at the top level was the first key of an object without its bracket. */
  turnRootIntoKey(node: Node): void {
    this.roots.pop();
    this.root = undefined;
    this.openContainer('object', 0, node.start);
    this.mark('inserted-brackets');
    this.setKey(this.frame as Frame, node.value as string);
  }

  #takeBack(frame: Frame): void {
    frame.node.children.pop();
    (frame.node.value as unknown[]).pop();
    frame.valued--;
  }

  /** An object of names without a single value is a set: `{'a', 'b'}`. */
  turnIntoList(frame: Frame): void {
    const { node } = frame;
    const names = node.keys.splice(0);
    node.children.length = 0;
    node.kind = 'array';
    this.#replace(this.frames.at(-2), node, []);
    this.mark('fixed-brackets');
    for (const [index, name] of names.entries()) {
      frame.path = { parent: node.path, key: index };
      if (frame.quotedKeys > 0) this.add('string', node.start, { value: name });
      else this.add('number', node.start, { value: Number(name), bare: true, raw: name });
    }
  }

  /** The items from this one on are those of a list in the list. */
  gather(frame: Frame, from: number): void {
    const children = frame.node.children.splice(from);
    const value = (frame.node.value as unknown[]).splice(from);
    frame.valued -= children.length;
    frame.path = { parent: frame.node.path, key: from };
    this.mark('inserted-brackets');
    this.complete(this.open('array', children[0]?.start ?? this.#cursor.position, { value, children }));
  }

  /** The node, the last one of its container, has another value: the text of a string has grown. */
  show(node: Node, value: unknown): void {
    if (node.value !== value) this.#replace(this.frame, node, value);
  }

  #replace(frame: Frame | undefined, node: Node, value: unknown): void {
    node.value = value;
    if (frame === undefined) return;
    if (frame.node.kind === 'array') (frame.node.value as unknown[])[frame.node.children.length - 1] = value;
    else setMember(frame.node.value as Record<string, unknown>, frame.key, value);
  }

  setKey(frame: Frame, key: string): void {
    frame.key = key;
    frame.path = { parent: frame.node.path, key };
  }

  /** The next item, or a member whose key is not known yet: what is marked before it is the object's. */
  expectChild(frame: Frame): void {
    const { kind, path, children } = frame.node;
    frame.path = kind === 'array' ? { parent: path, key: children.length } : path;
  }

  /** Puts a node into its container. An earlier member of the same name is replaced. */
  #attach(frame: Frame, node: Node): void {
    const { children, keys, value } = frame.node;
    frame.afterComma = false;
    if (frame.node.kind === 'array') (value as unknown[]).push(node.value);
    else {
      if (Object.hasOwn(value as object, frame.key)) this.mark('duplicate-key', { field: frame.key });
      keys.push(frame.key);
      setMember(value as Record<string, unknown>, frame.key, node.value);
    }
    children.push(node);
  }
}

function expectationOf(frame: Frame): Expectation | undefined {
  return frame.node.kind === 'object' ? frame.expect?.member(frame.key) : frame.expect?.item();
}
