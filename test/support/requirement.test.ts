// A missing part must be loud where nobody looks at skips.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commandPart, corpus, skipWithout } from './requirement.ts';

const absent = { name: 'redis-server', isPresent: false, remedy: 'install it' };

test('a present part skips nothing', () => {
  assert.equal(skipWithout({ ...absent, isPresent: true }, { CI: 'true' }), false);
});

test('a missing part is a reason to skip on a developer machine', () => {
  assert.equal(skipWithout(absent, {}), 'redis-server is missing: install it');
});

test('a missing part is a failure in continuous integration', () => {
  assert.throws(() => skipWithout(absent, { CI: 'true' }), /redis-server is missing: install it/);
});

test('a command is looked up on the path', () => {
  assert.equal(commandPart('sh').isPresent, true);
  assert.equal(commandPart('no-such-command-here').isPresent, false);
  assert.match(commandPart('rg', 'ripgrep').remedy, /apt-get install ripgrep/);
});

test('a corpus is optional as a whole, but not in part', () => {
  assert.match(String(corpus('a.json', { CI: 'true' }).skip), /names no folder/);
  assert.throws(() => corpus('a.json', { CI: 'true', SIMPLE_AGENTS_CORPORA: '/nowhere' }), /a\.json is missing/);
  assert.equal(corpus('package.json', { SIMPLE_AGENTS_CORPORA: '.' }).skip, false);
});
