// Formats the scorecard as text.

import { isDeepStrictEqual } from 'node:util';

import { groups, isConfidentlyWrong, isExact, percent, type Scored } from '../../test/support/damage/score.ts';

export interface Scorecard {
  readonly name: string;
  readonly scored: readonly Scored[];
}

const titles: Readonly<Record<string, string>> = { all: 'exact', typed: 'with schema', untyped: 'without' };
const nameWidth = 24;

export function tableHead(): string {
  const columns = Object.keys(groups).map((name) => cell(titles[name] ?? name));
  return 'healer'.padEnd(nameWidth) + columns.join('') + cell('wrong') + cell('doubted') + cell('refused');
}

export function tableRow({ name, scored }: Scorecard): string {
  const exact = Object.values(groups).map((isIn) => figure(percent(scored.filter(isIn), isExact)));
  const wrong = figure(percent(scored, isConfidentlyWrong));
  const doubted = figure(percent(scored, ({ outcome }) => outcome.verdict === 'doubted'));
  const refused = figure(
    percent(scored, ({ outcome }) => outcome.verdict === 'refused' || outcome.verdict === 'crashed'),
  );
  return name.padEnd(nameWidth) + exact.join('') + wrong + doubted + refused;
}

/** The kinds of damage that fail most often on their own, each with its shortest example. */
export function worstKinds(scored: readonly Scored[], count: number): string {
  const kinds = Map.groupBy(
    scored.filter(({ damaged }) => damaged.kinds.length === 1),
    ({ damaged }) => damaged.kinds[0]!,
  );
  const failing = [...kinds]
    .map(([kind, each]) => ({ kind, exact: percent(each, isExact)!, failed: each.filter((one) => !isExact(one)) }))
    .filter(({ failed }) => failed.length > 0)
    .toSorted((first, second) => first.exact - second.exact);
  const lines = failing
    .slice(0, count)
    .map(({ kind, exact, failed }) => `${kind}: ${exact.toFixed(1)}\n${example(failed)}`);
  return [`\n${failing.length} of ${kinds.size} kinds are not always healed. The worst:`, ...lines, ''].join('\n');
}

function example(failed: readonly Scored[]): string {
  const [{ damaged, isTyped, outcome }] = failed.toSorted(
    (first, second) => first.damaged.text.length - second.damaged.text.length,
  ) as [Scored];
  const how = `${isTyped ? 'with' : 'without'} schema, confidence ${outcome.confidence?.toFixed(2) ?? 'none'}`;
  const what = outcome.verdict === 'wrong' ? difference(damaged.accepted[0], outcome.value, '') : outcome.message;
  return `  ${shorten(JSON.stringify(damaged.text), 600)}\n  ${outcome.verdict}, ${how}${what === undefined ? '' : `: ${what}`}`;
}

/** The first difference between two values. */
function difference(expected: unknown, got: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(expected, got)) return undefined;
  if (isContainer(expected) && isContainer(got)) {
    for (const key of new Set([...Object.keys(expected), ...Object.keys(got)])) {
      const found = difference(expected[key], got[key], `${path}/${key}`);
      if (found !== undefined) return found;
    }
  }
  return `${path} is ${shorten(JSON.stringify(got) ?? 'missing', 120)} instead of ${shorten(JSON.stringify(expected) ?? 'missing', 120)}`;
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function figure(value: number | undefined): string {
  return cell(value === undefined ? '—' : value.toFixed(1));
}

function cell(text: string): string {
  return text.padStart(12);
}
