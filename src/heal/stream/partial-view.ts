// The typed value so far, while the text still comes. Kept along the path of what is open: a finished child is taken
// in once, and a new chunk touches only the open leaf and the containers above it.
// Invariants:
//   1. Strings grow; numbers, literals and enumerations show when they are complete; items show as they come.
//   2. What a rule withholds (`done`, `not-null`) is absent, never half there.
//   3. Nothing of the machine shows: an unknown member, an undecided union, a wrapper are absent.

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
import { toKeys, type ValuePath } from '../report/value-path.ts';
import type { SchemaNode } from '../schema/schema.ts';
import { absent, withState, type NodeState, type VisibleValue } from './visibility.ts';
import { copyOpen } from './snapshot.ts';
import type { Root } from '../parse/root.ts';

/** Containers deeper than this show only when they are complete, so that a push costs no more than this. */
const maxShownDepth = 200;

export class PartialView {
  readonly #machine: LenientMachine;
  readonly #schema: SchemaNode;
  #levels: ViewLevel[] = [];
  #shown: VisibleValue = absent;
  #patches: Patch[] = [];
  /** The machine's count of changes at the last update. */
  #seen = -1;
  #reviewed = 0;
  /** The root that was being read at the last update. */
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

  /** The value so far; `undefined` while there is none to show. */
  get value(): unknown {
    return this.#shown === absent ? undefined : this.#shown;
  }

  /** The value so far as it will stay, sharing with it what is finished. */
  snapshot(): unknown {
    const open = new Set<unknown>(this.#machine.openPath.map((node) => node.value));
    for (const level of this.#levels) {
      open.add(level.value);
      // An object shown as a list of one is open in it.
      if (level.node.kind === 'object' && level.branch?.kind === 'array') open.add(membersOf(level));
    }
    return copyOpen(this.value, open);
  }

  /** Brings the value to what has been read, and tells what changed. */
  update(): Patch[] {
    const growth = this.#grow();
    return growth === undefined ? this.#updateAll() : [growth];
  }

  /** Most chunks make one text longer and do nothing else: then nothing else is looked at. */
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
    // A root that is complete is told whole once more, as every finished child is.
    const isRepeated = wasOpen && this.#levels.length === 0 && this.#shown !== absent;
    const { leaf, open } = this.#machine;
    // Only the root that was shown before can have grown.
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
    // What a model only thinks is not shown, though it may be all there is in the end.
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

  /** Looks once at each root that is complete: of those that show anything, the last fenced, else the last. */
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

  /** Brings the levels to the path that is open now. */
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
    const place = parent === undefined || key === undefined ? undefined : childPath(parent, key);
    const level = createLevel(node, declared, declared.stream.state ? { parent: place, key: 'value' } : place);
    this.#levels.push(level);
    return level;
  }

  /** From the root down, as far as the value shows it. */
  #attach(): void {
    let attached = this.#shown !== absent && this.#levels.length > 0;
    for (let index = 0; index < this.#levels.length; index++) {
      const level = this.#levels[index] as ViewLevel;
      const parent = this.#levels[index - 1];
      attached &&= parent === undefined || (parent.openNode === level.node && parent.openShown !== absent);
      level.attached = attached;
    }
  }

  /** The level's value with its open child in place. */
  #showLevel(level: ViewLevel, openNode: Node | undefined, open: VisibleValue): VisibleValue {
    const { node, declared, branch } = level;
    if (branch === undefined || declared.stream.done || branch.stream.done)
      return withState(declared, absent, 'incomplete');
    if (node.kind === 'array') return withState(declared, this.#showItems(level, branch, openNode, open), 'incomplete');
    const members = this.#showMembers(level, branch, openNode, open);
    return withState(declared, members === absent || branch.kind !== 'array' ? members : level.value, 'incomplete');
  }

  /** Takes in the children that are complete now. Comes before going further down, since it settles their places. */
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
    // Complete, it turns out to be something else than what was shown of it.
    const isTakenBack = shown === absent && level.openNode === child && level.openShown !== absent;
    if (isTakenBack && name !== undefined) Reflect.deleteProperty(membersOf(level), name);
    this.#take(level, name, child, shown);
  }

  #showItems(level: ViewLevel, branch: SchemaNode, openNode: Node | undefined, open: VisibleValue): VisibleValue {
    const list = level.value as unknown[];
    // Where one is wanted the item is shown in the list's place, which the level above tells.
    const isList = branch.kind === 'array' || branch.kind === 'any';
    this.#takeOpen(level, isList ? level.settled : undefined, openNode, open);
    if (branch.kind === 'any') return level.node.value;
    list.length = level.settled;
    if (open !== absent) list.push(open);
    // One is wanted: the item that is being read, else the last.
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

  /** A child is complete: its final value replaces what was shown of it. */
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
    // An item that turned out to be none was shown where the next one goes.
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

  #addPatch(place: ValuePath | undefined, change: ValueChange, state: NodeState): void {
    const patch = patchOf(place, change, state);
    if (patch !== undefined) this.#patches.push(patch);
  }
}
