// Dates and times as people write them, and their conversion to the formats of JSON Schema.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';

import { heal, healStream, type JsonSchema } from '../index.ts';
import { isIsoDate, parseMoment, toIsoDate } from './date.ts';

function monthOf(date: Date, month: 'long' | 'short'): string {
  return date.toLocaleDateString('en-US', { month, timeZone: 'UTC' });
}

function schema(format: string): JsonSchema {
  return { type: 'object', properties: { at: { type: 'string', format } }, required: ['at'] };
}

describe('toIsoDate', () => {
  const days = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  const forms: readonly ((date: Date, iso: string) => string)[] = [
    (_date, iso) => iso,
    (_date, iso) => iso.replaceAll('-', '/'),
    (_date, iso) => `${iso}T08:00:00Z`,
    (_date, iso) => `${iso} 23:59`,
    (date, iso) => `${date.getUTCDate()} ${monthOf(date, 'long')} ${iso.slice(0, 4)}`,
    (date, iso) => `${date.getUTCDate()}. ${monthOf(date, 'long')} ${iso.slice(0, 4)}.`,
    (date, iso) => `${monthOf(date, 'long')} ${date.getUTCDate()}, ${iso.slice(0, 4)}`,
    (date, iso) => `${monthOf(date, 'short').toUpperCase()} ${date.getUTCDate()} ${iso.slice(0, 4)}`,
    (date, iso) => `${iso.slice(8)}-${monthOf(date, 'short')}-${iso.slice(0, 4)}`,
    (_date, iso) => `${iso.slice(8)}.${iso.slice(5, 7)}.${iso.slice(0, 4)}`,
  ];

  test('reads every day in every form', () => {
    fc.assert(
      fc.property(days, fc.constantFrom(...forms), (date, write) => {
        const iso = date.toISOString().slice(0, 10);
        assert.equal(toIsoDate(write(date, iso), 'date'), iso);
      }),
    );
  });

  test('reads a day and a month in numbers only if one order is possible', () => {
    fc.assert(
      fc.property(days, fc.constantFrom('/', '-'), fc.boolean(), (date, mark, dayFirst) => {
        const iso = date.toISOString().slice(0, 10);
        const [year, month, day] = iso.split('-') as [string, string, string];
        const read = toIsoDate((dayFirst ? [day, month, year] : [month, day, year]).join(mark), 'date');
        assert.equal(read, Number(day) > 12 || day === month ? iso : undefined);
      }),
    );
  });

  const dates: readonly (readonly [string, string])[] = [
    ['Sept. 12th, 2025', '2025-09-12'],
    ['Friday, 12 September 2025', '2025-09-12'],
    ['12th of September 2025', '2025-09-12'],
    ['2025 Sep 12', '2025-09-12'],
    ['12 Sep 2025, 3:30 PM', '2025-09-12'],
    ['31/12/2025', '2025-12-31'],
    ['12/31/2025', '2025-12-31'],
    ['03/03/2016', '2016-03-03'],
    ['1.2.2025', '2025-02-01'],
    ['29 February 2024', '2024-02-29'],
  ];
  for (const [text, iso] of dates) test(`reads ${text} as ${iso}`, () => assert.equal(toIsoDate(text, 'date'), iso));

  const refused = [
    '',
    'soon',
    '2025',
    'May 2025',
    '11:12:00',
    '45 minutes, 10 May 2025',
    '10 May 2025 or 11 May 2025',
    '01/02/2025',
    '1-2-2025',
    '10/05/25',
    '12 May 25',
    '30 February 2025',
    '29 February 2025',
    '31.04.2025',
    '2025-13-01',
    '2025-31-12',
    '2025-01-12T25:00:00Z',
    '2025-01-12T0010:00:00Z',
    '2024-07-07-01:00:00',
    '12 Brumaire 2025',
    '2022-02-26T15:11:59.24.15Z00.00.00',
    `12 May ${' '.repeat(80)}2025`,
  ];
  for (const text of refused)
    test(`rejects ${JSON.stringify(text)}`, () => assert.equal(toIsoDate(text, 'date'), undefined));

  const moments: readonly (readonly [string, string | undefined])[] = [
    ['2025-01-12 08:00:00Z', '2025-01-12T08:00:00Z'],
    ['2025-01-12 08:00', '2025-01-12T08:00:00'],
    ['12 September 2025 at 3:30 PM', '2025-09-12T15:30:00'],
    ['12 September 2025 12:15 am', '2025-09-12T00:15:00'],
    ['Fri, 12 Sep 2025 08:00:00 GMT', '2025-09-12T08:00:00Z'],
    ['12 Sep 2025 8:00 +0200', '2025-09-12T08:00:00+02:00'],
    ['2025-01-12', undefined],
    ['01/02/2025 10:00', undefined],
    ['2025-01-12 13:00 PM', undefined],
  ];
  for (const [text, iso] of moments) {
    test(`reads ${text} as the date-time ${iso}`, () => assert.equal(toIsoDate(text, 'date-time'), iso));
  }

  test('gives texts in the format', () => {
    for (const [text] of dates) assert.ok(isIsoDate(toIsoDate(text, 'date') ?? '', 'date'));
    for (const [text, iso] of moments) {
      if (iso !== undefined) assert.ok(isIsoDate(toIsoDate(text, 'date-time') ?? '', 'date-time'));
    }
  });
});

test('parseMoment does not depend on the time zone of the machine', () => {
  assert.equal(parseMoment('12 September 2025')?.toISOString(), '2025-09-12T00:00:00.000Z');
  assert.equal(parseMoment('2025-09-12 08:00')?.toISOString(), '2025-09-12T08:00:00.000Z');
  assert.equal(parseMoment('2025-09-12T08:00:00+02:00')?.toISOString(), '2025-09-12T06:00:00.000Z');
  for (const text of ['01/02/2025', '1', 'soon', '']) assert.equal(parseMoment(text), undefined);
});

describe('a field with a date format', () => {
  test('is converted with a flag', () => {
    const { value, flags, confidence } = heal('{"at": "12 September 2025"}', schema('date'));
    assert.deepEqual(value, { at: '2025-09-12' });
    assert.deepEqual(flags, [{ kind: 'type-coercion', path: ['at'], from: 'string', to: 'date' }]);
    assert.ok(confidence < 1);
    assert.throws(() => heal('{"at": "12 September 2025"}', schema('date'), { strict: true }), { kind: 'strict' });
  });

  test('is returned unchanged if it has the format', () => {
    assert.deepEqual(heal('{"at": "2025-09-12"}', schema('date')).flags, []);
    assert.deepEqual(heal('{"at": "2025-09-12T08:00:00.5+02:00"}', schema('date-time')).flags, []);
    assert.deepEqual(heal('{"at": "12 September 2025"}', schema('hostname')).value, { at: '12 September 2025' });
  });

  test('is refused if it is ambiguous, or if types are not converted', () => {
    assert.throws(() => heal('{"at": "01/02/2025"}', schema('date')), { kind: 'invalid-value', path: ['at'] });
    const options = { coerceTypes: false };
    assert.throws(() => heal('{"at": "12 September 2025"}', schema('date'), options), { kind: 'invalid-value' });
  });

  test('appears in the partial value only when it is complete', () => {
    const stream = healStream(schema('date'));
    stream.push('{"at": "12 Sept');
    assert.deepEqual(stream.partial, {});
    stream.push('ember 2025", "note": 1');
    assert.deepEqual(stream.partial, { at: '2025-09-12' });
  });

  test('prefers a branch that takes the text as it is', () => {
    const union = { anyOf: [{ type: 'string', format: 'date' }, { type: 'string' }] };
    assert.deepEqual(heal('"12 September 2025"', union), { value: '12 September 2025', flags: [], confidence: 1 });
  });
});
