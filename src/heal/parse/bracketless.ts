// Reads responses without brackets, as a last resort, if the schema shows what is meant: lines of keys and values, a
// constructor call, or a Markdown list.

import type { ScoredRoot } from '../coerce/scored-root.ts';
import { finishScoring, scoreNode, beginScoring } from '../coerce/coerce.ts';
import { LenientMachine } from './machine.ts';
import { resultFrom, resultOf, type CoerceContext } from '../coerce/node-scores.ts';
import { pathFrom, type LinkedPath } from '../report/linked-path.ts';
import { changed, markOn, marksOf, type Result } from '../coerce/result.ts';
import type { HealTarget } from '../schema/heal-target.ts';
import { textNode } from './text-node.ts';

/** A text without a bracket that opens a value. */
export interface BracketlessText {
  readonly text: string;
  /** Offset after the last `</think>`. */
  readonly start: number;
  readonly thinkCount: number;
  readonly maxDepth: number;
  readonly context: CoerceContext;
}

export function readBracketless(target: HealTarget, source: BracketlessText): ScoredRoot | undefined {
  return readBullets(target, source) ?? readLines(target, source);
}

/** Reads lines of keys and values, or the arguments of a call, if the schema knows one of the keys. */
function readLines(target: HealTarget, source: BracketlessText): ScoredRoot | undefined {
  const text = source.text.slice(source.start);
  const call = insideCall(target, text);
  if (call === undefined && !hasKnownKey(target, text)) return undefined;
  const choice = readMembers(target, call ?? text, source);
  if (choice === undefined || call === undefined) return choice;
  return { ...choice, marks: [...choice.marks, markOn(choice.node, 'stripped-wrapper')] };
}

/** Reads the content of an object without its braces. */
function readMembers(target: HealTarget, text: string, { maxDepth, context }: BracketlessText): ScoredRoot | undefined {
  const machine = new LenientMachine({
    expect: target.candidates,
    isObject: true,
    maxDepth,
    listener: {
      opened: (node, parent) => beginScoring(node, parent, target),
      completed: (node) => finishScoring(node, context),
    },
  });
  machine.end(text);
  const [root] = machine.roots;
  const result = root === undefined ? null : resultOf(root.node, target.schema);
  return root === undefined || result === null ? undefined : { ...root, result };
}

/** Reads a Markdown list if the schema wants an array. */
function readBullets(target: HealTarget, source: BracketlessText): ScoredRoot | undefined {
  const { text, start, thinkCount } = source;
  const list = target.schema.kind === 'array' ? target.schema : undefined;
  const texts = list === undefined ? undefined : bulletItems(text.slice(start));
  const node = texts === undefined ? undefined : textNode(text, start, text.length);
  if (list === undefined || texts === undefined || node === undefined) return undefined;
  const itemTarget = target.part(list.items, source.context.budget);
  const parts: Result[] = [];
  for (let [index, offset] = [0, start]; index < texts.length; index++) {
    const item = texts[index] as string;
    const result = scoreItem(itemTarget, item, source);
    if (result === null) return undefined;
    parts.push(relocate(result, { parent: undefined, key: index }, offset));
    offset += item.length;
  }
  const mark = markOn(node, 'collected-values', { count: parts.length });
  const values = parts.map(({ value }) => value);
  return { node, fenced: false, thinkCount, marks: [], result: changed(values, [mark], parts) };
}

/** An item was read as a text of its own: moves its marks to its position in the list. */
function relocate(result: Result, path: LinkedPath, offset: number): Result {
  const marks = marksOf(result).map((mark) => ({
    ...mark,
    path: pathFrom(path, mark.path),
    start: mark.start + offset,
    end: mark.end + offset,
  }));
  return changed(result.value, marks);
}

function scoreItem(target: HealTarget, text: string, source: BracketlessText): Result | null {
  if (hasKnownKey(target, text)) {
    const choice = readMembers(target, text, source);
    if (choice === undefined) return null;
    // The item ends where the next one begins; it was not truncated.
    const marks = choice.marks.filter(({ kind }) => kind !== 'closed-truncated');
    return changed(choice.result.value, marks, [choice.result]);
  }
  const node = textNode(text, 0, text.length);
  return node === undefined ? null : resultFrom(scoreNode(node, target.candidates, source.context), target.schema);
}

/** Whether a line starts with a field of the schema and a colon. */
function hasKnownKey({ candidates }: HealTarget, text: string): boolean {
  return text
    .slice(0, 4000)
    .split('\n')
    .some((line) => {
      const key = keyOf(line);
      return key !== undefined && candidates.knows(key) === true;
    });
}

const marks = new Set('"\'*');

/**
 * The text before the first colon, without bullets, asterisks and quotes. Written by hand because a regular expression
 * would be cubic.
 */
function keyOf(line: string): string | undefined {
  const colon = line.indexOf(':');
  if (colon === -1) return undefined;
  const key = line.slice(0, colon).trim();
  let [start, end] = [0, key.length];
  while (start < end && /[\s*-]/.test(key.charAt(start))) start++;
  if (key.charAt(start) === '"' || key.charAt(start) === "'") start++;
  while (end > start && marks.has(key.charAt(end - 1))) end--;
  const name = key.slice(start, end);
  return /^[\w$][\w$ .-]*$/.test(name) ? name : undefined;
}

/** The arguments of a constructor call whose first argument is a field of the schema: `Person(name="Ada", age=36)`. */
function insideCall({ candidates }: HealTarget, text: string): string | undefined {
  const [, inside] = /^\s*(?:new\s+)?[A-Za-z_][\w.]*\(([^]*)\)[\s;]*$/.exec(text) ?? [];
  const [, key] = /^\s*([\w$]+)\s*=/.exec(inside ?? '') ?? [];
  return key !== undefined && candidates.knows(key) === true ? inside : undefined;
}

const bullet = /^(\s*)(?:[-*•]|\d{1,3}[.)])\s+(\S.*)$/;

/** The text of each item; `undefined` if the text contains anything but a list and one line that introduces it. */
export function bulletItems(text: string): string[] | undefined {
  const items: string[] = [];
  let indent = 0;
  for (const line of text.split('\n')) {
    const [, space = '', content] = bullet.exec(line) ?? [];
    if (content !== undefined && (items.length === 0 || space.length <= indent)) {
      if (items.length === 0) indent = space.length;
      items.push(content);
    } else if (items.length > 0 && /^\s/.test(line)) items[items.length - 1] += `\n${line}`;
    else if (line.trim() !== '' && !(items.length === 0 && line.trimEnd().endsWith(':'))) return undefined;
  }
  return items.length > 1 ? items.map(withoutMarks) : undefined;
}

/** Removes quotes around the item and a comma after it. */
function withoutMarks(item: string): string {
  const [, quoted, bare] = /^(?:"([^"]*)"|(.*?)),?\s*$/s.exec(item) ?? [];
  return quoted ?? bare ?? item;
}
