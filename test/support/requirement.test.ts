// A missing requirement must fail in CI, where skips go unnoticed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandPart, corpus, skipWithout, transcript } from './requirement.ts';

const absent = { name: 'redis-server', isPresent: false, remedy: 'install it' };

test('a requirement that is met skips nothing', () => {
  assert.equal(skipWithout({ ...absent, isPresent: true }, { CI: 'true' }), false);
});

test('a missing requirement skips the test on a developer’s machine', () => {
  assert.equal(skipWithout(absent, {}), 'redis-server is missing: install it');
});

test('a missing requirement fails the test in CI', () => {
  assert.throws(() => skipWithout(absent, { CI: 'true' }), /redis-server is missing: install it/);
});

test('a command is searched on the PATH', () => {
  assert.equal(commandPart('sh').isPresent, true);
  assert.equal(commandPart('no-such-command-here').isPresent, false);
  assert.match(commandPart('rg', 'ripgrep').remedy, /apt-get install ripgrep/);
});

test('the corpus is optional, but must be complete', () => {
  assert.match(String(corpus('a.json', { CI: 'true' }).skip), /names no folder/);
  assert.throws(() => corpus('a.json', { CI: 'true', SIMPLE_AGENTS_CORPORA: '/nowhere' }), /a\.json is missing/);
  assert.equal(corpus('package.json', { SIMPLE_AGENTS_CORPORA: '.' }).skip, false);
});

test('the transcripts have a folder of their own', () => {
  assert.match(String(transcript('a.ndjson', { CI: 'true', SIMPLE_AGENTS_CORPORA: '.' }).skip), /names no folder/);
  assert.equal(transcript('package.json', { SIMPLE_AGENTS_TRANSCRIPTS: '.' }).skip, false);
});
