// Decides what is certain about a node before it is complete, for output that cannot be taken back. Runs on every
// chunk, so each member is examined once and facts about a schema are computed once.
// Invariant: what is certain stays certain, whatever follows. A complete node is therefore judged as it was when it was
// open, and the output does not depend on how the text was split into chunks.

import { fieldAt } from '../coerce/candidate.ts';
import { resultOf, type NodeScores } from '../coerce/node-scores.ts';
import { maxKeyLength } from '../parse/cursor.ts';
import type { Node } from '../parse/node.ts';
import { branchesOf, isPlainString, type ArraySchema, type ObjectSchema, type SchemaNode } from '../schema/schema.ts';
import type { HealSession } from '../session.ts';

/** What is known about an open node from the members examined so far. */
interface BranchProgress {
  readonly schema: SchemaNode;
  /** The branches whose constant members match the node. */
  readonly fitting: Set<ObjectSchema>;
  /** Number of complete children examined. */
  examined: number;
  /** How many keys were looked up in which branch, and whether one of them is known there. */
  branch: ObjectSchema | undefined;
  keys: number;
  hasKnownKey: boolean;
}

export class Certainty {
  readonly #session: HealSession;
  readonly #progress = new WeakMap<Node, BranchProgress>();

  constructor(session: HealSession) {
    this.#session = session;
  }

  /** Whether an open node can only be what its schema says, so that its beginning may be sent. */
  has(node: Node, schema: SchemaNode): boolean {
    const { isString, isArray } = allowedBranchesOf(schema);
    if (node.kind === 'string') return isString;
    if (node.kind === 'array') return isArray && (node.complete || !node.isRound) && this.#hasItem(node, schema);
    const branch = this.branchOf(node, schema);
    // A map may restrict its keys to an enum; how they are spelled is decided when it is complete.
    if (branch?.kind !== 'object' || branch.names?.kind === 'enum') return false;
    return this.#knowsKey(node, branch, this.#progressOf(node, schema));
  }

  /** The only branch of the schema, or the only one whose constant members match the node. */
  branchOf(node: Node, schema: SchemaNode): SchemaNode | undefined {
    const { branches } = allowedBranchesOf(schema);
    if (branches.length === 1) return branches[0];
    const progress = this.#progressOf(node, schema);
    // The first constant member decides, so that the decision does not depend on how much text has arrived.
    for (; progress.fitting.size === 0 && node.children[progress.examined]?.complete; progress.examined++) {
      this.#examine(node, branches, progress);
    }
    const [only] = progress.fitting;
    return progress.fitting.size === 1 ? only : undefined;
  }

  /** A list that loses all its items is not an empty list, so it begins with its first item. */
  #hasItem(node: Node, schema: SchemaNode): boolean {
    const list = allowedBranchesOf(schema).branches[0] as ArraySchema;
    const progress = this.#progressOf(node, schema);
    for (; progress.examined < node.children.length; progress.examined++) {
      const item = node.children[progress.examined] as Node;
      if (mayBeObject(item) && this.mayBeKey(node, progress.examined)) return false;
      if (this.#isKept(item, list.prefix[progress.examined] ?? list.items)) return true;
      if (!item.complete) return false;
    }
    return node.complete && node.children.length === 0;
  }

  /** A short string at the end of an array may be a key, if the bracket between the two is missing. */
  mayBeKey({ complete, children }: Node, index: number): boolean {
    const item = children[index] as Node;
    if (item.kind !== 'string' || complete || children.length > index + 1) return false;
    if (item.complete) return (item.value as string).length <= maxKeyLength;
    return this.#session.machine.settledFrom(maxKeyLength) === '';
  }

  /** Does not look into lists in a list, because the text decides how deep they are. */
  #isKept(item: Node, schema: SchemaNode): boolean {
    if (item.complete && resultOf(item, schema) !== null) return true;
    return item.kind !== 'array' && this.has(item, schema);
  }

  #examine(node: Node, branches: readonly SchemaNode[], { fitting, examined }: BranchProgress): void {
    this.#session.budget.spend(branches.length);
    const child = node.children[examined] as Node;
    for (const branch of branches) {
      const field = branch.kind === 'object' ? fieldAt(branch, node, examined) : undefined;
      if (field?.schema.kind !== 'enum' || resultOf(child, field.schema) === null) continue;
      fitting.add(branch as ObjectSchema);
    }
  }

  /** Whether the object has a known key with a value. Names without any value may be the items of a set. */
  #knowsKey(node: Node, branch: ObjectSchema, progress: BranchProgress): boolean {
    if (progress.branch !== branch) Object.assign(progress, { branch, keys: 0, hasKnownKey: false });
    for (; !progress.hasKnownKey && progress.keys < node.keys.length; progress.keys++) {
      if (node.children[progress.keys]?.kind === 'missing') continue;
      progress.hasKnownKey = branch.rest !== undefined || fieldAt(branch, node, progress.keys) !== undefined;
    }
    return progress.hasKnownKey;
  }

  /** Starts over if the node was read differently before. */
  #progressOf(node: Node, schema: SchemaNode): BranchProgress {
    let progress = this.#progress.get(node);
    if (progress?.schema !== schema || progress.examined > node.children.length || progress.keys > node.keys.length) {
      progress = { schema, fitting: new Set(), examined: 0, branch: undefined, keys: 0, hasKnownKey: false };
      this.#progress.set(node, progress);
    }
    return progress;
  }
}

/** What a schema allows besides null. */
interface AllowedBranches {
  readonly branches: readonly SchemaNode[];
  readonly isString: boolean;
  readonly isArray: boolean;
}

const allowedBranches = new WeakMap<SchemaNode, AllowedBranches>();

function allowedBranchesOf(schema: SchemaNode): AllowedBranches {
  let known = allowedBranches.get(schema);
  if (known === undefined) {
    const branches = branchesOf(schema).filter((branch) => branch.kind !== 'null');
    const isString = branches.every(isPlainString);
    known = { branches, isString, isArray: branches.length === 1 && branches[0]?.kind === 'array' };
    allowedBranches.set(schema, known);
  }
  return known;
}

/** Where only strings are expected, a string before a colon is never the key of an item. */
function mayBeObject({ listenerData }: Node): boolean {
  return !(listenerData as NodeScores).set.wantsString;
}
