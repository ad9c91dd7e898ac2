// Parses an unquoted word: a number, a literal of JSON, Python or JavaScript, or a string.

import type { NodeKind } from './node.ts';

export interface Scalar {
  readonly kind: NodeKind;
  readonly value: unknown;
  /** Set if it is not written as JSON would write it. */
  readonly fixed?: 'fixed-literal' | 'fixed-number' | 'unquoted-string' | 'precision-lost';
}

const literals: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ['true', { kind: 'boolean', value: true }],
  ['false', { kind: 'boolean', value: false }],
  ['null', { kind: 'null', value: null }],
  ['True', { kind: 'boolean', value: true, fixed: 'fixed-literal' }],
  ['TRUE', { kind: 'boolean', value: true, fixed: 'fixed-literal' }],
  ['False', { kind: 'boolean', value: false, fixed: 'fixed-literal' }],
  ['FALSE', { kind: 'boolean', value: false, fixed: 'fixed-literal' }],
  ['None', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['NULL', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['Null', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['nil', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['undefined', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['NaN', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['nan', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['Infinity', { kind: 'null', value: null, fixed: 'fixed-literal' }],
  ['-Infinity', { kind: 'null', value: null, fixed: 'fixed-literal' }],
]);

const strictNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
/**
 * Leading zeros or plus, a bare decimal point, an unfinished fraction or exponent, `_` as a digit separator, a type
 * suffix.
 */
const looseNumber = /^[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d*)?[nLfd]?$/;
const hexNumber = /^[+-]?0[xX][0-9a-fA-F]+$/;
const groupedNumber = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/;

export function parseScalar(raw: string): Scalar {
  const scalar = beginsScalar(raw.charCodeAt(0)) ? (literals.get(raw) ?? parseNumber(raw)) : undefined;
  return scalar ?? { kind: 'string', value: raw, fixed: 'unquoted-string' };
}

/** Quick test of the first character, because most words are neither numbers nor literals. */
export function beginsScalar(unit: number): boolean {
  return scalarStarts.has(unit);
}

const scalarStarts: ReadonlySet<number> = new Set(
  [...literals.keys(), ...Array.from('+-.0123456789')].map((word) => word.charCodeAt(0)),
);

export function isLiteral(raw: string): boolean {
  return literals.has(raw);
}

/** Whether the word is a number, or the beginning of one. */
export function isNumeric(raw: string): boolean {
  return looseNumber.test(raw) || groupedNumber.test(raw) || hexNumber.test(raw) || raw === '-';
}

function parseNumber(raw: string): Scalar | undefined {
  if (strictNumber.test(raw)) return { kind: 'number', value: Number(raw), ...precision(raw) };
  if (hexNumber.test(raw)) {
    const sign = raw.startsWith('-') ? -1 : 1;
    return { kind: 'number', value: sign * Number(raw.replace(/^[+-]/, '')), fixed: 'fixed-number' };
  }
  if (groupedNumber.test(raw)) return { kind: 'number', value: Number(raw.replaceAll(',', '')), fixed: 'fixed-number' };
  if (!looseNumber.test(raw)) return undefined;
  const digits = raw
    .replaceAll('_', '')
    .replace(/[nLfd]$/, '')
    .replace(/[eE][+-]?$/, '');
  const value = Number(digits.replace(/\.$/, ''));
  return Number.isFinite(value) && /\d/.test(digits) ? { kind: 'number', value, fixed: 'fixed-number' } : undefined;
}

/** Flags an integer that a double cannot represent exactly. */
function precision(raw: string): { fixed?: 'precision-lost' } {
  const value = Number(raw);
  if (raw.length < 16 || !/^-?\d+$/.test(raw) || Number.isSafeInteger(value)) return {};
  return Number.isFinite(value) && BigInt(raw) === BigInt(value) ? {} : { fixed: 'precision-lost' };
}
