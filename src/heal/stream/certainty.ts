// What is certain of a node before it is complete, for senders that cannot take text back. It is asked with every chunk,
// so each member of an open node is looked at once, and what a schema says by itself is worked out once.

import type { HealBudget } from '../budget.ts';
import { fieldAt } from '../coerce/candidate.ts';
import { resultOf } from '../coerce/node-scores.ts';
import type { Node } from '../parse/node.ts';
import { branchesOf, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';

/** What is known of an open node, as far as its members were looked at. */
interface BranchProgress {
  readonly schema: SchemaNode;
  /** The branches whose constant members the node has. */
  readonly fitting: Set<ObjectSchema>;
  /** How many complete children were looked at for that. */
  examined: number;
  /** How many keys were looked up in which branch, and whether it has one of them. */
  branch: ObjectSchema | undefined;
  keys: number;
  hasKnownKey: boolean;
}

export class Certainty {
  readonly #budget: HealBudget;
  readonly #progress = new WeakMap<Node, BranchProgress>();

  constructor(budget: HealBudget) {
    this.#budget = budget;
  }

  /** Whether an open node can only be what its schema says, so that its beginning may be sent. */
  has(node: Node, schema: SchemaNode): boolean {
    const { isText, isList } = allowedBranchesOf(schema);
    if (node.kind === 'string') return isText;
    if (node.kind === 'array') return isList;
    const branch = this.branchOf(node, schema);
    return branch?.kind === 'object' && this.#knowsKey(node, branch, this.#progressOf(node, schema));
  }

  /** The only branch there is, or the only one whose constant members the node has. */
  branchOf(node: Node, schema: SchemaNode): SchemaNode | undefined {
    const { branches } = allowedBranchesOf(schema);
    if (branches.length === 1) return branches[0];
    const progress = this.#progressOf(node, schema);
    for (; node.children[progress.examined]?.complete; progress.examined++) this.#examine(node, branches, progress);
    const [only] = progress.fitting;
    return progress.fitting.size === 1 ? only : undefined;
  }

  #examine(node: Node, branches: readonly SchemaNode[], { fitting, examined }: BranchProgress): void {
    this.#budget.spend(branches.length);
    const child = node.children[examined] as Node;
    for (const branch of branches) {
      const field = branch.kind === 'object' ? fieldAt(branch, node, examined) : undefined;
      if (field?.schema.kind !== 'enum' || resultOf(child, field.schema) === null) continue;
      fitting.add(branch as ObjectSchema);
    }
  }

  #knowsKey(node: Node, branch: ObjectSchema, progress: BranchProgress): boolean {
    if (progress.branch !== branch) Object.assign(progress, { branch, keys: 0, hasKnownKey: false });
    for (; !progress.hasKnownKey && progress.keys < node.keys.length; progress.keys++) {
      progress.hasKnownKey = branch.rest !== undefined || fieldAt(branch, node, progress.keys) !== undefined;
    }
    return progress.hasKnownKey;
  }

  /** Begins again where the node was taken for something else before. */
  #progressOf(node: Node, schema: SchemaNode): BranchProgress {
    let progress = this.#progress.get(node);
    if (progress?.schema !== schema || progress.examined > node.children.length || progress.keys > node.keys.length) {
      progress = { schema, fitting: new Set(), examined: 0, branch: undefined, keys: 0, hasKnownKey: false };
      this.#progress.set(node, progress);
    }
    return progress;
  }
}

/** What a schema allows beside null. */
interface AllowedBranches {
  readonly branches: readonly SchemaNode[];
  readonly isText: boolean;
  readonly isList: boolean;
}

const allowedBranches = new WeakMap<SchemaNode, AllowedBranches>();

function allowedBranchesOf(schema: SchemaNode): AllowedBranches {
  let known = allowedBranches.get(schema);
  if (known === undefined) {
    const branches = branchesOf(schema).filter((branch) => branch.kind !== 'null');
    const isText = branches.every((branch) => branch.kind === 'string' && !branch.isDate);
    known = { branches, isText, isList: branches.length === 1 && branches[0]?.kind === 'array' };
    allowedBranches.set(schema, known);
  }
  return known;
}
