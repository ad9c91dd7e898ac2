// A value that fits a JSON Schema, made up by chance that repeats itself. Covers types, bounds, enum and const,
// references (also recursive ones), alternatives and intersections; ignores `not`, `if` and `patternProperties`.
// Invariant: it ends for every schema. A schema that nothing fits gets `null`.

import { isRecord, type JsonValue } from '../../core/json.ts';
import type { Random } from './random.ts';
import { listOf, SchemaDocument, type Keywords, type Schema } from './sample-schema.ts';
import { sampleString, sampleWord } from './sample-string.ts';

/** Words and numbers taken from a conversation, used before made-up ones wherever they fit. Used up in order. */
export interface Hints {
  readonly text: string;
  readonly strings: string[];
  readonly numbers: number[];
}

/** From this depth on, only what is required is made. */
const tiredDepth = 4;
/** A schema that requires itself has no value; this is where the search for one stops. */
const lastDepth = 40;

export function sampleValue(schema: Schema, random: Random, hints: Hints = noHints()): JsonValue {
  return new Sampler(new SchemaDocument(schema), random, hints).value(schema, 0);
}

export function noHints(): Hints {
  return { text: '', strings: [], numbers: [] };
}

class Sampler {
  readonly #document: SchemaDocument;
  readonly #random: Random;
  readonly #hints: Hints;

  constructor(document: SchemaDocument, random: Random, hints: Hints) {
    this.#document = document;
    this.#random = random;
    this.#hints = hints;
  }

  value(schema: unknown, depth: number): JsonValue {
    const flat = this.#document.flatten(schema, this.#random, depth >= tiredDepth);
    if (flat === false || depth > lastDepth) return null;
    if ('const' in flat) return flat['const'] as JsonValue;
    if (Array.isArray(flat['enum'])) return this.#choice(flat['enum'] as JsonValue[]);
    switch (this.#typeOf(flat)) {
      case 'object':
        return this.#object(flat, depth);
      case 'array':
        return this.#array(flat, depth);
      case 'number':
        return this.#number(flat, false);
      case 'integer':
        return this.#number(flat, true);
      case 'boolean':
        return this.#random.chance(0.5);
      case 'null':
        return null;
      default:
        return sampleString(flat, this.#random, this.#hints.strings);
    }
  }

  #choice(values: readonly JsonValue[]): JsonValue {
    const mentioned = values.filter(
      (value) => typeof value === 'string' && value !== '' && this.#hints.text.includes(value.toLowerCase()),
    );
    if (values.length === 0) return null;
    return this.#random.pick(mentioned.length > 0 ? mentioned : values);
  }

  #typeOf(schema: Keywords): string {
    const { type } = schema;
    if (typeof type === 'string') return type;
    if (Array.isArray(type) && type.length > 0) {
      const real = type.filter((name) => name !== 'null');
      return real.length === 0 || (real.length < type.length && this.#random.chance(0.2))
        ? 'null'
        : this.#random.pick(real);
    }
    return typeByKeyword.find(([keyword]) => keyword in schema)?.[1] ?? 'string';
  }

  #object(schema: Keywords, depth: number): JsonValue {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const required = listOf(schema['required']) as string[];
    const additional = schema['additionalProperties'] ?? true;
    const maximum = numberOr(schema['maxProperties'], Number.POSITIVE_INFINITY);
    const optional = depth >= tiredDepth ? 0 : 0.7;
    const names = new Set(required);
    for (const name of Object.keys(properties)) {
      if (names.size < maximum && this.#random.chance(optional)) names.add(name);
    }
    const minimum = numberOr(schema['minProperties'], isRecord(schema['additionalProperties']) && optional > 0 ? 1 : 0);
    this.#addNames(names, Math.min(minimum, maximum), schema);
    const inOrder = [...Object.keys(properties).filter((name) => names.has(name)), ...names];
    return Object.fromEntries(
      [...new Set(inOrder)].map((name) => [name, this.value(properties[name] ?? additional, depth + 1)]),
    );
  }

  #addNames(names: Set<string>, wanted: number, schema: Keywords): void {
    for (const name of Object.keys(isRecord(schema['properties']) ? schema['properties'] : {})) {
      if (names.size < wanted) names.add(name);
    }
    if (schema['additionalProperties'] === false) return;
    for (let turns = 0; names.size < wanted && turns < 50; turns += 1) {
      const rule = isRecord(schema['propertyNames']) ? schema['propertyNames'] : undefined;
      names.add(
        rule === undefined ? `${sampleWord(this.#random)}${turns || ''}` : sampleString(rule, this.#random, []),
      );
    }
  }

  #array(schema: Keywords, depth: number): JsonValue {
    const tuple = listOf(schema['prefixItems'] ?? schema['items']);
    const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    const length = this.#arrayLength(schema, tuple.length, depth, rest === false);
    const items: JsonValue[] = [];
    const seen = new Set<string>();
    for (let turns = 0; items.length < length && turns < length + 50; turns += 1) {
      const item = this.value(tuple[items.length] ?? rest ?? { type: 'string' }, depth + 1);
      const key = JSON.stringify(item);
      if (schema['uniqueItems'] === true && seen.has(key)) continue;
      seen.add(key);
      items.push(item);
    }
    return items;
  }

  #arrayLength(schema: Keywords, tuple: number, depth: number, closed: boolean): number {
    const minimum = numberOr(schema['minItems'], 0);
    const maximum = Math.min(
      numberOr(schema['maxItems'], Number.POSITIVE_INFINITY),
      closed ? tuple : Number.POSITIVE_INFINITY,
    );
    if (depth >= tiredDepth) return Math.min(minimum, maximum);
    const wanted = Math.max(minimum, tuple, 1);
    return Math.min(maximum, tuple > 0 ? wanted : this.#random.integer(wanted, wanted + 2));
  }

  #number(schema: Keywords, whole: boolean): number {
    const { minimum, maximum } = boundsOf(schema, whole);
    const hinted = this.#hints.numbers[0];
    if (hinted !== undefined && fitsNumber(hinted, schema, whole)) return this.#hints.numbers.shift()!;
    const step = numberOr(schema['multipleOf'], whole ? 1 : 0);
    if (step > 0) {
      const first = Math.ceil(minimum / step);
      const multiple = this.#random.integer(first, Math.max(first, Math.floor(maximum / step)));
      return Number((multiple * step).toPrecision(12));
    }
    const exact = minimum + (maximum - minimum) * (0.05 + 0.9 * this.#random.next());
    const rounded = Math.round(exact * 100) / 100;
    return rounded > minimum && rounded < maximum ? rounded : exact;
  }
}

const typeByKeyword: readonly (readonly [string, string])[] = [
  ['properties', 'object'],
  ['required', 'object'],
  ['additionalProperties', 'object'],
  ['minProperties', 'object'],
  ['items', 'array'],
  ['prefixItems', 'array'],
  ['minItems', 'array'],
  ['minimum', 'number'],
  ['maximum', 'number'],
  ['exclusiveMinimum', 'number'],
  ['exclusiveMaximum', 'number'],
  ['multipleOf', 'number'],
];

/** A finite range inside the schema's bounds: 0 to 100 where it says nothing, a hundred wide where it says half. */
function boundsOf(schema: Keywords, whole: boolean): { minimum: number; maximum: number } {
  const step = whole || typeof schema['multipleOf'] === 'number' ? numberOr(schema['multipleOf'], 1) : 0;
  const lows = [schema['minimum'], above(schema['exclusiveMinimum'], step)].filter(
    (bound) => typeof bound === 'number',
  );
  const highs = [schema['maximum'], above(schema['exclusiveMaximum'], -step)].filter(
    (bound) => typeof bound === 'number',
  );
  const width = Math.max(100, 10 * step);
  const low = lows.length > 0 ? Math.max(...lows) : undefined;
  const high = highs.length > 0 ? Math.min(...highs) : undefined;
  const minimum = low ?? Math.min(0, (high ?? width) - width);
  const maximum = high ?? Math.max(low === undefined ? width : low + width, minimum);
  return whole ? { minimum: Math.ceil(minimum), maximum: Math.floor(maximum) } : { minimum, maximum };
}

/** The nearest allowed number beyond an exclusive bound, where the numbers have steps. */
function above(bound: unknown, step: number): number | undefined {
  if (typeof bound !== 'number') return undefined;
  if (step === 0) return bound;
  const next = step > 0 ? Math.floor(bound / step) * step + step : Math.ceil(bound / -step) * -step + step;
  return Number(next.toPrecision(12));
}

function fitsNumber(value: number, schema: Keywords, whole: boolean): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if ('multipleOf' in schema || (whole && !Number.isInteger(value))) return false;
  return (
    value >= numberOr(minimum, value) &&
    value <= numberOr(maximum, value) &&
    value > numberOr(exclusiveMinimum, Number.NEGATIVE_INFINITY) &&
    value < numberOr(exclusiveMaximum, Number.POSITIVE_INFINITY)
  );
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
