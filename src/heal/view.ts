// The typed value so far, while the text still comes. Kept along the path of what is open: a finished child is taken
// in once, and a new chunk touches only the open leaf and the containers above it.
// Invariants:
//   1. Strings grow; numbers, literals and enumerations show when they are complete; items show as they come.
//   2. What a rule withholds (`done`, `not-null`) is absent, never half there.
//   3. Nothing of the machine shows: an unknown member, an undecided union, a wrapper are absent.

import { fieldOf } from './candidate.ts';
import { armsOf, type Measured } from './coerce.ts';
import type { LenientMachine, Root } from './machine.ts';
import { setMember, type Node } from './node.ts';
import type { Field, ObjectSchema, SchemaNode } from './schema.ts';

export type NodeState = 'pending' | 'incomplete' | 'complete';

/** A place with a `with-state` rule. */
export interface WithState {
  readonly value: unknown;
  readonly state: NodeState;
}

/** An open container on the path, and what it is so far. */
interface Level {
  readonly node: Node;
  readonly declared: SchemaNode;
  /** The arm it is read as; nothing while that is undecided. */
  arm: SchemaNode | undefined;
  value: unknown;
  /** How many children are in `value` for good. */
  included: number;
  /** How many items `value` has without the open one. */
  settled: number;
  score: Map<SchemaNode, Score>;
}

interface Score {
  points: number;
  seen: number;
}

/** Containers deeper than this show only when they are complete, so that a push costs no more than this. */
const deepest = 1000;

const absent = Symbol('absent');
type Shown = unknown;

export class View {
  readonly #machine: LenientMachine;
  readonly #schema: SchemaNode;
  #levels: Level[] = [];

  constructor(machine: LenientMachine, schema: SchemaNode) {
    this.#machine = machine;
    this.#schema = schema;
  }

  /** The value so far; `undefined` while there is none to show. */
  get value(): unknown {
    const { open } = this.#machine;
    const done = this.#lastComplete();
    if (open === undefined || (done?.fenced && !open.fenced)) return done && unwrap(completeView(done.node, this.#schema));
    return unwrap(this.#openView(open)) ?? (done && unwrap(completeView(done.node, this.#schema)));
  }

  #lastComplete(): Root | undefined {
    const { roots, thinks } = this.#machine;
    const complete = roots.filter((root) => root.node.complete && root.afterThink === thinks);
    return complete.findLast((root) => root.fenced) ?? complete.at(-1);
  }

  #openView(root: Root): Shown {
    const path = this.#machine.openPath;
    if (path.length === 0) return scalarView(root.node, this.#schema);
    this.#sync(path);
    let shown: Shown = absent;
    const leaf = this.#machine.leaf;
    const bottom = this.#levels.at(-1);
    if (leaf !== undefined && bottom !== undefined && leaf !== bottom.node && this.#levels.length === path.length) {
      const declared = hostOf(bottom);
      shown = declared === undefined ? absent : scalarView(leaf, declared);
    }
    for (let index = this.#levels.length - 1; index >= 0; index--) shown = showLevel(this.#levels[index] as Level, shown);
    return shown;
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
    }
  }

  #descend(node: Node, parent: Level | undefined): Level | undefined {
    const declared = parent === undefined ? this.#schema : hostOf(parent);
    if (declared === undefined) return undefined;
    const level: Level = { node, declared, arm: undefined, value: undefined, included: 0, settled: 0, score: new Map() };
    this.#levels.push(level);
    return level;
  }
}

/** The schema of the child that is being read. */
function hostOf({ node, arm }: Level): SchemaNode | undefined {
  if (arm === undefined) return undefined;
  if (arm.kind === 'any') return arm;
  if (node.kind === 'array') {
    return arm.kind === 'array' ? (arm.prefix[node.children.length - 1] ?? arm.items) : arm;
  }
  const object = arm.kind === 'array' ? objectArm(arm.items) : arm;
  if (object?.kind !== 'object') return undefined;
  const key = node.keys.at(-1) ?? '';
  return fieldOf(object, key)?.schema ?? object.rest;
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
  level.included = 0;
  level.settled = 0;
  level.value = best === undefined ? undefined : isList(level) ? [] : {};
  return true;
}

/** An object where a list is wanted is shown as a list of one. */
function isList({ node, arm }: Level): boolean {
  return node.kind === 'array' || arm?.kind === 'array';
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
  const object = arm.kind === 'array' ? objectArm(arm.items) : arm;
  if (object?.kind !== 'object') return 0.1;
  const score = level.score.get(arm) ?? { points: 0, seen: 0 };
  level.score.set(arm, score);
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

/** The level's value with its open child in place. */
function showLevel(level: Level, open: Shown): Shown {
  const { node, declared, arm } = level;
  if (arm === undefined || declared.stream.done || arm.stream.done) return rule(declared, absent, 'incomplete');
  if (node.kind === 'array') return rule(declared, showItems(level, arm, open), 'incomplete');
  const object = arm.kind === 'array' ? objectArm(arm.items) : arm;
  const members = arm.kind === 'any' ? node.value : showMembers(level, object as ObjectSchema, open);
  if (members === absent) return rule(declared, absent, 'incomplete');
  return rule(declared, arm.kind === 'array' ? [members] : members, 'incomplete');
}

function showItems(level: Level, arm: SchemaNode, open: Shown): Shown {
  const { node } = level;
  if (arm.kind === 'any') return node.value;
  const items = arm.kind === 'array';
  const list = level.value as unknown[];
  list.length = level.settled;
  for (; level.included < node.children.length; level.included++) {
    const child = node.children[level.included] as Node;
    if (!child.complete) break;
    const schema = items ? (arm.prefix[level.included] ?? arm.items) : arm;
    const shown = completeView(child, schema);
    if (shown !== absent) list.push(shown);
  }
  level.settled = list.length;
  if (open !== absent) list.push(open);
  // One is wanted: the item that is being read, else the last.
  return items ? list : (list.at(-1) ?? absent);
}

function showMembers(level: Level, schema: ObjectSchema, open: Shown): Shown {
  const { node } = level;
  const target = (Array.isArray(level.value) ? (level.value[0] ??= {}) : level.value) as Record<string, unknown>;
  if (level.included === 0) fillPending(schema, target);
  for (; level.included < node.children.length; level.included++) {
    const child = node.children[level.included] as Node;
    if (!child.complete) break;
    place(schema, target, node.keys[level.included] ?? '', completeMember(schema, node.keys[level.included] ?? '', child));
  }
  if (level.included < node.children.length) place(schema, target, node.keys[level.included] ?? '', open);
  return isWithheld(schema, node, target) ? absent : target;
}

function completeMember(schema: ObjectSchema, key: string, child: Node): Shown {
  const declared = fieldOf(schema, key)?.schema ?? schema.rest;
  return declared === undefined ? absent : completeView(child, declared);
}

function place(schema: ObjectSchema, target: Record<string, unknown>, key: string, shown: Shown): void {
  const field = fieldOf(schema, key);
  if (field === undefined && schema.rest === undefined) return;
  if (shown !== absent) setMember(target, field?.name ?? key, shown);
}

/** Lists and maps that must be there are there from the beginning; a place with a state says that it is pending. */
function fillPending(schema: ObjectSchema, target: Record<string, unknown>): void {
  for (const field of schema.fields.values()) {
    if (field.schema.stream.state) setMember(target, field.name, { value: null, state: 'pending' } satisfies WithState);
    else if (field.required && emptyOf(field.schema) !== undefined) setMember(target, field.name, emptyOf(field.schema));
  }
}

function emptyOf(schema: SchemaNode): unknown {
  if (schema.stream.done || schema.stream.notNull) return undefined;
  if (schema.kind === 'array') return [];
  return schema.kind === 'object' && schema.fields.size === 0 ? {} : undefined;
}

/** A field that must not be null is not there yet. */
function isWithheld(schema: ObjectSchema, node: Node, target: Record<string, unknown>): boolean {
  for (const field of schema.fields.values()) {
    if (field.schema.stream.notNull && !isPresent(field, schema, node, target)) return true;
  }
  return false;
}

/** Null counts when the text says null and the schema allows it. */
function isPresent(field: Field, schema: ObjectSchema, node: Node, target: Record<string, unknown>): boolean {
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
  const result = resultOf(node, declared);
  if (result !== undefined && !hasRules(declared)) return result.value;
  if (node.kind !== 'object' && node.kind !== 'array') return rule(declared, result === undefined ? absent : result.value, 'complete');
  return rule(declared, completeContainer(node, declared), 'complete');
}

function completeContainer(node: Node, declared: SchemaNode): Shown {
  const level: Level = { node, declared, arm: undefined, value: undefined, included: 0, settled: 0, score: new Map() };
  decideArm(level);
  const { arm } = level;
  if (arm === undefined) return resultOf(node, declared)?.value ?? absent;
  if (arm.kind === 'any') return node.value;
  if (node.kind === 'array') return showItems(level, arm, absent);
  const object = arm.kind === 'array' ? objectArm(arm.items) : arm;
  const members = showMembers(level, object as ObjectSchema, absent);
  return members === absent || arm.kind !== 'array' ? members : [members];
}

function rule(declared: SchemaNode, shown: Shown, state: NodeState): Shown {
  if (!declared.stream.state) return shown;
  return shown === absent ? ({ value: null, state: 'pending' } satisfies WithState) : ({ value: shown, state } satisfies WithState);
}

function unwrap(shown: Shown): unknown {
  return shown === absent ? undefined : shown;
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
