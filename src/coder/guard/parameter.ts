// The possible values of `$NAME` and `${NAME…}`. Operations are evaluated if their operands are known; otherwise the result
// is unknown and no more trusted than its operands.

import type { ParameterExpansionPart, ParameterOperation, SimpleExpansionPart, Word } from 'unbash';
import type { Expansion } from './expand.ts';
import {
  emptyField,
  literalOf,
  numberField,
  originOf,
  prefixOf,
  shownOf,
  spaced,
  tame,
  textField,
  wild,
  type ShellField,
} from './field.ts';
import type { ValueAlternatives, Shell, Value } from './shell.ts';

export function expandParameter(
  part: SimpleExpansionPart | ParameterExpansionPart,
  expansion: Expansion,
  isQuoted: boolean,
): ValueAlternatives {
  if (part.type === 'SimpleExpansion')
    return listed(valuesOf(part.text.slice(1), expansion.shell), part.text, isQuoted);
  if (part.index !== undefined) expansion.single(part.index);
  if (part.prefix === '#') return [[numberField]];
  const values = baseValues(part, expansion);
  const { operation } = part;
  if (operation === undefined) return listed(values, part.text, isQuoted);
  return values.flatMap((value) => operate(value, operation, { part, expansion }));
}

/** Inside quotes only `@` keeps elements separate. */
function listed(values: ValueAlternatives, text: string, isQuoted: boolean): ValueAlternatives {
  if (!isQuoted || !/^\$\*|^\$\{\*|\[\*\]/.test(text)) return values;
  return values.map((value) => [spaced(value)]);
}

function baseValues({ parameter, prefix, index }: ParameterExpansionPart, { shell }: Expansion): ValueAlternatives {
  if (prefix !== '!') return indexed(parameter, index, shell);
  const names = valuesOf(parameter, shell).map(([field = emptyField]) => literalOf(field));
  return names.flatMap((name): ValueAlternatives => (name === undefined ? [[[wild]]] : indexed(name, index, shell)));
}

function indexed(name: string, index: Word | undefined, shell: Shell): ValueAlternatives {
  const values = valuesOf(name, shell);
  const isAll = index?.value === '@' || index?.value === '*';
  if (isAll || name === '@' || name === '*') return values;
  if (index === undefined) return values.map((elements) => elements.slice(0, 1));
  const place = /^-?\d+$/.test(index.value) ? Number(index.value) : undefined;
  if (place === undefined) return values.flatMap((elements) => elements.map((element) => [element]));
  return values.map((elements) => [elements.at(place) ?? emptyField]);
}

const numbers = new Set(
  '# ? $ ! RANDOM UID EUID PPID BASHPID LINENO SECONDS SRANDOM EPOCHSECONDS OPTIND COLUMNS LINES'.split(' '),
);

export function valuesOf(name: string, shell: Shell): ValueAlternatives {
  const known = shell.variables.get(name);
  if (known !== undefined) return known;
  if (name === '@' || name === '*') return [shell.positional];
  if (name === '0') return [[textField('bash')]];
  if (/^\d+$/.test(name)) return [[shell.positional[Number(name) - 1] ?? emptyField]];
  if (numbers.has(name)) return [[numberField]];
  if (name === '_' || name === '-' || /^(BASH_|FUNCNAME|DIRSTACK|REPLY|OLDPWD)/.test(name))
    return [[[{ ...wild, name }]]];
  return [[[{ kind: 'unknown', origin: 'environment', name }]]];
}

interface ParameterScope {
  readonly part: ParameterExpansionPart;
  readonly expansion: Expansion;
}

function operate(value: Value, operation: ParameterOperation, scope: ParameterScope): ValueAlternatives {
  const [field = emptyField] = value;
  if (operation.type === 'Default') return applyDefault(value, operation, scope);
  const operands = operandsOf(operation, scope.expansion);
  const text = literalOf(field);
  if (value.length > 1 || text === undefined || operands.some((operand) => operand === undefined)) {
    return [value.map((element) => derived(element))];
  }
  const result = transform(text, operation, operands as readonly string[]);
  return [[result === undefined ? [wild] : textField(result)]];
}

/** A part of a trusted name is trusted; anything else becomes unknown. */
function derived(field: ShellField): ShellField {
  const origin = originOf(field);
  const isFileName =
    field.some(({ kind }) => kind === 'glob') && !shownOf(field).includes('..') && !prefixOf(field).startsWith('/');
  if (origin === undefined && isFileName) return [tame];
  return origin === undefined ? [wild] : [{ kind: 'unknown', origin }];
}

function applyDefault(
  value: Value,
  { operator, operand }: Extract<ParameterOperation, { type: 'Default' }>,
  { part, expansion }: ParameterScope,
): ValueAlternatives {
  const [field = emptyField] = value;
  const others: ValueAlternatives = expansion.single(operand).map((other) => [other]);
  const isKnown = originOf(field) === undefined;
  const isEmpty = isKnown && field.length === 0;
  if (operator.endsWith('+')) return isKnown ? (isEmpty ? [[emptyField]] : others) : [[emptyField], ...others];
  if (operator.endsWith('?')) {
    return [
      value.map((each) => each.map((piece) => (piece.kind === 'unknown' ? { ...piece, isFilled: true } : piece))),
    ];
  }
  if (operator.endsWith('=')) expansion.shell.assignAll(part.parameter, isKnown && !isEmpty ? [value] : others);
  if (isKnown && !isEmpty) return [value];
  const filled = field.map((piece) => (piece.kind === 'unknown' ? { ...piece, isFilled: true } : piece));
  return isEmpty ? others : [[filled], ...others];
}

function operandsOf(operation: ParameterOperation, expansion: Expansion): readonly (string | undefined)[] {
  const words = Object.values(operation).filter((each): each is Word => isWord(each));
  return words.map((word) => {
    const [field, ...others] = expansion.single(word);
    return field === undefined || others.length > 0 ? undefined : literalOf(field);
  });
}

function isWord(each: unknown): each is Word {
  return typeof each === 'object' && each !== null && 'type' in each && each.type === 'Word';
}

function transform(text: string, operation: ParameterOperation, operands: readonly string[]): string | undefined {
  const [first = '', second = ''] = operands;
  switch (operation.type) {
    case 'Slice':
      return slice(text, first, operation.length === undefined ? undefined : second);
    case 'CaseModification':
      return changeCase(text, operation.operator, operands.length > 0 && first !== '');
    case 'Remove':
      return remove(text, operation.operator, first);
    case 'Replace':
      return /[*?[\\]/.test(first) ? undefined : replace(text, operation.operator, first, second);
    default:
      return undefined;
  }
}

function slice(text: string, offset: string, length: string | undefined): string | undefined {
  const start = Number(offset);
  const count = length === undefined ? undefined : Number(length);
  if (!Number.isInteger(start) || (count !== undefined && !Number.isInteger(count))) return undefined;
  const from = start < 0 ? Math.max(0, text.length + start) : start;
  if (count === undefined) return text.slice(from);
  return count < 0 ? text.slice(from, count) : text.slice(from, from + count);
}

function changeCase(text: string, operator: string, isPartial: boolean): string | undefined {
  if (isPartial) return undefined;
  const change = (part: string): string => (operator.startsWith('^') ? part.toUpperCase() : part.toLowerCase());
  return operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1);
}

/** Supports the common patterns `text`, `*text` and `text*`. */
function remove(text: string, operator: string, pattern: string): string | undefined {
  const [, before = '', core = '', after = ''] = /^(\*?)([^*?[\\]*)(\*?)$/.exec(pattern) ?? [];
  if (before + core + after !== pattern || (before !== '' && after !== '')) return undefined;
  if (operator.startsWith('#')) {
    if (after !== '') return undefined;
    if (before === '') return text.startsWith(core) ? text.slice(core.length) : text;
    const place = operator === '#' ? text.indexOf(core) : text.lastIndexOf(core);
    return place === -1 ? text : text.slice(place + core.length);
  }
  if (before !== '') return undefined;
  if (after === '') return text.endsWith(core) ? text.slice(0, text.length - core.length) : text;
  const place = operator === '%' ? text.lastIndexOf(core) : text.indexOf(core);
  return place === -1 ? text : text.slice(0, place);
}

function replace(text: string, operator: string, pattern: string, replacement: string): string {
  if (pattern === '') return text;
  if (operator === '//') return text.replaceAll(pattern, () => replacement);
  if (operator === '/#') return text.startsWith(pattern) ? replacement + text.slice(pattern.length) : text;
  if (operator === '/%') return text.endsWith(pattern) ? text.slice(0, -pattern.length) + replacement : text;
  return text.replace(pattern, () => replacement);
}
