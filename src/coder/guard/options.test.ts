// Splitting arguments by a grammar.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownOf, textField, wild, type ShellField } from './field.ts';
import { Options, type Grammar } from './options.ts';

function read(line: string, grammar?: Grammar): Options {
  return new Options(line.split(' ').map(textField), grammar);
}

const shown = (fields: readonly ShellField[]): string[] => fields.map(shownOf);

test('flags are found bundled, long and shortened', () => {
  assert.ok(read('-rf /').has('-r'));
  assert.ok(read('-rf /').has('-f'));
  assert.ok(read('--recursive').has('--recursive'));
  assert.ok(read('--recurs').has('--recursive'));
  assert.ok(!read('--re').has('--recursive'));
  assert.ok(!read('-- -r').has('-r'));
});

test('values are in the same argument or in the next', () => {
  const grammar = { short: 'o', long: ['--output'] };
  for (const line of ['-o x y', '-ox y', '--output x y', '--output=x y', '--outp x y', '-vox y']) {
    const options = read(line, grammar);
    assert.deepEqual(shown(options.valuesOf('-o', '--output')), ['x'], line);
    assert.deepEqual(shown(options.operands), ['y'], line);
  }
});

test('the first operand ends the options where another command begins', () => {
  const options = read('-k 5 10 rm -rf /', { short: 'k', stopsAtOperand: true });
  assert.deepEqual(shown(options.operands), ['10', 'rm', '-rf', '/']);
});

test('what is unknown is an operand', () => {
  assert.equal(new Options([[wild]]).operands.length, 1);
});
