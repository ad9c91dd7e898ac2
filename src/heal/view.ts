// The typed value so far, while the text still comes. Kept along the path of what is open: a finished child is taken
// in once, and a new chunk touches only the open leaf and the containers above it.
// Invariants:
//   1. Strings grow; numbers, literals and enumerations show when they are complete; items show as they come.
//   2. What a rule withholds (`done`, `not-null`) is absent, never half there.
//   3. Nothing of the machine shows: an unknown member, an undecided union, a wrapper are absent.

import { fieldOf } from './candidate.ts';
import { armsOf, type Measured } from './coerce.ts';
import type { PathKey } from './flag.ts';
import type { LenientMachine } from './machine.ts';
import type { Root } from './tree.ts';
import { setMember, type Node } from './node.ts';
import { toKeys, type Path } from './path.ts';
import { copyOpen } from './snapshot.ts';
import type { Field, ObjectSchema, SchemaNode } from './schema.ts';

export type NodeState = 'pending' | 'incomplete' | 'complete';

/**
 * One change of the value so far. `set` puts a value at the path, `append` adds to the text there, `remove` takes
 * back what is there. Applied in order to a copy of the value before, they give the value now.
 */
export interface Patch {
  readonly path: readonly PathKey[];
  readonly op: 'set' | 'append' | 'remove';
  readonly value?: unknown;
  readonly state: NodeState;
}

/** A place with a `with-state` rule. */
export interface WithState {
  readonly value: unknown;
  readonly state: NodeState;
}

/** An open container on the path, and what it is so far. */
interface Level {
  readonly node: Node;
  readonly declared: SchemaNode;
  readonly path: Path | undefined;
  /** The arm it is read as; nothing while that is undecided. */
  arm: SchemaNode | undefined;
  value: unknown;
  /** How many children are in `value` for good. */
  included: number;
  includedLast: Node | undefined;
  /** How many items `value` has without the open one. */
  settled: number;
  readonly scores: Map<SchemaNode, Score>;
  /** It was part of the value after the last update, so that changes inside it are to be told. */
  attached: boolean;
  /** The open child as it was last shown, and where. */
  openNode: Node | undefined;
  openShown: Shown;
  openKey: PathKey;
}

interface Change {
  readonly before: Shown;
  readonly now: Shown;
  /** What it is shown of. */
  readonly node: Node | undefined;
}

interface Score {
  points: number;
  seen: number;
}

/** Containers deeper than this show only when they are complete, so that a push costs no more than this. */
const deepest = 200;

const absent = Symbol('absent');
type Shown = unknown;

export class View {
  readonly #machine: LenientMachine;
  readonly #schema: SchemaNode;
  #levels: Level[] = [];
  #shown: Shown = absent;
  #patches: Patch[] = [];
  #reviewed = 0;
  /** The root that was being read at the last update. */
  #root: Node | undefined;
  #best: { readonly shown: Shown; readonly fenced: boolean; readonly thinks: number } = {
    shown: absent,
    fenced: false,
    thinks: 0,
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
      if (level.node.kind === 'object' && level.arm?.kind === 'array') open.add(membersOf(level));
    }
    return copyOpen(this.value, open);
  }

  /** Brings the value to what has been read, and tells what changed. */
  update(): Patch[] {
    const before = this.#shown;
    const wasOpen = this.#levels.length > 0;
    this.#patches = [];
    this.#shown = this.#compute();
    const state = this.#machine.open === undefined ? 'complete' : 'incomplete';
    // A root that is complete is told whole once more, as every finished child is.
    const isToldAnew = wasOpen && this.#levels.length === 0 && this.#shown !== absent;
    const { leaf, open } = this.#machine;
    // Only the root that was shown before can have grown.
    const node = open?.node === this.#root ? open?.node : undefined;
    this.#root = open?.node;
    this.#tell(undefined, { before: isToldAnew ? absent : before, now: this.#shown, node }, state);
    if (leaf !== undefined) leaf.added = '';
    this.#attach();
    return this.#patches;
  }

  #compute(): Shown {
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
    const { thinks } = prose;
    if (thinks !== this.#best.thinks) this.#best = { shown: absent, fenced: false, thinks };
    for (; this.#reviewed < roots.length && roots[this.#reviewed]?.node.complete; this.#reviewed++) {
      const root = roots[this.#reviewed] as Root;
      const shown = root.afterThink === thinks ? completeView(root.node, this.#schema) : absent;
      if (shown !== absent && (root.fenced || !this.#best.fenced)) this.#best = { shown, fenced: root.fenced, thinks };
    }
  }

  #openView(root: Root): Shown {
    const path = this.#machine.openPath;
    if (path.length === 0) return scalarView(root.node, this.#schema);
    this.#sync(path);
    let [node, shown]: [Node | undefined, Shown] = this.#leafView(path.length);
    for (let index = this.#levels.length - 1; index >= 0; index--) {
      const level = this.#levels[index] as Level;
      shown = this.#showLevel(level, node, shown);
      node = level.node;
    }
    return shown;
  }

  /** The scalar being read in the innermost container. */
  #leafView(depth: number): [Node | undefined, Shown] {
    const { leaf } = this.#machine;
    const bottom = this.#levels.at(-1);
    if (leaf === undefined || bottom === undefined || leaf === bottom.node || this.#levels.length < depth)
      return [leaf, absent];
    const declared = hostOf(bottom);
    return [leaf, declared === undefined ? absent : scalarView(leaf, declared)];
  }

  /** Brings the levels to the path that is open now. */
  #sync(path: readonly Node[]): void {
    let same = 0;
    while (same < this.#levels.length && this.#levels[same]?.node === path[same]) same++;
    this.#levels.length = same;
    for (let index = 0; index < Math.min(path.length, deepest); index++) {
      const level = this.#levels[index] ?? this.#descend(path[index] as Node, this.#levels[index - 1]);
      if (level === undefined) return;
      if (decideArm(level)) this.#levels.length = index + 1;
      this.#include(level);
    }
  }

  #descend(node: Node, parent: Level | undefined): Level | undefined {
    const declared = parent === undefined ? this.#schema : hostOf(parent);
    if (declared === undefined) return undefined;
    const key = parent === undefined ? undefined : keyOf(parent);
    const place = parent === undefined || key === undefined ? undefined : placeIn(parent, key);
    const level = createLevel(node, declared, declared.stream.state ? { parent: place, key: 'value' } : place);
    this.#levels.push(level);
    return level;
  }

  /** From the root down, as far as the value shows it. */
  #attach(): void {
    let attached = this.#shown !== absent && this.#levels.length > 0;
    for (const [index, level] of this.#levels.entries()) {
      const parent = this.#levels[index - 1];
      attached &&= parent === undefined || (parent.openNode === level.node && parent.openShown !== absent);
      level.attached = attached;
    }
  }

  /** The level's value with its open child in place. */
  #showLevel(level: Level, openNode: Node | undefined, open: Shown): Shown {
    const { node, declared, arm } = level;
    if (arm === undefined || declared.stream.done || arm.stream.done) return rule(declared, absent, 'incomplete');
    if (node.kind === 'array') return rule(declared, this.#showItems(level, arm, openNode, open), 'incomplete');
    const members = this.#showMembers(level, arm, openNode, open);
    return rule(declared, members === absent || arm.kind !== 'array' ? members : level.value, 'incomplete');
  }

  /** Takes in the children that are complete now. Comes before going further down, since it settles their places. */
  #include(level: Level): void {
    const { node, arm } = level;
    if (arm === undefined) return;
    // An item may turn out to be the first key of an object.
    if (level.includedLast !== node.children[level.included - 1]) reset(level, arm);
    for (; level.included < node.children.length; level.included++) {
      const child = node.children[level.included] as Node;
      if (!child.complete) return;
      if (node.kind === 'array') this.#includeItem(level, arm, child);
      else this.#includeMember(level, arm, child);
      level.includedLast = child;
    }
  }

  #includeItem(level: Level, arm: SchemaNode, child: Node): void {
    if (arm.kind === 'any') {
      this.#take(level, level.included, child, child.value);
      level.settled = level.included + 1;
      return;
    }
    const list = level.value as unknown[];
    list.length = level.settled;
    const shown = completeView(child, itemSchema(arm, level.included));
    this.#take(level, arm.kind === 'array' ? level.settled : undefined, child, shown);
    if (shown !== absent) list.push(shown);
    level.settled = list.length;
  }

  #includeMember(level: Level, arm: SchemaNode, child: Node): void {
    const key = level.node.keys[level.included] ?? '';
    const shown = arm.kind === 'any' ? child.value : placeMember(level, key, child);
    const name = memberKey(level, key);
    // Complete, it turns out to be something else than what was shown of it.
    const isTakenBack = shown === absent && level.openNode === child && level.openShown !== absent;
    if (isTakenBack && name !== undefined) Reflect.deleteProperty(membersOf(level), name);
    this.#take(level, name, child, shown);
  }

  #showItems(level: Level, arm: SchemaNode, openNode: Node | undefined, open: Shown): Shown {
    const list = level.value as unknown[];
    // Where one is wanted the item is shown in the list's place, which the level above tells.
    const isList = arm.kind === 'array' || arm.kind === 'any';
    this.#takeOpen(level, isList ? level.settled : undefined, openNode, open);
    if (arm.kind === 'any') return level.node.value;
    list.length = level.settled;
    if (open !== absent) list.push(open);
    // One is wanted: the item that is being read, else the last.
    return arm.kind === 'array' ? list : (list.at(-1) ?? absent);
  }

  #showMembers(level: Level, arm: SchemaNode, openNode: Node | undefined, open: Shown): Shown {
    const { node } = level;
    if (level.included < node.children.length) {
      const key = node.keys[level.included] ?? '';
      if (arm.kind !== 'any') putMember(level, key, open);
      this.#takeOpen(level, memberKey(level, key), openNode, open);
    }
    if (arm.kind === 'any') return node.value;
    return isWithheld(level) ? absent : membersOf(level);
  }

  /** A child is complete: its final value replaces what was shown of it. */
  #take(level: Level, key: PathKey | undefined, child: Node, shown: Shown): void {
    const before = level.openNode === child ? level.openShown : absent;
    if (level.openNode === child) level.openShown = absent;
    if (!level.attached || key === undefined || (shown === absent && before === absent)) return;
    const path = toKeys(placeIn(level, key));
    if (shown === absent) this.#patches.push({ path, op: 'remove', state: 'complete' });
    else this.#patches.push({ path, op: 'set', value: shown, state: 'complete' });
  }

  #takeOpen(level: Level, key: PathKey | undefined, node: Node | undefined, shown: Shown): void {
    const before = level.openNode === node && level.openKey === key ? level.openShown : absent;
    level.openNode = node;
    level.openShown = shown;
    level.openKey = key ?? '';
    if (level.attached && key !== undefined)
      this.#tell(placeIn(level, key), { before, now: shown, node }, 'incomplete');
  }

  #tell(place: Path | undefined, { before, now, node }: Change, state: NodeState): void {
    if (before === now) return;
    const path = toKeys(place);
    const added = node?.added;
    if (now === absent) this.#patches.push({ path, op: 'remove', state });
    else if (added !== undefined && added !== '' && hasGrown(before, now, added)) {
      this.#patches.push({ path, op: 'append', value: added, state });
    } else this.#patches.push({ path, op: 'set', value: now, state });
  }
}

/** By their lengths: looking into a text that grows would copy it each time. */
function hasGrown(before: Shown, now: Shown, added: string): boolean {
  return typeof before === 'string' && typeof now === 'string' && before.length + added.length === now.length;
}

function createLevel(node: Node, declared: SchemaNode, path: Path | undefined): Level {
  return {
    node,
    declared,
    path,
    arm: undefined,
    value: undefined,
    included: 0,
    includedLast: undefined,
    settled: 0,
    scores: new Map(),
    attached: false,
    openNode: undefined,
    openShown: absent,
    openKey: '',
  };
}

function itemSchema(arm: SchemaNode, index: number): SchemaNode {
  return arm.kind === 'array' ? (arm.prefix[index] ?? arm.items) : arm;
}

/** Where a child is in the value. The members of an object shown as a list of one are those of its first item. */
function placeIn({ node, arm, path }: Level, key: PathKey): Path {
  const isItem = node.kind === 'object' && arm?.kind === 'array';
  return { parent: isItem ? { parent: path, key: 0 } : path, key };
}

/** The key the open child has in the value. */
function keyOf(level: Level): PathKey | undefined {
  if (level.node.kind === 'array')
    return level.arm?.kind === 'array' || level.arm?.kind === 'any' ? level.settled : undefined;
  return memberKey(level, level.node.keys.at(-1) ?? '');
}

function memberKey(level: Level, key: string): PathKey | undefined {
  if (level.arm?.kind === 'any') return key;
  const schema = objectOf(level.arm);
  if (schema === undefined) return undefined;
  return fieldOf(schema, key)?.name ?? (schema.rest === undefined ? undefined : key);
}

/** What the members of an object go by: the arm, or the items of a list it is the only item of. */
function objectOf(arm: SchemaNode | undefined): ObjectSchema | undefined {
  if (arm?.kind === 'array') return objectArm(arm.items);
  return arm?.kind === 'object' ? arm : undefined;
}

function membersOf(level: Level): Record<string, unknown> {
  return (level.arm?.kind === 'array' ? (level.value as unknown[])[0] : level.value) as Record<string, unknown>;
}

/** The schema of the child that is being read. */
function hostOf({ node, arm }: Level): SchemaNode | undefined {
  if (arm === undefined) return undefined;
  if (arm.kind === 'any') return arm;
  if (node.kind === 'array') {
    return arm.kind === 'array' ? (arm.prefix[node.children.length - 1] ?? arm.items) : arm;
  }
  const object = objectOf(arm);
  if (object === undefined) return undefined;
  return fieldOf(object, node.keys.at(-1) ?? '')?.schema ?? object.rest;
}

function objectArm(schema: SchemaNode): ObjectSchema | undefined {
  const arms = armsOf(schema).filter((arm) => arm.kind === 'object');
  return arms.length === 1 ? arms[0] : undefined;
}

/** Chooses the arm that fits best so far. True when it changed. */
function decideArm(level: Level): boolean {
  const best = bestArm(level);
  if (best === level.arm) return false;
  level.arm = best;
  reset(level, best);
  return true;
}

/** Begins the level's value anew. */
function reset(level: Level, arm: SchemaNode | undefined): void {
  level.included = 0;
  level.includedLast = undefined;
  level.settled = 0;
  level.attached = false;
  level.openNode = undefined;
  level.value = arm === undefined ? undefined : emptyValue(level, arm);
}

/** An object where a list is wanted is shown as a list of one. */
function emptyValue({ node }: Level, arm: SchemaNode): unknown {
  if (node.kind === 'array') return [];
  const schema = objectOf(arm);
  const members: Record<string, unknown> = {};
  if (schema !== undefined) fillPending(schema, members);
  return arm.kind === 'array' ? [members] : members;
}

function bestArm(level: Level): SchemaNode | undefined {
  const arms = armsOf(level.declared).filter((arm) => canHold(arm, level.node));
  if (arms.length <= 1 || level.node.kind === 'array') return arms[0];
  let best: SchemaNode | undefined;
  let most = 0;
  for (const arm of arms) {
    const points = scoreOf(level, arm);
    if (points > most) [best, most] = [arm, points];
  }
  return best;
}

function canHold(arm: SchemaNode, node: Node): boolean {
  if (arm.kind === 'any') return true;
  if (node.kind === 'array') return arm.kind === 'array' || arm.kind === 'object';
  return arm.kind === 'object' || (arm.kind === 'array' && objectArm(arm.items) !== undefined);
}

/** Fields that fit speak for an arm; a value that cannot be the field's, and unknown keys, against it. */
function scoreOf(level: Level, arm: SchemaNode): number {
  const object = objectOf(arm);
  if (object === undefined) return 0.1;
  const score = level.scores.get(arm) ?? { points: 0, seen: 0 };
  level.scores.set(arm, score);
  const { children, keys } = level.node;
  for (; score.seen < children.length && children[score.seen]?.complete; score.seen++) {
    score.points += pointsOf(object, keys[score.seen] ?? '', children[score.seen] as Node);
  }
  const open = score.seen < children.length ? fieldOf(object, keys[score.seen] ?? '') : undefined;
  return score.points + (open === undefined ? 0 : 0.5);
}

function pointsOf(schema: ObjectSchema, key: string, child: Node): number {
  const field = fieldOf(schema, key);
  if (field === undefined) return schema.rest === undefined ? -0.5 : 0;
  if (resultOf(child, field.schema) !== undefined) return field.schema.kind === 'enum' ? 3 : 1;
  return child.kind === 'null' || child.kind === 'missing' ? 0 : -3;
}

/** Puts a complete child where it belongs; gives what it shows as. */
function placeMember(level: Level, key: string, child: Node): Shown {
  const schema = objectOf(level.arm) as ObjectSchema;
  const declared = fieldOf(schema, key)?.schema ?? schema.rest;
  const shown = declared === undefined ? absent : completeView(child, declared);
  putMember(level, key, shown);
  return shown;
}

function putMember(level: Level, key: string, shown: Shown): void {
  const schema = objectOf(level.arm) as ObjectSchema;
  const field = fieldOf(schema, key);
  if (shown === absent || (field === undefined && schema.rest === undefined)) return;
  setMember(membersOf(level), field?.name ?? key, shown);
}

/** Lists and maps that must be there are there from the beginning; a place with a state says that it is pending. */
function fillPending(schema: ObjectSchema, target: Record<string, unknown>): void {
  for (const field of schema.fields.values()) {
    if (field.schema.stream.state) setMember(target, field.name, { value: null, state: 'pending' } satisfies WithState);
    else if (field.required && emptyOf(field.schema) !== undefined)
      setMember(target, field.name, emptyOf(field.schema));
  }
}

function emptyOf(schema: SchemaNode): unknown {
  if (schema.stream.done || schema.stream.notNull) return undefined;
  if (schema.kind === 'array') return [];
  return schema.kind === 'object' && schema.fields.size === 0 ? {} : undefined;
}

/** A field that must not be null is not there yet. */
function isWithheld(level: Level): boolean {
  const schema = objectOf(level.arm) as ObjectSchema;
  for (const field of schema.fields.values()) {
    if (field.schema.stream.notNull && !isPresent(field, schema, level)) return true;
  }
  return false;
}

/** Null counts when the text says null and the schema allows it. */
function isPresent(field: Field, schema: ObjectSchema, level: Level): boolean {
  const { node } = level;
  const target = membersOf(level);
  const value = Object.hasOwn(target, field.name) ? target[field.name] : undefined;
  const bare = field.schema.stream.state ? (value as WithState | undefined)?.value : value;
  if (bare !== null && bare !== undefined) return true;
  const index = node.keys.findLastIndex((key) => fieldOf(schema, key) === field);
  const child = node.children[index];
  return child?.complete === true && resultOf(child, field.schema) !== undefined;
}

/** A scalar that is being read: only a text shows before it is complete. */
function scalarView(node: Node, declared: SchemaNode): Shown {
  if (node.complete) return completeView(node, declared);
  if (node.kind !== 'string' || declared.stream.done) return rule(declared, absent, 'incomplete');
  const arm = armsOf(declared).find((each) => (each.kind === 'string' && !each.isDate) || each.kind === 'any');
  return rule(declared, arm === undefined || arm.stream.done ? absent : node.value, 'incomplete');
}

/** What a complete node shows: its final value, or as much of it as there is. */
function completeView(node: Node, declared: SchemaNode): Shown {
  if (declared.kind === 'any') return node.value;
  const result = resultOf(node, declared);
  if (result !== undefined && !hasRules(declared)) return result.value;
  if (node.kind !== 'object' && node.kind !== 'array')
    return rule(declared, result === undefined ? absent : result.value, 'complete');
  return rule(declared, completeContainer(node, declared), 'complete');
}

function completeContainer(node: Node, declared: SchemaNode): Shown {
  const level = createLevel(node, declared, undefined);
  decideArm(level);
  const { arm } = level;
  if (arm === undefined) return resultOf(node, declared)?.value ?? absent;
  if (node.kind === 'object') {
    for (const [index, child] of node.children.entries()) placeMember(level, node.keys[index] ?? '', child);
    return isWithheld(level) ? absent : level.value;
  }
  const items = node.children.map((child, index) => completeView(child, itemSchema(arm, index)));
  const shown = items.filter((item) => item !== absent);
  return arm.kind === 'array' ? shown : (shown.at(-1) ?? absent);
}

function rule(declared: SchemaNode, shown: Shown, state: NodeState): Shown {
  if (!declared.stream.state) return shown;
  return shown === absent
    ? ({ value: null, state: 'pending' } satisfies WithState)
    : ({ value: shown, state } satisfies WithState);
}

function resultOf(node: Node, schema: SchemaNode): { readonly value: unknown } | undefined {
  const measured = node.slot as Measured | undefined;
  return measured?.results[measured.set.placeOf(schema)] ?? undefined;
}

const withRules = new WeakMap<SchemaNode, boolean>();

/** Whether a stream rule stands anywhere in the schema. */
function hasRules(schema: SchemaNode): boolean {
  const known = withRules.get(schema);
  if (known !== undefined) return known;
  const reached = new Set<SchemaNode>([schema]);
  for (const each of reached) for (const part of partsOf(each)) reached.add(part);
  const found = [...reached].some(({ stream }) => stream.done || stream.notNull || stream.state);
  withRules.set(schema, found);
  return found;
}

function partsOf(schema: SchemaNode): SchemaNode[] {
  if (schema.kind === 'union') return schema.arms;
  if (schema.kind === 'array') return [...schema.prefix, schema.items];
  if (schema.kind !== 'object') return [];
  const fields = Array.from(schema.fields.values(), (field) => field.schema);
  return schema.rest === undefined ? fields : [...fields, schema.rest];
}
