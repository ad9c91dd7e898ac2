// Scores a node against an array schema. The node may be the array, a string or object that contains it, or its only
// item.

import { hasOnlyTypeNames } from './echo.ts';
import { resultOf, type CoerceContext, type OwnResult } from './node-scores.ts';
import type { Node } from '../parse/node.ts';
import type { Mark } from '../parse/mark.ts';
import { changed, markAt, markOn, type Result } from './result.ts';
import type { ArraySchema } from '../schema/schema.ts';

export function coerceArray(
  node: Node,
  schema: ArraySchema,
  ownResult: OwnResult,
  context: CoerceContext,
): Result | null {
  if (node.kind === 'array') return hasOnlyTypeNames(node) ? null : coerceItems(node, schema);
  if (!context.coerceTypes || node.kind === 'null') return null;
  if (node.kind === 'string' && /^\s*[[`]/.test(node.value as string)) {
    const inside = context.parseInside(node.value as string, schema);
    if (inside !== null) return changed(inside.value, [markOn(node, 'parsed-string')], [inside]);
  }
  const unwrapped = node.kind === 'object' ? coerceWrappedArray(node, schema) : null;
  const item = ownResult(schema.items);
  const wrapped = item === null ? null : changed([item.value], [markOn(node, 'wrapped-in-array')], [item]);
  if (unwrapped === null || wrapped === null) return unwrapped ?? wrapped;
  return wrapped.cost < unwrapped.cost ? wrapped : unwrapped;
}

/** Handles `{"items": […]}` where the array itself is wanted. */
function coerceWrappedArray(node: Node, schema: ArraySchema): Result | null {
  const [list] = node.children;
  const isWrapper = node.children.length === 1 && (list?.kind === 'array' || list?.kind === 'object');
  const result = isWrapper ? resultOf(list, schema) : null;
  return result === null ? null : changed(result.value, [markOn(node, 'unwrapped')], [result]);
}

function coerceItems(node: Node, schema: ArraySchema): Result | null {
  const values: unknown[] = [];
  const parts: Result[] = [];
  const lost: Node[] = [];
  let same = true;
  for (const [index, child] of node.children.entries()) {
    const result = resultOf(child, schema.prefix[index] ?? schema.items);
    if (result === null) {
      if (child.complete || child.kind !== 'missing') lost.push(child);
      same = false;
      continue;
    }
    if (result.value !== child.value) same = false;
    values.push(result.value);
    if (result.cost > 0 || result.parts.length > 0) parts.push(result);
  }
  // An array that loses all its items is not an empty array.
  if (values.length === 0 && lost.length > 0) return null;
  return changed(same ? node.value : values, lossMarks(node, lost, values.length), parts);
}

/** If at least half of the items are lost, each of them casts doubt on the entire array. */
function lossMarks(node: Node, lost: readonly Node[], kept: number): Mark[] {
  const touched = lost.length < kept ? undefined : node;
  return lost.map((item) => markAt(touched ?? item, item.path, 'dropped-item'));
}
