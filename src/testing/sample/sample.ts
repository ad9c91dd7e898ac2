// Samples a value that fits a JSON Schema, from a seeded random generator. Supports types, bounds, enum and const,
// references (also recursive ones), unions and intersections; ignores `not`, `if` and `patternProperties`.
// Invariant: every part spends from one budget, so sampling always ends, with a bounded value or with an error that names
// the constraint. For a schema that no value fits, the result is `null`.

import { SimpleAgentsError } from '../../core/error.ts';
import { entryOf, isRecord, type JsonValue } from '../../core/json.ts';
import type { Random } from '../model/random.ts';
import { mostDepth, SampleBudget, SampleLimit } from './sample-budget.ts';
import { PatternSampler } from './sample-pattern.ts';
import { SchemaDocument } from './sample-schema.ts';
import { sampleString, sampleWord, type StringSource } from './sample-string.ts';
import { listOf, numberOr, type Keywords, type Schema } from './schema-keywords.ts';

/** Words and numbers from a conversation. They are used in order, wherever they fit, before random ones. */
export interface Hints {
  readonly text: string;
  readonly strings: string[];
  readonly numbers: number[];
}

/** From this depth on, only what the schema requires is sampled. */
const leanDepth = 4;

export interface SampleOptions {
  readonly hints?: Hints;
  /** Shared by the values of one response. */
  readonly budget?: SampleBudget;
  /** What the schema belongs to, for messages: `response_format`. */
  readonly subject?: string;
  /** The request's field, for the error. */
  readonly field?: string;
}

/** Throws `bad-request` if the schema requires more than the budget allows. */
export function sampleValue(schema: Schema, random: Random, options: SampleOptions = {}): JsonValue {
  const { hints = noHints(), budget = new SampleBudget(), subject = 'schema', field } = options;
  const parts = { budget, random, hints, patterns: new PatternSampler() };
  const { strings, numbers } = structuredClone(hints);
  try {
    const rich = budget.attempt(() => new Sampler(schema, parts, leanDepth).value(schema, { depth: 0, place: '' }));
    if (rich !== undefined) return rich;
    hints.strings.splice(0, Number.POSITIVE_INFINITY, ...strings);
    hints.numbers.splice(0, Number.POSITIVE_INFINITY, ...numbers);
    return new Sampler(schema, parts, 0).value(schema, { depth: 0, place: '' });
  } catch (error) {
    if (!(error instanceof SampleLimit)) throw error;
    throw new SimpleAgentsError('bad-request', `${subject}: ${error.message}`, field === undefined ? {} : { field });
  }
}

export function noHints(): Hints {
  return { text: '', strings: [], numbers: [] };
}

interface SamplerParts {
  readonly budget: SampleBudget;
  readonly random: Random;
  readonly hints: Hints;
  readonly patterns: PatternSampler;
}

/** The position of a value in the root value: `orders[].tags`. */
interface ValuePosition {
  readonly depth: number;
  readonly place: string;
}

class Sampler {
  readonly #document: SchemaDocument;
  readonly #budget: SampleBudget;
  readonly #random: Random;
  readonly #hints: Hints;
  readonly #strings: StringSource;
  readonly #leanDepth: number;
  readonly #mentioned = new Map<readonly JsonValue[], readonly JsonValue[]>();

  constructor(root: Schema, { budget, random, hints, patterns }: SamplerParts, leanFrom: number) {
    this.#document = new SchemaDocument(root, budget);
    this.#budget = budget;
    this.#random = random;
    this.#hints = hints;
    this.#strings = { random, budget, patterns, hints: hints.strings, isLean: leanFrom === 0 };
    this.#leanDepth = leanFrom;
  }

  value(schema: unknown, position: ValuePosition): JsonValue {
    const { depth, place } = position;
    const shortest = depth >= this.#leanDepth;
    const flat = this.#document.flatten(schema, { random: this.#random, shortest, place });
    this.#budget.spendValues(1, 'the schema', place);
    if (flat === false || depth > mostDepth) return null;
    if ('const' in flat) return this.#given(flat['const'] as JsonValue, 'const', place);
    if (Array.isArray(flat['enum'])) return this.#given(this.#choice(flat['enum'] as JsonValue[]), 'enum', place);
    switch (this.#typeOf(flat)) {
      case 'object':
        return this.#object(flat, position);
      case 'array':
        return this.#array(flat, position);
      case 'number':
        return this.#number(flat, false);
      case 'integer':
        return this.#number(flat, true);
      case 'boolean':
        return this.#random.chance(0.5);
      case 'null':
        return null;
      default:
        return sampleString(flat, this.#strings, place);
    }
  }

  /** A value given in the schema costs as much as a sampled one. */
  #given(value: JsonValue, keyword: string, place: string): JsonValue {
    this.#budget.spendJson(value, keyword, place);
    return value;
  }

  #choice(values: readonly JsonValue[]): JsonValue {
    if (values.length === 0) return null;
    const mentioned = this.#mentioned.get(values) ?? values.filter((value) => this.#isMentioned(value));
    this.#mentioned.set(values, mentioned);
    return this.#random.pick(mentioned.length > 0 ? mentioned : values);
  }

  #isMentioned(value: JsonValue): boolean {
    const { text } = this.#hints;
    return (
      typeof value === 'string' && value !== '' && value.length <= text.length && text.includes(value.toLowerCase())
    );
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

  #object(schema: Keywords, { depth, place }: ValuePosition): JsonValue {
    const properties = isRecord(schema['properties']) ? schema['properties'] : {};
    const names = this.#names(schema, properties, { depth, place });
    this.#budget.expectValues(names.size, `an object of ${names.size} properties`, place);
    const known = Object.keys(properties);
    this.#budget.spendSteps(known.length, place);
    const additional = schema['additionalProperties'] ?? true;
    const inOrder = new Set([...known.filter((name) => names.has(name)), ...names]);
    return Object.fromEntries(
      Array.from(inOrder, (name) => {
        const inside = place === '' ? name : `${place}.${name}`;
        this.#budget.spendCharacters(name.length, 'the property name', inside);
        return [name, this.value(entryOf(properties, name) ?? additional, { depth: depth + 1, place: inside })];
      }),
    );
  }

  #names(schema: Keywords, properties: Keywords, { depth, place }: ValuePosition): Set<string> {
    const required = listOf(schema['required']).filter((name) => typeof name === 'string');
    const least = numberOr(schema['minProperties'], 0);
    this.#budget.expectValues(required.length, `required (${required.length} names)`, place);
    this.#budget.expectValues(least, `minProperties ${least}`, place);
    const maximum = numberOr(schema['maxProperties'], Number.POSITIVE_INFINITY);
    const optional = depth >= this.#leanDepth ? 0 : 0.7;
    const names = new Set(required);
    for (const name of Object.keys(properties)) {
      if (names.size < maximum && this.#random.chance(optional)) names.add(name);
    }
    const minimum = numberOr(schema['minProperties'], isRecord(schema['additionalProperties']) && optional > 0 ? 1 : 0);
    this.#addNames(names, Math.min(minimum, maximum), { schema, properties, place });
    return names;
  }

  #addNames(names: Set<string>, wanted: number, { schema, properties, place }: NameSource): void {
    for (const name of Object.keys(properties)) if (names.size < wanted) names.add(name);
    if (schema['additionalProperties'] === false) return;
    const rule = isRecord(schema['propertyNames']) ? schema['propertyNames'] : undefined;
    for (let turns = 0; names.size < wanted && turns < wanted + 50; turns += 1) {
      this.#budget.spendSteps(1, place);
      names.add(
        rule === undefined
          ? `${sampleWord(this.#random)}${turns || ''}`
          : sampleString(rule, { ...this.#strings, hints: [] }, place),
      );
    }
  }

  #array(schema: Keywords, { depth, place }: ValuePosition): JsonValue {
    const tuple = listOf(schema['prefixItems'] ?? schema['items']);
    const rest = Array.isArray(schema['items']) ? schema['additionalItems'] : schema['items'];
    const inside = { depth: depth + 1, place: `${place}[]` };
    const least = numberOr(schema['minItems'], 0);
    this.#budget.expectValues(least, `minItems ${least}`, place);
    const length = this.#arrayLength(schema, tuple.length, depth, rest === false);
    const items: JsonValue[] = [];
    const seen = new Set<string>();
    for (let turns = 0; items.length < length && turns < length + 50; turns += 1) {
      const item = this.value(tuple[items.length] ?? rest ?? { type: 'string' }, inside);
      if (schema['uniqueItems'] === true && !isNew(seen, JSON.stringify(item))) continue;
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
    if (depth >= this.#leanDepth) return Math.min(minimum, maximum);
    const wanted = Math.max(minimum, tuple, 1);
    return Math.min(maximum, tuple > 0 ? wanted : this.#random.integer(wanted, wanted + 2));
  }

  #number(schema: Keywords, whole: boolean): number {
    const { minimum, maximum } = boundsOf(schema, whole);
    const hinted = this.#hints.numbers[0];
    if (hinted !== undefined && fitsNumber(hinted, schema, whole)) return this.#hints.numbers.shift()!;
    const step = numberOr(schema['multipleOf'], whole ? 1 : 0);
    const number = step > 0 ? this.#multiple(step, minimum, maximum) : this.#between(minimum, maximum);
    // Bounds near the largest number may overflow.
    return Number.isFinite(number) ? number : nearestFinite(minimum, maximum);
  }

  #multiple(step: number, minimum: number, maximum: number): number {
    const first = Math.ceil(minimum / step);
    const product = step * this.#random.integer(first, Math.max(first, Math.floor(maximum / step)));
    return Number.isInteger(step) ? product : Number(product.toPrecision(12));
  }

  #between(minimum: number, maximum: number): number {
    const exact = minimum + (maximum - minimum) * (0.05 + 0.9 * this.#random.next());
    const rounded = Math.round(exact * 100) / 100;
    return rounded > minimum && rounded < maximum ? rounded : exact;
  }
}

interface NameSource {
  readonly schema: Keywords;
  readonly properties: Keywords;
  readonly place: string;
}

function isNew(seen: Set<string>, key: string): boolean {
  return seen.size < seen.add(key).size;
}

function nearestFinite(minimum: number, maximum: number): number {
  if (minimum <= 0 && maximum >= 0) return 0;
  return [minimum, maximum].find(Number.isFinite) ?? 0;
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

/** A finite range inside the schema's bounds: 0 to 100 without bounds, a hundred wide with one bound. */
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

/** The nearest allowed number beyond an exclusive bound, for numbers with a step. */
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
