// Writes committed parts of a value into a partial value that only grows, and describes each change as a patch.
// Invariants:
//   1. Nothing that was visible is changed or removed: strings get longer, lists and objects get more entries.
//   2. Patches, applied in order to the previous value, give the current value.
//   3. A value withheld by a rule (`done`, `not-null`) is absent, never partly there. An item after a withheld item is
//      absent too, because its index is not known yet.

import { setMember, type Node } from '../parse/node.ts';
import type { PathKey } from '../report/flag.ts';
import { toKeys, type LinkedPath } from '../report/linked-path.ts';
import type { SchemaNode } from '../schema/schema.ts';
import type { CommitWriter, ContainerSchema } from './commit.ts';
import { completeView } from './node-view.ts';
import type { Patch } from './patch.ts';
import { copyOpen } from './snapshot.ts';
import { fillPending } from './view-level.ts';
import { absent, withState, type NodeState, type VisibleValue } from './visibility.ts';

/** Deeper containers appear only when they are complete. This bounds the cost of a patch. */
const maxShownDepth = 200;

/** A value that is being written, and its place. */
interface OpenPart {
  readonly declared: SchemaNode;
  readonly parent: OpenContainer | undefined;
  readonly key: PathKey;
  readonly path: LinkedPath | undefined;
}

interface OpenContainer extends OpenPart {
  readonly value: unknown[] | Record<string, unknown>;
  /** Fields that must be present before it appears. */
  readonly awaited: Set<string>;
  /** Whether it is in its parent. */
  isPlaced: boolean;
  /** An earlier item is withheld. */
  isBlocked: boolean;
}

interface OpenString extends OpenPart {
  value: string;
}

export class GrowingValue implements CommitWriter {
  #root: VisibleValue = absent;
  readonly #open: OpenContainer[] = [];
  #string: OpenString | undefined;
  #name = '';
  /** Number of open containers that are not in their parent. */
  #withheld = 0;
  #patches: Patch[] = [];
  /** The outermost part that has appeared since the last patches. Its patch contains everything inside it. */
  #fresh: OpenContainer | OpenString | undefined;

  get value(): unknown {
    return this.#root === absent ? undefined : this.#root;
  }

  /** A copy that does not change. It shares completed parts. */
  snapshot(): unknown {
    return copyOpen(this.value, new Set<unknown>(this.#open.map(({ value }) => value)));
  }

  takePatches(): Patch[] {
    const fresh = this.#fresh;
    this.#fresh = undefined;
    if (fresh !== undefined) this.#report(fresh, 'incomplete');
    const patches = this.#patches;
    this.#patches = [];
    return patches;
  }

  waitsFor(declared: SchemaNode): boolean {
    if (this.#open.length >= maxShownDepth || declared.stream.done) return true;
    return declared.kind === 'union' && declared.branches.some((branch) => branch.stream.done);
  }

  name(key: string): void {
    this.#name = key;
  }

  open(schema: ContainerSchema, declared: SchemaNode): void {
    const part: OpenContainer = {
      ...this.#partOf(declared),
      value: schema.kind === 'array' ? [] : {},
      awaited: awaitedFields(schema),
      isPlaced: false,
      isBlocked: false,
    };
    if (schema.kind === 'object') fillPending(schema, part.value as Record<string, unknown>);
    this.#open.push(part);
    this.#withheld++;
    this.#placeAwaited(part);
  }

  close(): void {
    const part = this.#open.pop() as OpenContainer;
    if (part.isPlaced) return this.#complete(part);
    this.#withheld--;
    if (part.parent !== undefined) part.parent.isBlocked = true;
  }

  beginString(declared: SchemaNode): void {
    const part: OpenString = { ...this.#partOf(declared), value: '' };
    this.#string = part;
    this.#place(part, 'incomplete');
    this.#markFresh(part);
  }

  extendString(text: string): void {
    const part = this.#string as OpenString;
    part.value += text;
    this.#place(part, 'incomplete');
    if (this.#isReported(part)) {
      this.#patches.push({ path: toKeys(valuePath(part)), op: 'append', value: text, state: 'incomplete' });
    }
  }

  endString(): void {
    this.#complete(this.#string as OpenString);
    this.#string = undefined;
  }

  putNode(node: Node, declared: SchemaNode): void {
    const part = this.#partOf(declared);
    const shown = completeView(node, declared);
    if (shown !== absent) this.#put(part, shown);
    else if (part.parent !== undefined) part.parent.isBlocked = true;
  }

  putMissing(value: unknown, declared: SchemaNode): void {
    const part = this.#partOf(declared);
    const isWithheld = value === null && part.parent?.awaited.has(part.key as string) === true;
    if (!isWithheld) this.#put(part, withState(declared, value, 'complete'));
  }

  /** The part that is written next. */
  #partOf(declared: SchemaNode): OpenPart {
    const parent = this.#open.at(-1);
    const key = Array.isArray(parent?.value) ? parent.value.length : this.#name;
    return { declared, parent, key, path: parent && { parent: valuePath(parent), key } };
  }

  #put(part: OpenPart, shown: VisibleValue): void {
    this.#set(part, shown);
    if (this.#isReported(part)) {
      this.#patches.push({ path: toKeys(part.path), op: 'set', value: shown, state: 'complete' });
    }
  }

  #complete(part: OpenContainer | OpenString): void {
    this.#place(part, 'complete');
    if (this.#fresh === part) this.#fresh = undefined;
    if (this.#isReported(part)) this.#report(part, 'complete');
  }

  #report(part: OpenContainer | OpenString, state: NodeState): void {
    const value = withState(part.declared, part.value, state);
    this.#patches.push({ path: toKeys(part.path), op: 'set', value, state });
  }

  /** Whether a change needs a patch of its own. */
  #isReported({ parent }: OpenPart): boolean {
    return this.#withheld === 0 && this.#fresh === undefined && !isBlocked(parent);
  }

  #markFresh(part: OpenContainer | OpenString): void {
    if (this.#isReported(part)) this.#fresh = part;
  }

  /** Places a container, and those around it that waited for it. */
  #placeAwaited(inner: OpenContainer): void {
    let placed: OpenContainer | undefined;
    for (let part: OpenContainer | undefined = inner; part !== undefined && canBePlaced(part); part = part.parent) {
      part.isPlaced = true;
      this.#withheld--;
      placed = part;
      this.#store(part, withState(part.declared, part.value, 'incomplete'));
    }
    if (placed !== undefined) this.#markFresh(placed);
  }

  #place(part: OpenContainer | OpenString, state: NodeState): void {
    this.#set(part, withState(part.declared, part.value, state));
  }

  /** Puts a value into its place. The container around it may have waited for it. */
  #set(part: OpenPart, shown: VisibleValue): void {
    this.#store(part, shown);
    if (part.parent !== undefined) this.#placeAwaited(part.parent);
  }

  #store({ parent, key }: OpenPart, shown: VisibleValue): void {
    if (parent === undefined) this.#root = shown;
    else if (isBlocked(parent)) return;
    else if (Array.isArray(parent.value)) parent.value[key as number] = shown;
    else {
      setMember(parent.value, key as string, shown);
      parent.awaited.delete(key as string);
    }
  }
}

function canBePlaced({ isPlaced, awaited, parent }: OpenContainer): boolean {
  return !isPlaced && awaited.size === 0 && !isBlocked(parent);
}

/** Only a list is blocked by a child that is withheld. */
function isBlocked(parent: OpenContainer | undefined): boolean {
  return parent !== undefined && parent.isBlocked && Array.isArray(parent.value);
}

function awaitedFields(schema: ContainerSchema): Set<string> {
  if (schema.kind === 'array') return new Set();
  const fields = [...schema.fields.values()].filter((field) => field.schema.stream.notNull);
  return new Set(fields.map(({ name }) => name));
}

/** The path of the value itself. With the `with-state` rule it is inside a pair. */
function valuePath({ path, declared }: OpenPart): LinkedPath | undefined {
  return declared.stream.state ? { parent: path, key: 'value' } : path;
}
