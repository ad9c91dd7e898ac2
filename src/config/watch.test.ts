// File changes of every kind: in place, replaced, deleted, through links, unfinished.

import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { until } from '../../test/support/until.ts';
import { watchConfigFile, type WatchOptions } from './watch.ts';

async function startWatch(context: TestContext, file: string, options: WatchOptions = { settle: 10 }) {
  const changes: string[] = [];
  const watch = await watchConfigFile(file, () => changes.push(file), options);
  context.after(() => watch.close());
  return {
    async sees(count: number) {
      await until(() => changes.length >= count);
      assert.equal(changes.length, count);
    },
    async seesNothing() {
      const before = changes.length;
      await sleep(100);
      assert.equal(changes.length, before);
    },
    close: () => watch.close(),
  };
}

const fresh = () => {
  const { path } = temporaryFolder();
  const file = join(path, 'f.toml');
  writeFileSync(file, 'first');
  return { path, file };
};

describe('a change is reported', () => {
  test('when the file is written in place', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file);
    writeFileSync(file, 'second');
    await watch.sees(1);
    writeFileSync(file, 'third');
    await watch.sees(2);
  });

  test('when the file is replaced, repeatedly', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file);
    for (let count = 1; count <= 3; count++) {
      writeFileSync(`${file}.new`, `text ${count}`);
      renameSync(`${file}.new`, file);
      await watch.sees(count);
    }
  });

  test('when the file is deleted, and when it exists again', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file);
    rmSync(file);
    await watch.sees(1);
    writeFileSync(file, 'second');
    await watch.sees(2);
  });

  test('when the link next to it is swapped, as Kubernetes does', async (context) => {
    const { path } = temporaryFolder();
    const put = (version: string) => {
      mkdirSync(join(path, `..${version}`));
      writeFileSync(join(path, `..${version}`, 'f.toml'), version);
      symlinkSync(`..${version}`, join(path, '..data_tmp'));
      renameSync(join(path, '..data_tmp'), join(path, '..data'));
    };
    put('one');
    symlinkSync('..data/f.toml', join(path, 'f.toml'));
    const watch = await startWatch(context, join(path, 'f.toml'));
    for (const [index, version] of ['two', 'three'].entries()) {
      put(version);
      await watch.sees(index + 1);
    }
  });

  test('when it is a link and its target changes', async (context) => {
    const { file } = fresh();
    const link = join(temporaryFolder().path, 'link.toml');
    symlinkSync(file, link);
    const watch = await startWatch(context, link);
    writeFileSync(file, 'second');
    await watch.sees(1);
  });

  test('without file system events, by polling', async (context) => {
    const { path } = temporaryFolder();
    const folder = join(path, 'later');
    const watch = await startWatch(context, join(folder, 'f.toml'), { settle: 10, poll: 20 });
    mkdirSync(folder);
    writeFileSync(join(folder, 'f.toml'), 'first');
    await watch.sees(1);
  });

  test('once for several writes in a row', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file, { settle: 60 });
    for (let count = 0; count < 20; count++) writeFileSync(file, `text ${count}`);
    await watch.sees(1);
    await watch.seesNothing();
  });
});

describe('no change is reported', () => {
  test('when the text is the same, or another file changes', async (context) => {
    const { path, file } = fresh();
    const watch = await startWatch(context, file);
    utimesSync(file, new Date(), new Date());
    writeFileSync(file, 'first');
    writeFileSync(join(path, 'other.toml'), 'x');
    await watch.seesNothing();
  });

  test('after close', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file);
    writeFileSync(file, 'second');
    watch.close();
    await watch.seesNothing();
  });
});

describe('an unfinished write', () => {
  const patient = { settle: 10, patience: 600 };

  for (const [name, half] of Object.entries({
    'an empty file': '',
    'the beginning of the previous text': 'first = 1\n',
    'an unterminated line': 'other = ',
  })) {
    test(`${name} is not reported if the rest follows`, async (context) => {
      const { file } = fresh();
      writeFileSync(file, 'first = 1\nsecond = 2\n');
      const watch = await startWatch(context, file, patient);
      writeFileSync(file, half);
      await watch.seesNothing();
      writeFileSync(file, 'third = 3\n');
      await watch.sees(1);
      await watch.seesNothing();
    });
  }

  test('a file that is missing briefly is not reported', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file, patient);
    renameSync(file, `${file}~`);
    await watch.seesNothing();
    renameSync(`${file}~`, file);
    await watch.seesNothing();
  });

  test('is reported if nothing follows', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file, { settle: 10, patience: 100 });
    writeFileSync(file, '');
    await watch.sees(1);
  });

  test('is not reported by polling', async (context) => {
    const { file } = fresh();
    const watch = await startWatch(context, file, { ...patient, poll: 5 });
    writeFileSync(file, 'fi');
    await watch.seesNothing();
    writeFileSync(file, 'first');
    await watch.seesNothing();
  });
});
