// Why a value does not fit its schema: the first place, from the outside in, that nothing could be made of.

import { fieldOf } from './candidate.ts';
import { armsOf, fillOf } from './coerce.ts';
import type { HealErrorKind } from './error.ts';
import type { PathKey } from './flag.ts';
import type { Node } from './node.ts';
import type { ObjectSchema, SchemaNode } from './schema.ts';

export interface Problem {
  readonly kind: HealErrorKind;
  readonly path: readonly PathKey[];
  readonly message: string;
}

/** Whether something could be made of a node under a schema. */
type Fits = (node: Node, schema: SchemaNode) => boolean;

/** Going further in would tell a person no more. */
const deepest = 100;

export function findProblem(root: Node, schema: SchemaNode, fits: Fits): Problem | undefined {
  const path: PathKey[] = [];
  let [node, wanted] = [root, schema];
  for (let depth = 0; depth < deepest; depth++) {
    const arms = armsOf(wanted).filter((arm) => arm.kind === node.kind);
    const [arm] = arms;
    if (arms.length !== 1 || arm?.kind !== 'object') return depth === 0 ? undefined : unfit(path, node, wanted);
    const found = firstUnfit(node, arm, fits);
    if (found === undefined) return undefined;
    path.push(found.name);
    if (found.child === undefined) return { kind: 'missing-field', path, message: 'required, and not in the text' };
    [node, wanted] = [found.child, found.schema];
  }
  return undefined;
}

interface Unfit {
  readonly name: string;
  readonly schema: SchemaNode;
  readonly child: Node | undefined;
}

function firstUnfit(node: Node, schema: ObjectSchema, fits: Fits): Unfit | undefined {
  for (const field of schema.fields.values()) {
    if (!field.required || field.schema.hasDefault) continue;
    const index = node.keys.findLastIndex((key) => fieldOf(schema, key) === field);
    const child = node.children[index];
    const isThere = child !== undefined && child.kind !== 'missing';
    if (isThere ? !fits(child, field.schema) : fillOf(field.schema) === undefined) {
      return { name: field.name, schema: field.schema, child: isThere ? child : undefined };
    }
  }
  return undefined;
}

function unfit(path: readonly PathKey[], node: Node, schema: SchemaNode): Problem {
  const kinds = armsOf(schema).map((arm) => (arm.kind === 'enum' ? 'one of a list' : arm.kind));
  const message = `must be ${[...new Set(kinds)].join(' or ')}, and the text has ${describe(node)}`;
  return { kind: 'missing-field', path, message };
}

function describe({ kind, value }: Node): string {
  if (kind === 'object' || kind === 'array') return `an ${kind}`;
  return kind === 'null' ? 'null' : `the ${kind} ${JSON.stringify(value).slice(0, 60)}`;
}
