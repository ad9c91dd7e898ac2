// An open container in the partial view: the branch it is read as, its value so far, and where its children go in that
// value.

import { bestBranch, objectOf, type Score } from './union-branch.ts';
import { fieldOf } from '../coerce/candidate.ts';
import type { PathKey } from '../report/flag.ts';
import { resultOf } from '../coerce/node-scores.ts';
import { setMember, type Node } from '../parse/node.ts';
import type { LinkedPath } from '../report/linked-path.ts';
import type { SchemaField, ObjectSchema, SchemaNode } from '../schema/schema.ts';
import { absent, type VisibleValue, type WithState } from './visibility.ts';

export interface ViewLevel {
  readonly node: Node;
  readonly declared: SchemaNode;
  readonly path: LinkedPath | undefined;
  /** The branch it is read as; `undefined` while this is undecided. */
  branch: SchemaNode | undefined;
  value: unknown;
  /** Number of children in `value` that are final. */
  included: number;
  includedLast: Node | undefined;
  /** Number of items in `value` without the open one. */
  settled: number;
  readonly scores: Map<SchemaNode, Score>;
  /** Whether it was visible after the last update, so that changes inside it are reported. */
  attached: boolean;
  /** The open child, and how and where it was last shown. */
  openNode: Node | undefined;
  openShown: VisibleValue;
  openKey: PathKey;
}

export function createLevel(node: Node, declared: SchemaNode, path: LinkedPath | undefined): ViewLevel {
  return {
    node,
    declared,
    path,
    branch: undefined,
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

/** Chooses the branch that matches best so far. Returns true if it changed. */
export function chooseBranch(level: ViewLevel): boolean {
  const best = bestBranch(level);
  if (best === level.branch) return false;
  level.branch = best;
  reset(level, best);
  return true;
}

/** Clears the level's value. */
export function reset(level: ViewLevel, branch: SchemaNode | undefined): void {
  level.included = 0;
  level.includedLast = undefined;
  level.settled = 0;
  level.attached = false;
  level.openNode = undefined;
  level.value = branch === undefined ? undefined : emptyValue(level, branch);
}

/** An object where an array is wanted is shown as an array of one. */
function emptyValue({ node }: ViewLevel, branch: SchemaNode): unknown {
  if (node.kind === 'array') return [];
  const schema = objectOf(branch);
  const members: Record<string, unknown> = {};
  if (schema !== undefined) fillPending(schema, members);
  return branch.kind === 'array' ? [members] : members;
}

/** Required arrays and maps are present from the start. Fields with a state start as pending. */
export function fillPending(schema: ObjectSchema, target: Record<string, unknown>): void {
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

export function itemSchema(branch: SchemaNode, index: number): SchemaNode {
  return branch.kind === 'array' ? (branch.prefix[index] ?? branch.items) : branch;
}

/** The schema of the open child. */
export function openChildSchema({ node, branch }: ViewLevel): SchemaNode | undefined {
  if (branch === undefined) return undefined;
  if (branch.kind === 'any') return branch;
  if (node.kind === 'array') {
    return branch.kind === 'array' ? (branch.prefix[node.children.length - 1] ?? branch.items) : branch;
  }
  const object = objectOf(branch);
  if (object === undefined) return undefined;
  return fieldOf(object, node.keys.at(-1) ?? '')?.schema ?? object.rest;
}

/** The path of a child in the value. If an object is shown as an array of one, its members belong to the first item. */
export function childPath({ node, branch, path }: ViewLevel, key: PathKey): LinkedPath {
  const isItem = node.kind === 'object' && branch?.kind === 'array';
  return { parent: isItem ? { parent: path, key: 0 } : path, key };
}

/** The key of the open child in the value. */
export function openChildKey(level: ViewLevel): PathKey | undefined {
  if (level.node.kind === 'array')
    return level.branch?.kind === 'array' || level.branch?.kind === 'any' ? level.settled : undefined;
  return memberKey(level, level.node.keys.at(-1) ?? '');
}

export function memberKey(level: ViewLevel, key: string): PathKey | undefined {
  if (level.branch?.kind === 'any') return key;
  const schema = objectOf(level.branch);
  if (schema === undefined) return undefined;
  return fieldOf(schema, key)?.name ?? (schema.rest === undefined ? undefined : key);
}

export function membersOf(level: ViewLevel): Record<string, unknown> {
  return (level.branch?.kind === 'array' ? (level.value as unknown[])[0] : level.value) as Record<string, unknown>;
}

/** Replaces the open child, which was shown before. */
export function putOpen(level: ViewLevel, shown: VisibleValue): void {
  if (level.branch?.kind === 'any') return;
  if (level.node.kind === 'array') (level.value as unknown[])[level.settled] = shown;
  else setMember(membersOf(level), level.openKey as string, shown);
}

export function putMember(level: ViewLevel, key: string, shown: VisibleValue): void {
  const schema = objectOf(level.branch) as ObjectSchema;
  const field = fieldOf(schema, key);
  if (shown === absent || (field === undefined && schema.rest === undefined)) return;
  setMember(membersOf(level), field?.name ?? key, shown);
}

/** Whether a field that must not be null is still missing. */
export function isWithheld(level: ViewLevel): boolean {
  const schema = objectOf(level.branch) as ObjectSchema;
  for (const field of schema.fields.values()) {
    if (field.schema.stream.notNull && !isPresent(field, schema, level)) return true;
  }
  return false;
}

/** Null counts as present if the text says null and the schema allows it. */
function isPresent(field: SchemaField, schema: ObjectSchema, level: ViewLevel): boolean {
  const { node } = level;
  const target = membersOf(level);
  const value = Object.hasOwn(target, field.name) ? target[field.name] : undefined;
  const bare = field.schema.stream.state ? (value as WithState | undefined)?.value : value;
  if (bare !== null && bare !== undefined) return true;
  const index = node.keys.findLastIndex((key) => fieldOf(schema, key) === field);
  const child = node.children[index];
  return child?.complete === true && resultOf(child, field.schema) !== null;
}
