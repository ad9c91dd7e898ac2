// Chooses between several values in a text when there is a schema. Precedence: after the last `</think>`, then inside a
// code fence, then lowest cost, then last in the text.

import type { Mark, MarkCounts } from '../parse/mark.ts';
import type { Node } from '../parse/node.ts';
import type { Prose } from '../parse/prose.ts';
import type { Result } from './result.ts';
import { flagCosts } from '../report/flag.ts';
import { noOtherValues, type OtherValues } from './other-values.ts';
import { markOn } from './result.ts';

/** A value in the text, with its result under the schema. */
export interface ScoredRoot {
  readonly node: Node;
  readonly fenced: boolean;
  readonly thinkCount: number;
  readonly marks: readonly Mark[];
  /** Counts of changes that have no mark. */
  readonly unlisted?: MarkCounts | undefined;
  readonly result: Result;
}

export function chooseScoredRoot(choices: readonly ScoredRoot[], last: number): ScoredRoot | undefined {
  let best: ScoredRoot | undefined;
  for (const choice of choices) if (best === undefined || isBetter(choice, best, last)) best = choice;
  return best;
}

function isBetter(choice: ScoredRoot, best: ScoredRoot, last: number): boolean {
  const [isResponse, wasResponse] = [choice.thinkCount === last, best.thinkCount === last];
  if (isResponse !== wasResponse) return isResponse;
  if (choice.fenced !== best.fenced) return choice.fenced;
  return costOf(choice) <= costOf(best);
}

/** Notation does not count, except that a truncated value costs more. */
function costOf({ result, marks }: ScoredRoot): number {
  return result.cost + (marks.some((mark) => mark.kind === 'closed-truncated') ? flagCosts['closed-truncated'] : 0);
}

/** The changes that removed what surrounds the value, including the other values of the text. */
export function contextMarks(
  prose: Prose,
  { node, fenced }: Pick<ScoredRoot, 'node' | 'fenced'>,
  { possible, impossible }: OtherValues = noOtherValues,
): Mark[] {
  const marks: Mark[] = [];
  if (fenced || prose.fences.length > 0) marks.push(markOn(node, 'stripped-markdown'));
  if (prose.thinkCount > 0 || prose.thinking) marks.push(markOn(node, 'stripped-think'));
  if (prose.found) marks.push(markOn(node, 'stripped-prose'));
  if (impossible > 0) marks.push(markOn(node, 'stripped-value', { count: impossible }));
  if (possible > 0 || isInThinking(prose, node)) marks.push(markOn(node, 'chose-value', { count: 1 + possible }));
  return marks;
}

/** Whether the value lies inside the model's thinking. */
function isInThinking({ thinking, thinkingStart, responseStart }: Prose, { start }: Node): boolean {
  return start < responseStart || (thinking && start >= thinkingStart);
}
