// Describes the result of healing for a person: the value, and each change with its path. The colour of a change shows how
// much it lowers the confidence.

import { flagWeights, formatPath, type Flag } from '../../../heal/index.ts';
import { toJsonText } from '../../../heal/report/json-text.ts';
import { paintJson } from '../../json-text.ts';
import { formatTable } from '../../terminal/table.ts';
import { painter, toPrintable, widthOf, type Paint, type Terminal } from '../../terminal/terminal.ts';
import type { HealOutcome } from './request.ts';

export function describeHealed({ value, flags, confidence }: HealOutcome, { stdout, env }: Terminal): string {
  const paint = painter(stdout, env);
  const shown = paintJson(toPrintable(toJsonText(value, 2), stdout), paint);
  return `${shown}\n\n${summarise(flags, confidence, paint)}\n${describeFlags(flags, paint, widthOf(stdout))}`;
}

/** Lists the changes, for stderr. */
export function describeChanges(flags: readonly Flag[], { stderr, env }: Terminal): string {
  return describeFlags(flags, painter(stderr, env), widthOf(stderr));
}

export function summarise(flags: readonly Flag[], confidence: number, paint: Paint): string {
  const colour = confidence >= 0.9 ? 'green' : confidence >= 0.7 ? 'yellow' : 'red';
  // Rounded down, so that 1 means that nothing was changed.
  const sure = paint(colour, `confidence ${Math.floor(confidence * 1000) / 1000}`);
  if (flags.length === 0) return `${sure}: nothing was changed`;
  return `${sure}: ${flags.length === 1 ? '1 change' : `${flags.length} changes`}`;
}

export function describeFlags(flags: readonly Flag[], paint: Paint, width: number): string {
  if (flags.length === 0) return '';
  const dim = (text: string) => (text === '' ? '' : paint('dim', text));
  const columns = [
    { title: '', cell: ({ kind }: Flag) => `  ${paint(colourOf(flagWeights[kind]), kind)}` },
    { title: '', cell: ({ path }: Flag) => (path.length === 0 ? dim('the value') : formatPath(path)) },
    { title: '', cell: (flag: Flag) => dim(detailOf(flag)), dispensable: 1 },
  ];
  return formatTable(flags, columns, width).replace(/^.*\n/, '');
}

function colourOf(weight: number): 'green' | 'yellow' | 'red' {
  return weight < 0.05 ? 'green' : weight < 0.2 ? 'yellow' : 'red';
}

function detailOf({ expected, found, from, to, field, count }: Flag): string {
  const parts: string[] = [];
  if (from !== undefined && to !== undefined) parts.push(`${from} → ${to}`);
  if (found !== undefined && expected !== undefined) parts.push(`${quote(found)} → ${quote(expected)}`);
  else if (found !== undefined) parts.push(quote(found));
  if (field !== undefined) parts.push(field);
  if (count !== undefined) parts.push(`× ${count}`);
  return parts.join(', ');
}

function quote(text: string): string {
  return JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 40)}…`);
}
