// The guard on lists of commands: those in the folder SIMPLE_AGENTS_CORPORA, and our own in test/coder/guard. They are
// data; none of them is run.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createGuard } from '../../src/coder/guard/guard.ts';
import { readRecords, type CommandRecord } from './guard/records.ts';
import { corpus } from '../support/requirement.ts';

const guard = await createGuard({ cwd: '/home/dev/project', home: '/home/dev' });

const elsewhere = [
  { cwd: '/', home: '/root' },
  { cwd: '/root', home: '/root' },
  { cwd: '/tmp/work', home: '/root' },
  { cwd: '/tmp/job', home: '/tmp/job' },
  { cwd: '/srv/app', home: '/srv/app' },
  { cwd: '/usr/src/app', home: '/nonexistent' },
  { cwd: '/Users/me/code', home: '/Users/me' },
];

/** Destroys, and must be refused; of the others a person may be asked. */
const grave = /^## [RFDMCG]!?:/;

function wrongOf(
  records: readonly CommandRecord[],
  isRight: (verdict: string, record: CommandRecord) => boolean,
): unknown[] {
  return records.flatMap((record) => {
    const { verdict, reason } = guard.judge(record.command);
    return isRight(verdict, record) ? [] : [{ verdict, reason, command: record.command }];
  });
}

describe('the corpora', () => {
  const bypass = corpus('bash-bypass.txt');
  const benign = corpus('bash-benign.txt');

  test('nothing of bash-bypass.txt is allowed, and what destroys is refused', { skip: bypass.skip }, () => {
    const records = readRecords(bypass.path);
    assert.ok(records.length >= 140, `${records.length} records`);
    assert.deepEqual(
      wrongOf(records, (verdict, { note }) => verdict === 'refuse' || (verdict === 'ask' && !grave.test(note))),
      [],
    );
  });

  test('everything of bash-benign.txt is allowed', { skip: benign.skip }, () => {
    const records = readRecords(benign.path);
    assert.ok(records.length >= 25, `${records.length} records`);
    assert.deepEqual(
      wrongOf(records, (verdict, { flags }) => verdict === 'allow' || (verdict === 'ask' && flags.includes('?'))),
      [],
    );
  });
});

describe('our own lists', () => {
  test('ordinary work is allowed', () => {
    const records = readRecords(join(import.meta.dirname, 'guard/ordinary.txt'));
    assert.ok(records.length >= 300, `${records.length} records`);
    assert.deepEqual(
      wrongOf(records, (verdict) => verdict === 'allow'),
      [],
    );
  });

  test('disguises are refused, or asked about where that is enough', () => {
    const records = readRecords(join(import.meta.dirname, 'guard/disguised.txt'));
    assert.ok(records.length >= 370, `${records.length} records`);
    assert.deepEqual(
      wrongOf(records, (verdict, { flags }) => verdict === 'refuse' || (verdict === 'ask' && flags.includes('?'))),
      [],
    );
  });

  test('destruction is refused wherever the workspace is', async () => {
    const records = readRecords(join(import.meta.dirname, 'guard/disguised.txt')).filter(
      ({ flags }) => !flags.includes('?'),
    );
    for (const surroundings of elsewhere) {
      const other = await createGuard(surroundings);
      const allowed = records.filter(({ command }) => other.judge(command).verdict === 'allow');
      assert.deepEqual(
        allowed.map(({ command }) => ({ command, ...surroundings })),
        [],
      );
    }
  });

  test('ordinary work is allowed wherever the workspace is', async () => {
    const records = readRecords(join(import.meta.dirname, 'guard/ordinary.txt'));
    for (const surroundings of elsewhere.filter(({ cwd }) => cwd !== '/')) {
      const other = await createGuard(surroundings);
      // A change to every file is asked about if the workspace is a home folder.
      const isWide = (command: string): boolean =>
        surroundings.cwd === surroundings.home && command.startsWith('find . -type f -exec');
      const stopped = records.filter(({ command }) => other.judge(command).verdict !== 'allow' && !isWide(command));
      assert.deepEqual(
        stopped.map(({ command }) => ({ command, ...surroundings })),
        [],
      );
    }
  });
});
