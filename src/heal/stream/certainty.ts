// What is certain of a node before it is complete, for senders that cannot take text back. It is asked with every chunk,
// so each member of an open node is looked at once, and what a schema says by itself is worked out once.

import type { HealBudget } from '../budget.ts';
import { fieldAt } from '../coerce/candidate.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Node } from '../parse/node.ts';
import { armsOf, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';

/** What is known of an open node, as far as its members were looked at. */
interface Progress {
  readonly schema: SchemaNode;
  /** The arms whose constant members the node has. */
  readonly fitting: Set<ObjectSchema>;
  /** How many complete children were looked at for that. */
  examined: number;
  /** How many keys were looked up in which arm, and whether it has one of them. */
  arm: ObjectSchema | undefined;
  keys: number;
  hasKnownKey: boolean;
}

export class Certainty {
  readonly #budget: HealBudget;
  readonly #progress = new WeakMap<Node, Progress>();

  constructor(budget: HealBudget) {
    this.#budget = budget;
  }

  /** Whether an open node can only be what its schema says, so that its beginning may be sent. */
  has(node: Node, schema: SchemaNode): boolean {
    const { isText, isList } = alternativesOf(schema);
    if (node.kind === 'string') return isText;
    if (node.kind === 'array') return isList;
    const arm = this.armOf(node, schema);
    return arm?.kind === 'object' && this.#knowsKey(node, arm, this.#progressOf(node, schema));
  }

  /** The only arm there is, or the only one whose constant members the node has. */
  armOf(node: Node, schema: SchemaNode): SchemaNode | undefined {
    const { arms } = alternativesOf(schema);
    if (arms.length === 1) return arms[0];
    const progress = this.#progressOf(node, schema);
    for (; node.children[progress.examined]?.complete; progress.examined++) this.#examine(node, arms, progress);
    const [only] = progress.fitting;
    return progress.fitting.size === 1 ? only : undefined;
  }

  #examine(node: Node, arms: readonly SchemaNode[], { fitting, examined }: Progress): void {
    this.#budget.spend(arms.length);
    const child = node.children[examined] as Node;
    for (const arm of arms) {
      const field = arm.kind === 'object' ? fieldAt(arm, node, examined) : undefined;
      if (field?.schema.kind !== 'enum' || resultOf(child, field.schema) === null) continue;
      fitting.add(arm as ObjectSchema);
    }
  }

  #knowsKey(node: Node, arm: ObjectSchema, progress: Progress): boolean {
    if (progress.arm !== arm) Object.assign(progress, { arm, keys: 0, hasKnownKey: false });
    for (; !progress.hasKnownKey && progress.keys < node.keys.length; progress.keys++) {
      progress.hasKnownKey = arm.rest !== undefined || fieldAt(arm, node, progress.keys) !== undefined;
    }
    return progress.hasKnownKey;
  }

  /** Begins again where the node was taken for something else before. */
  #progressOf(node: Node, schema: SchemaNode): Progress {
    let progress = this.#progress.get(node);
    if (progress?.schema !== schema || progress.examined > node.children.length || progress.keys > node.keys.length) {
      progress = { schema, fitting: new Set(), examined: 0, arm: undefined, keys: 0, hasKnownKey: false };
      this.#progress.set(node, progress);
    }
    return progress;
  }
}

/** What a schema allows beside null. */
interface Alternatives {
  readonly arms: readonly SchemaNode[];
  readonly isText: boolean;
  readonly isList: boolean;
}

const alternatives = new WeakMap<SchemaNode, Alternatives>();

function alternativesOf(schema: SchemaNode): Alternatives {
  let known = alternatives.get(schema);
  if (known === undefined) {
    const arms = armsOf(schema).filter((arm) => arm.kind !== 'null');
    const isText = arms.every((arm) => arm.kind === 'string' && !arm.isDate);
    known = { arms, isText, isList: arms.length === 1 && arms[0]?.kind === 'array' };
    alternatives.set(schema, known);
  }
  return known;
}
