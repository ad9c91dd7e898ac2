// Parses dates and times as people write them, and writes them as ISO 8601. A date with two readings, such as
// 01/02/2025, is not parsed. Nothing is invented: a date without a time has none, a time without a zone has none.

import type { DateFormat } from '../schema/schema.ts';

/** Longer texts are not dates. */
const maxLength = 64;

const monthNames = 'january february march april may june july august september october november december'.split(' ');

/** Full names, and their first three letters. */
const months: ReadonlyMap<string, number> = new Map([
  ...monthNames.flatMap((name, index) => [[name, index + 1] as const, [name.slice(0, 3), index + 1] as const]),
  ['sept', 9],
]);

const month = `(?<month>${[...months.keys()].toSorted((left, right) => right.length - left.length).join('|')})\\.?`;
const day = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th|\.)?`;
const year = String.raw`(?<year>\d{4})`;
const weekday = '(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\\.?,?\\s+)?';

/** Forms in which each number can be only one part of the date. */
const dateForms: readonly RegExp[] = [
  String.raw`${year}-(?<number>\d{1,2})-(?<day>\d{1,2})`,
  String.raw`${year}/(?<number>\d{1,2})/(?<day>\d{1,2})`,
  String.raw`${year}\.(?<number>\d{1,2})\.(?<day>\d{1,2})`,
  String.raw`${day}(?:\s+(?:of\s+)?|[-/])${month}(?:,?\s+|[-/])${year}`,
  String.raw`${month}\s+(?:the\s+)?${day},?\s+${year}`,
  String.raw`${year}(?:\s+|-)${month}(?:\s+|-)${day}`,
].map((form) => new RegExp(`^${weekday}${form}$`));

/** Two numbers before the year: day and month, or month and day. */
const numbered = /^(?<first>\d{1,2})(?<mark>[/.-])(?<second>\d{1,2})\k<mark>(?<year>\d{4})$/;

const time = /^(?<hour>\d{1,2}):(?<minute>\d{2})(?::(?<second>\d{2})(?<fraction>\.\d+)?)?(?:\s*(?<half>am|pm))?$/;
const zone = /\s*(?:(?<utc>z|utc|gmt)|(?<sign>[+-])(?<hours>\d{2}):?(?<minutes>\d{2}))$/;

const isoDate = /^\d{4}-\d{2}-\d{2}$/;
const isoDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i;

/** What separates a date from a time that begins with a digit. */
const separator = /(?:t|,?\s+(?:at\s+)?)(?=\d{1,2}:)/;

/** Whether a text is already a date of the format. */
export function isIsoDate(text: string, format: DateFormat): boolean {
  return (format === 'date' ? isoDate : isoDateTime).test(text);
}

/** Rewrites a text as a date of the format; `undefined` if it is not one, or is ambiguous. */
export function toIsoDate(text: string, format: DateFormat): string | undefined {
  if (text.length > maxLength) return undefined;
  const parts = text
    .trim()
    .toLowerCase()
    .replace(/[.,;]$/, '')
    .split(separator);
  const [written = '', clock] = parts;
  const date = parts.length > 2 ? undefined : readDate(written);
  const at = clock === undefined ? undefined : readTime(clock);
  if (date === undefined || (clock !== undefined && at === undefined)) return undefined;
  if (format === 'date') return date;
  return at === undefined ? undefined : `${date}T${at}`;
}

/** The moment that a text names. A date without a time is midnight UTC, and so is a time without a zone. */
export function parseMoment(text: string): Date | undefined {
  const dateTime = toIsoDate(text, 'date-time');
  const written = dateTime === undefined ? toIsoDate(text, 'date') : hasZone(dateTime) ? dateTime : `${dateTime}Z`;
  return written === undefined ? undefined : new Date(written);
}

function hasZone(dateTime: string): boolean {
  return /(?:Z|[+-]\d{2}:\d{2})$/.test(dateTime);
}

function readDate(text: string): string | undefined {
  for (const form of dateForms) {
    const groups = form.exec(text)?.groups;
    if (groups !== undefined)
      return writeDate(groups['year'], months.get(groups['month'] ?? '') ?? groups['number'], groups['day']);
  }
  const { first, second, mark, year: inYear } = numbered.exec(text)?.groups ?? {};
  if (first === undefined || second === undefined) return undefined;
  // With dots, the day comes first in every country that writes them.
  const dayFirst = mark === '.' || Number(first) > 12 || first === second;
  if (dayFirst) return writeDate(inYear, second, first);
  return Number(second) > 12 ? writeDate(inYear, first, second) : undefined;
}

/** Only days that the calendar has. */
function writeDate(inYear = '', inMonth: number | string = 0, onDay = ''): string | undefined {
  const iso = `${inYear}-${String(inMonth).padStart(2, '0')}-${onDay.padStart(2, '0')}`;
  const date = new Date(`${iso}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : undefined;
}

function readTime(text: string): string | undefined {
  const inZone = zone.exec(text);
  const {
    hour = '',
    minute = '',
    second = '00',
    fraction = '',
    half,
  } = time.exec(inZone === null ? text : text.slice(0, inZone.index))?.groups ?? {};
  const hours = half === undefined ? Number(hour) : toHours(Number(hour), half);
  if (hour === '' || hours === undefined || hours > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  return `${String(hours).padStart(2, '0')}:${minute}:${second}${fraction}${writeZone(inZone?.groups)}`;
}

function toHours(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (half === 'pm' ? 12 : 0);
}

function writeZone({ utc, sign, hours, minutes }: Readonly<Record<string, string | undefined>> = {}): string {
  return utc !== undefined ? 'Z' : sign === undefined ? '' : `${sign}${hours}:${minutes}`;
}
