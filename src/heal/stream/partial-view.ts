// The partial value while the text arrives. It is maintained along the open path: a completed child is added once, and
// a new chunk touches only the open leaf and the containers above it.
// Invariants:
//   1. Strings grow. Numbers, literals and enums appear when they are complete. Array items appear as they arrive.
//   2. A value withheld by a rule (`done`, `not-null`) is absent, never partly there.
//   3. Unknown members, undecided unions and wrappers are absent.

import type { PathKey } from '../report/flag.ts';
import {
  createLevel,
  chooseBranch,
  openChildSchema,
  isWithheld,
  itemSchema,
  openChildKey,
  memberKey,
  membersOf,
  childPath,
  putMember,
  putOpen,
  reset,
  type ViewLevel,
} from './view-level.ts';
import type { LenientMachine } from '../parse/machine.ts';
import { completeView, includeMember, scalarView } from './node-view.ts';
import type { Node } from '../parse/node.ts';
import { patchOf, type ValueChange, type Patch } from './patch.ts';
import { toKeys, type LinkedPath } from '../report/linked-path.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { absent, withState, type NodeState, type VisibleValue } from './visibility.ts';
import { copyOpen } from './snapshot.ts';
import type { Root } from '../parse/root.ts';

/** Deeper containers appear only when they are complete. This bounds the cost of a push. */
const maxShownDepth = 200;

export class PartialView {
  readonly #machine: LenientMachine;
  readonly #schema: SchemaNode;
  #levels: ViewLevel[] = [];
  #shown: VisibleValue = absent;
  #patches: Patch[] = [];
  /** The machine's change count at the last update. */
  #seen = -1;
  #reviewed = 0;
  /** The open root at the last update. */
  #root: Node | undefined;
  #best: { readonly shown: VisibleValue; readonly fenced: boolean; readonly thinkCount: number } = {
    shown: absent,
    fenced: false,
    thinkCount: 0,
  };

  constructor(machine: LenientMachine, schema: SchemaNode) {
    this.#machine = machine;
    this.#schema = schema;
  }

  /** The partial value; `undefined` if nothing is visible yet. */
  get value(): unknown {
    return this.#shown === absent ? undefined : this.#shown;
  }

  /** A copy that later updates do not change. It shares completed parts with the partial value. */
  snapshot(): unknown {
    const open = new Set<unknown>(this.#machine.openPath.map((node) => node.value));
    for (const level of this.#levels) {
      open.add(level.value);
      // If an object is shown as an array of one, the object inside is open as well.
      if (level.node.kind === 'object' && level.branch?.kind === 'array') open.add(membersOf(level));
    }
    return copyOpen(this.value, open);
  }

  /** Updates the value to the text read so far and returns the changes. */
  update(): Patch[] {
    const growth = this.#grow();
    return growth === undefined ? this.#updateAll() : [growth];
  }

  /** Fast path for most chunks, which only extend one string. */
  #grow(): Patch | undefined {
    const { changes, leaf } = this.#machine;
    const level = this.#levels.at(-1);
    if (changes !== this.#seen || !leaf?.added || level?.openNode !== leaf || !level.attached) return undefined;
    if (typeof level.openShown !== 'string') return undefined;
    const { added: value } = leaf;
    leaf.added = '';
    level.openShown = leaf.value;
    putOpen(level, leaf.value);
    return { path: toKeys(childPath(level, level.openKey)), op: 'append', value, state: 'incomplete' };
  }

  #updateAll(): Patch[] {
    this.#seen = this.#machine.changes;
    const before = this.#shown;
    const wasOpen = this.#levels.length > 0;
    this.#patches = [];
    this.#shown = this.#compute();
    const state = this.#machine.open === undefined ? 'complete' : 'incomplete';
    // A root that has just been completed is reported once more in full, as every completed child is.
    const isRepeated = wasOpen && this.#levels.length === 0 && this.#shown !== absent;
    const { leaf, open } = this.#machine;
    // Only a root that was visible before can have grown.
    const node = open?.node === this.#root ? open?.node : undefined;
    this.#root = open?.node;
    this.#addPatch(undefined, { before: isRepeated ? absent : before, now: this.#shown, node }, state);
    if (leaf !== undefined) leaf.added = '';
    this.#attach();
    return this.#patches;
  }

  #compute(): VisibleValue {
    this.#review();
    const { open, prose } = this.#machine;
    // Values in the model's thinking are not shown, although one may be chosen in the end.
    if (prose.thinking) {
      this.#levels = [];
      return absent;
    }
    if (open === undefined || (this.#best.fenced && !open.fenced)) {
      this.#levels = [];
      return this.#best.shown;
    }
    const shown = this.#openView(open);
    return shown === absent ? this.#best.shown : shown;
  }

  /** Examines each completed root once. The last fenced one that shows anything wins, otherwise the last one. */
  #review(): void {
    const { roots, prose } = this.#machine;
    const { thinkCount } = prose;
    if (thinkCount !== this.#best.thinkCount) this.#best = { shown: absent, fenced: false, thinkCount };
    for (; this.#reviewed < roots.length && roots[this.#reviewed]?.node.complete; this.#reviewed++) {
      const root = roots[this.#reviewed] as Root;
      const shown = root.thinkCount === thinkCount ? completeView(root.node, this.#schema) : absent;
      if (shown !== absent && (root.fenced || !this.#best.fenced))
        this.#best = { shown, fenced: root.fenced, thinkCount };
    }
  }

  #openView(root: Root): VisibleValue {
    const path = this.#machine.openPath;
    if (path.length === 0) return scalarView(root.node, this.#schema);
    this.#sync(path);
    let [node, shown]: [Node | undefined, VisibleValue] = this.#leafView(path.length);
    for (let index = this.#levels.length - 1; index >= 0; index--) {
      const level = this.#levels[index] as ViewLevel;
      shown = this.#showLevel(level, node, shown);
      node = level.node;
    }
    return shown;
  }

  /** The scalar being read in the innermost container. */
  #leafView(depth: number): [Node | undefined, VisibleValue] {
    const { leaf } = this.#machine;
    const bottom = this.#levels.at(-1);
    if (leaf === undefined || bottom === undefined || leaf === bottom.node || this.#levels.length < depth)
      return [leaf, absent];
    const declared = openChildSchema(bottom);
    return [leaf, declared === undefined ? absent : scalarView(leaf, declared)];
  }

  /** Updates the levels to the current open path. */
  #sync(path: readonly Node[]): void {
    let same = 0;
    while (same < this.#levels.length && this.#levels[same]?.node === path[same]) same++;
    this.#levels.length = same;
    for (let index = 0; index < Math.min(path.length, maxShownDepth); index++) {
      const level = this.#levels[index] ?? this.#descend(path[index] as Node, this.#levels[index - 1]);
      if (level === undefined) return;
      if (chooseBranch(level)) this.#levels.length = index + 1;
      this.#include(level);
    }
  }

  #descend(node: Node, parent: ViewLevel | undefined): ViewLevel | undefined {
    const declared = parent === undefined ? this.#schema : openChildSchema(parent);
    if (declared === undefined) return undefined;
    const key = parent === undefined ? undefined : openChildKey(parent);
    const path = parent === undefined || key === undefined ? undefined : childPath(parent, key);
    const level = createLevel(node, declared, declared.stream.state ? { parent: path, key: 'value' } : path);
    this.#levels.push(level);
    return level;
  }

  /** Marks the levels that are part of the visible value. */
  #attach(): void {
    let attached = this.#shown !== absent && this.#levels.length > 0;
    for (let index = 0; index < this.#levels.length; index++) {
      const level = this.#levels[index] as ViewLevel;
      const parent = this.#levels[index - 1];
      attached &&= parent === undefined || (parent.openNode === level.node && parent.openShown !== absent);
      level.attached = attached;
    }
  }

  /** The level's value, including its open child. */
  #showLevel(level: ViewLevel, openNode: Node | undefined, open: VisibleValue): VisibleValue {
    const { node, declared, branch } = level;
    if (branch === undefined || declared.stream.done || branch.stream.done)
      return withState(declared, absent, 'incomplete');
    if (node.kind === 'array') return withState(declared, this.#showItems(level, branch, openNode, open), 'incomplete');
    const members = this.#showMembers(level, branch, openNode, open);
    return withState(declared, members === absent || branch.kind !== 'array' ? members : level.value, 'incomplete');
  }

  /** Adds newly completed children. Runs before deeper levels are updated, because it fixes their position. */
  #include(level: ViewLevel): void {
    const { node, branch } = level;
    if (branch === undefined) return;
    // An item may turn out to be the first key of an object.
    if (level.includedLast !== node.children[level.included - 1]) reset(level, branch);
    for (; level.included < node.children.length; level.included++) {
      const child = node.children[level.included] as Node;
      if (!child.complete) return;
      if (node.kind === 'array') this.#includeItem(level, branch, child);
      else this.#includeMember(level, branch, child);
      level.includedLast = child;
    }
  }

  #includeItem(level: ViewLevel, branch: SchemaNode, child: Node): void {
    if (branch.kind === 'any') {
      this.#take(level, level.included, child, child.value);
      level.settled = level.included + 1;
      return;
    }
    const list = level.value as unknown[];
    list.length = level.settled;
    const shown = completeView(child, itemSchema(branch, level.included));
    this.#take(level, branch.kind === 'array' ? level.settled : undefined, child, shown);
    if (shown !== absent) list.push(shown);
    level.settled = list.length;
  }

  #includeMember(level: ViewLevel, branch: SchemaNode, child: Node): void {
    const key = level.node.keys[level.included] ?? '';
    const shown = branch.kind === 'any' ? child.value : includeMember(level, key, child);
    const name = memberKey(level, key);
    // Once complete, the child no longer matches what was shown of it.
    const isTakenBack = shown === absent && level.openNode === child && level.openShown !== absent;
    if (isTakenBack && name !== undefined) Reflect.deleteProperty(membersOf(level), name);
    this.#take(level, name, child, shown);
  }

  #showItems(level: ViewLevel, branch: SchemaNode, openNode: Node | undefined, open: VisibleValue): VisibleValue {
    const list = level.value as unknown[];
    // If a single value is wanted, the item replaces the array, and the level above reports it.
    const showsArray = branch.kind === 'array' || branch.kind === 'any';
    this.#takeOpen(level, showsArray ? level.settled : undefined, openNode, open);
    if (branch.kind === 'any') return level.node.value;
    list.length = level.settled;
    if (open !== absent) list.push(open);
    // If a single value is wanted: the open item, otherwise the last.
    return branch.kind === 'array' ? list : (list.at(-1) ?? absent);
  }

  #showMembers(level: ViewLevel, branch: SchemaNode, openNode: Node | undefined, open: VisibleValue): VisibleValue {
    const { node } = level;
    if (level.included < node.children.length) {
      const key = node.keys[level.included] ?? '';
      if (branch.kind !== 'any') putMember(level, key, open);
      this.#takeOpen(level, memberKey(level, key), openNode, open);
    }
    if (branch.kind === 'any') return node.value;
    return isWithheld(level) ? absent : membersOf(level);
  }

  /** A completed child replaces what was shown of it while it was open. */
  #take(level: ViewLevel, key: PathKey | undefined, child: Node, shown: VisibleValue): void {
    const before = level.openNode === child ? level.openShown : absent;
    if (level.openNode === child) level.openShown = absent;
    if (!level.attached || key === undefined || (shown === absent && before === absent)) return;
    const path = toKeys(childPath(level, key));
    if (shown === absent) this.#patches.push({ path, op: 'remove', state: 'complete' });
    else this.#patches.push({ path, op: 'set', value: shown, state: 'complete' });
  }

  #takeOpen(level: ViewLevel, key: PathKey | undefined, node: Node | undefined, shown: VisibleValue): void {
    const isSame = level.openNode === node;
    // A discarded item was shown at the index of the next one.
    const isThere = (isSame || level.node.kind === 'array') && level.openKey === key;
    const before = isThere ? level.openShown : absent;
    level.openNode = node;
    level.openShown = shown;
    level.openKey = key ?? '';
    if (level.attached && key !== undefined) {
      const change = { before, now: shown, node: isSame ? node : undefined };
      this.#addPatch(childPath(level, key), change, 'incomplete');
    }
  }

  #addPatch(location: LinkedPath | undefined, change: ValueChange, state: NodeState): void {
    const patch = patchOf(location, change, state);
    if (patch !== undefined) this.#patches.push(patch);
  }
}
