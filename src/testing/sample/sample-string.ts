// Samples a string that fits a schema's format, pattern or length. Without such constraints, a plain word.

import type { Random } from '../model/random.ts';
import type { SampleBudget } from './sample-budget.ts';
import type { PatternSampler } from './sample-pattern.ts';
import { numberOr, type Keywords } from './schema-keywords.ts';

const words = [
  'amber',
  'birch',
  'cedar',
  'delta',
  'ember',
  'fern',
  'granite',
  'harbor',
  'iris',
  'juniper',
  'kestrel',
  'lagoon',
  'maple',
  'nectar',
  'orchid',
  'pebble',
  'quartz',
  'river',
  'saffron',
  'thistle',
  'umber',
  'violet',
  'willow',
  'zephyr',
] as const;

export function sampleWord(random: Random): string {
  return random.pick(words);
}

/** What strings are sampled with. Shared by all strings of a value. */
export interface StringSource {
  readonly random: Random;
  readonly budget: SampleBudget;
  readonly patterns: PatternSampler;
  /** Produce only as much as the schema requires. */
  readonly isLean: boolean;
  /** The first hint is used if it fits, and removed. */
  readonly hints: string[];
}

/** Throws `SampleLimit` for a string longer than the budget. */
export function sampleString(schema: Keywords, source: StringSource, place: string): string {
  const { budget } = source;
  budget.expectCharacters(numberOr(schema['minLength'], 0), `minLength ${String(schema['minLength'])}`, place);
  const text = chooseString(schema, source, place);
  budget.spendCharacters(text.length, typeof schema['pattern'] === 'string' ? 'pattern' : 'the text', place);
  return text;
}

function chooseString(schema: Keywords, source: StringSource, place: string): string {
  const { random, patterns, hints } = source;
  const minimum = numberOr(schema['minLength'], 0);
  const maximum = Math.max(0, numberOr(schema['maxLength'], Number.POSITIVE_INFINITY));
  const fits = (text: string): boolean => {
    const length = Array.from(text).length;
    return length >= minimum && length <= maximum;
  };
  const { format, pattern } = schema;
  if (typeof pattern === 'string') {
    const matching = patterns.sample(pattern, { ...source, place }, fits);
    if (matching !== undefined) return matching;
  }
  const formatted = typeof format === 'string' ? formats.get(format)?.(random) : undefined;
  if (formatted !== undefined) return formatted;
  if (pattern === undefined && hints[0] !== undefined && fits(hints[0])) return hints.shift()!;
  return plainText(minimum, maximum, random);
}

function plainText(minimum: number, maximum: number, random: Random): string {
  let text = sampleWord(random);
  if (text.length >= minimum) return text.slice(0, maximum);
  while (text.length < minimum) text += ` ${sampleWord(random)}`;
  return text.slice(0, minimum);
}

const formats: ReadonlyMap<string, (random: Random) => string> = new Map(
  Object.entries({
    date: sampleDate,
    time: (random) => `${sampleTime(random)}Z`,
    'date-time': (random) => `${sampleDate(random)}T${sampleTime(random)}Z`,
    duration: (random) => `P${random.integer(1, 30)}D`,
    email: (random) => `${sampleWord(random)}@example.com`,
    'idn-email': (random) => `${sampleWord(random)}@example.com`,
    uri: sampleUrl,
    url: sampleUrl,
    'uri-reference': sampleUrl,
    hostname: (random) => `${sampleWord(random)}.example.com`,
    ipv4: (random) => `192.0.2.${random.integer(1, 254)}`,
    ipv6: (random) => `2001:db8::${random.integer(1, 65535).toString(16)}`,
    uuid: sampleUuid,
  }),
);

function sampleDate(random: Random): string {
  return `${random.integer(2000, 2030)}-${twoDigits(random.integer(1, 12))}-${twoDigits(random.integer(1, 28))}`;
}

function sampleTime(random: Random): string {
  return [random.integer(0, 23), random.integer(0, 59), random.integer(0, 59)].map(twoDigits).join(':');
}

function sampleUrl(random: Random): string {
  return `https://example.com/${sampleWord(random)}`;
}

function sampleUuid(random: Random): string {
  return 'xxxxxxxx-xxxx-4xxx-8xxx-xxxxxxxxxxxx'.replaceAll('x', () => random.integer(0, 15).toString(16));
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
