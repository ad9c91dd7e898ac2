// What sed scripts run and write.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSed, type SedEffects } from './sed.ts';

const nothing: SedEffects = { commands: [], files: [], isExecuted: false };

const cases: readonly (readonly [code: string, effects: Partial<SedEffects>])[] = [
  ['s/a/b/', {}],
  ['s/e/w/g; s/x/y/', {}],
  ['/pattern/d', {}],
  ['10,20p', {}],
  ['$!N; P; D', {}],
  ['s#/usr/e#/w/#g', {}],
  ['s/a\\/e/b/', {}],
  ['y/abc/xyz/', {}],
  ['/x/ { s/a/b/; d }', {}],
  ['a\\ e rm', {}],
  ['1e rm -rf /', { commands: ['rm -rf /'] }],
  ['/x/e date', { commands: ['date'] }],
  ['e', { isExecuted: true }],
  ['s/x/date/e', { isExecuted: true }],
  ['s/x/date/gep', { isExecuted: true }],
  ['w /etc/passwd', { files: ['/etc/passwd'] }],
  ['s/a/b/w out.txt', { files: ['out.txt'] }],
  ['s/a/b/\nw out', { files: ['out'] }],
  ['\\,x,e id', { commands: ['id'] }],
];

for (const [code, effects] of cases) {
  test(`sed ${JSON.stringify(code)}`, () => assert.deepEqual(readSed(code), { ...nothing, ...effects }));
}
