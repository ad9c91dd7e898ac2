// The complete guard: it always returns a verdict, and no disguise of a refused command passes. The commands are data;
// none of them is run.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { array, assert as assertProperty, constantFrom, oneof, property, string } from 'fast-check';
import { createGuard } from './guard.ts';
import type { FindingClass } from './verdict.ts';

const guard = await createGuard({ cwd: '/home/dev/project', home: '/home/dev' });

describe('the guard', () => {
  test('names the class and the part', () => {
    const expected: readonly (readonly [string, FindingClass, RegExp])[] = [
      ['npm test && rm -rf ~', 'deletion', /\/home\/dev: deletes everything in a home folder/],
      ['dd if=x of=/dev/sda', 'device-write', /\/dev\/sda/],
      [':(){ :|:& };:', 'fork-bomb', /:: starts itself/],
      ['mkfs.ext4 /dev/sda', 'filesystem', /mkfs \/dev\/sda/],
      ['chmod -R 777 /', 'permissions', /\//],
      ['git push -f', 'forced-push', /git push/],
      ['"$X" y', 'unknown-code', /\$X: the command is unknown/],
      ['echo "', 'unparsed', /cannot be parsed: unterminated double quote/],
    ];
    for (const [command, found, reason] of expected) {
      const judgement = guard.judge(command);
      assert.deepEqual([judgement.verdict, judgement.class], ['refuse', found], command);
      assert.match(judgement.reason, new RegExp(`^${found}: `));
      assert.match(judgement.reason, reason);
    }
    assert.deepEqual(guard.judge('ls'), { verdict: 'allow', reason: 'nothing dangerous found' });
  });

  test('tells how to make a variable safe', () => {
    assert.match(guard.judge('rm -rf "$BUILD"/*').reason, /\$\{NAME:\?\}/);
  });

  test('has something to say of anything', () => {
    const character = constantFrom(...Array.from('rm -f/$(){}[]|&;<>\'"\\`*?~=!#,.:@%^+abc\n\t01'));
    const text = string({ unit: character, maxLength: 60 });
    assertProperty(
      property(oneof(text, string()), (command) => {
        assert.match(guard.judge(command).verdict, /^(allow|ask|refuse)$/);
      }),
      { numRuns: 2_000 },
    );
  });

  test('is bounded: what is too long, too deep or too much is refused', () => {
    const hostile = [
      'true;'.repeat(50_000),
      '('.repeat(5_000),
      `${'$('.repeat(2_000)}${')'.repeat(2_000)}`,
      `${'eval '.repeat(3_000)}rm`,
      `${'env '.repeat(5_000)}rm -rf /`,
      'a(){ b; b; }; b(){ c; c; }; c(){ d; d; }; d(){ a; a; a; }; a',
      `for a in {1..200}; do for b in {1..200}; do for c in {1..200}; do $a$b$c; done; done; done`,
      `x=${'${y:-'.repeat(200)}z${'}'.repeat(200)}; $x`,
      `echo ${'{a,b}'.repeat(40)} | sh`,
    ];
    for (const command of hostile) {
      assert.equal(guard.judge(command).verdict, 'refuse', command.slice(0, 60));
    }
  });
});

/** Each makes of a command another that does the same. */
const disguises: Readonly<Record<string, (command: string) => string>> = {
  'sh -c': (command) => `sh -c ${quoted(command)}`,
  'bash -lc': (command) => `bash -lc ${quoted(command)}`,
  eval: (command) => `eval ${quoted(command)}`,
  'a pipe': (command) => `printf %s ${quoted(command)} | sh`,
  'a here-string': (command) => `bash <<< ${quoted(command)}`,
  'a here-document': (command) => `bash <<'END_${command.length}'\n${command}\nEND_${command.length}\n`,
  'a substitution': (command) => `echo "$(${command}\n)"`,
  'a process substitution': (command) => `cat <(${command}\n)`,
  'a subshell': (command) => `( ${command}\n)`,
  'a group': (command) => `{ ${command}\n}`,
  'a function': (command) => `wrapped() { ${command}\n}; wrapped`,
  'a condition': (command) => `if true; then ${command}\nfi`,
  'a loop': (command) => `for each in 1; do ${command}\ndone`,
  'a list': (command) => `true && { ${command}\n}`,
  'a trap': (command) => `trap ${quoted(command)} EXIT`,
  env: (command) => `env A=1 sh -c ${quoted(command)}`,
  sudo: (command) => `sudo -n sh -c ${quoted(command)}`,
  nohup: (command) => `nohup nice -n 5 sh -c ${quoted(command)}`,
  timeout: (command) => `timeout -k 1 10 bash -c ${quoted(command)}`,
  xargs: (command) => `echo x | xargs -I{} sh -c ${quoted(command)}`,
  find: (command) => `find . -maxdepth 0 -exec sh -c ${quoted(command)} \\;`,
  'a variable': (command) => `hidden=${quoted(command)}; eval "$hidden"`,
  'an array': (command) => `hidden=(sh -c ${quoted(command)}); "\${hidden[@]}"`,
  'a script': (command) => `printf %s ${quoted(command)} > hidden.sh; sh hidden.sh`,
  'an unknown program': (command) => `somewrapper --run ${quoted(command)}`,
  'an ANSI string': (command) =>
    `eval $'${Array.from(Buffer.from(command), (byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}'`,
  background: (command) => `{ ${command}\n} &`,
  comment: (command) => `: harmless # really\n${command}`,
};

function quoted(command: string): string {
  return `'${command.replaceAll("'", `'\\''`)}'`;
}

const refused = [
  'rm -rf /',
  'rm -fr -- "$HOME"',
  'dd if=/dev/zero of=/dev/sda',
  'mkfs.ext4 /dev/sda1',
  'chmod -R 777 /',
  'git push --force',
  'x(){ x|x& };x',
  'echo x > /etc/passwd',
  'shutdown now',
];

describe('a refused command', () => {
  test('is refused in every disguise', () => {
    for (const command of refused) {
      for (const [name, disguise] of Object.entries(disguises)) {
        assert.equal(guard.judge(disguise(command)).verdict, 'refuse', `${name}: ${disguise(command)}`);
      }
    }
  });

  test('is never allowed in any chain of disguises', () => {
    const chain = array(constantFrom(...Object.keys(disguises)), { minLength: 1, maxLength: 4 });
    assertProperty(
      property(constantFrom(...refused), chain, (command, names) => {
        const disguised = names.reduce((inner, name) => disguises[name]?.(inner) ?? inner, command);
        assert.notEqual(guard.judge(disguised).verdict, 'allow', disguised);
      }),
      { numRuns: 1_500, examples: [['rm -rf /', ['a variable', 'a condition', 'a variable', 'an unknown program']]] },
    );
  });
});
