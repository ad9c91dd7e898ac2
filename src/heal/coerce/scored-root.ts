// Which of the values in a text is the answer to a schema. After the last `</think>` beats before; fenced beats bare; then
// the cheapest against the schema; of equals the last.

import type { Mark, MarkCounts } from '../parse/mark.ts';
import type { Node } from '../parse/node.ts';
import type { Prose } from '../parse/prose.ts';
import type { Result } from './result.ts';
import { flagWeights } from '../report/flag.ts';
import { markOn } from './result.ts';

/** A value that could be the answer, and what it is under the schema. */
export interface ScoredRoot {
  readonly node: Node;
  readonly fenced: boolean;
  readonly thinkCount: number;
  readonly marks: readonly Mark[];
  /** What was changed besides, and is only counted. */
  readonly unlisted?: MarkCounts | undefined;
  readonly result: Result;
}

export function chooseScoredRoot(choices: readonly ScoredRoot[], last: number): ScoredRoot | undefined {
  let best: ScoredRoot | undefined;
  for (const choice of choices) if (best === undefined || isBetter(choice, best, last)) best = choice;
  return best;
}

function isBetter(choice: ScoredRoot, best: ScoredRoot, last: number): boolean {
  const [isAnswer, wasAnswer] = [choice.thinkCount === last, best.thinkCount === last];
  if (isAnswer !== wasAnswer) return isAnswer;
  if (choice.fenced !== best.fenced) return choice.fenced;
  return costOf(choice) <= costOf(best);
}

/** How it was written does not count, but for a value that is not whole. */
function costOf({ result, marks }: ScoredRoot): number {
  return result.cost + (marks.some((mark) => mark.kind === 'closed-truncated') ? flagWeights['closed-truncated'] : 0);
}

/** What was passed over around the answer. */
export function contextMarks(prose: Prose, node: Node, fenced: boolean, values: number): Mark[] {
  const marks: Mark[] = [];
  if (fenced || prose.fences.length > 0) marks.push(markOn(node, 'stripped-markdown'));
  if (prose.thinkCount > 0 || prose.thinking) marks.push(markOn(node, 'stripped-think'));
  if (prose.found) marks.push(markOn(node, 'stripped-prose'));
  if (values > 1 || isInThinking(prose, node)) marks.push(markOn(node, 'chose-value', { count: values }));
  return marks;
}

/** Whether the value stands in the model's thinking, and no answer follows it. */
function isInThinking({ thinking, thoughtStart, responseStart }: Prose, { start }: Node): boolean {
  return start < responseStart || (thinking && start >= thoughtStart);
}
