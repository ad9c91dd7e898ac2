// The sandbox without a kernel: which mode applies, the bubblewrap arguments, and the scrubbed environment.

import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { toBubblewrapArguments } from './bubblewrap.ts';
import { scrubEnvironment } from './environment.ts';
import type { Layout } from './policy.ts';
import { chooseSandbox, enterSandbox, probeSandbox, type Availability } from './sandbox.ts';

const folder = temporaryFolder();
const missing: Availability = {
  isAvailable: false,
  reason: 'bubblewrap (bwrap) is not installed',
  remedy: 'Install it.',
};
const present: Availability = {
  isAvailable: true,
  program: '/usr/bin/bwrap',
  features: { canDisableUserNamespaces: true },
};

function isRefusal(error: unknown): boolean {
  return (
    error instanceof SimpleAgentsError &&
    error.kind === 'configuration' &&
    /not installed\. Install it\./.test(error.message)
  );
}

describe('which sandbox holds', () => {
  test('the workspace unless something else is asked for', () => {
    assert.deepEqual(chooseSandbox(undefined, present), { mode: 'workspace' });
    assert.deepEqual(chooseSandbox('strict', present), { mode: 'strict' });
    assert.deepEqual(chooseSandbox('off', present), { mode: 'off' });
    assert.deepEqual(chooseSandbox('off', missing), { mode: 'off' });
  });

  test('none, with a warning, if it is unavailable and was not requested', () => {
    const { mode, warning } = chooseSandbox(undefined, missing);
    assert.equal(mode, 'off');
    assert.match(warning ?? '', /without a sandbox: bubblewrap \(bwrap\) is not installed\. Install it\./);
  });

  test('asked for and not there is an error that names what to install', async () => {
    for (const mode of ['workspace', 'strict'] as const) assert.throws(() => chooseSandbox(mode, missing), isRefusal);
    const policy = { mode: 'strict', workspace: '/', home: '/', allowsNetwork: false } as const;
    await assert.rejects(enterSandbox(['true'], policy, missing), isRefusal);
  });
});

describe('whether it works here', () => {
  test('not without the program, and not elsewhere than on Linux', async () => {
    const nothing = await probeSandbox(folder.path, 'linux');
    assert.match(
      nothing.isAvailable ? '' : `${nothing.reason} ${nothing.remedy}`,
      /not installed .*apt-get install bubblewrap/,
    );
    const elsewhere = await probeSandbox(process.env['PATH'] ?? '', 'darwin');
    assert.match(elsewhere.isAvailable ? '' : elsewhere.reason, /darwin/);
  });

  test('not where the kernel forbids it; tried once', async () => {
    const log = join(folder.path, 'calls');
    writeFileSync(log, '');
    writeFileSync(
      join(folder.path, 'bwrap'),
      `#!/bin/sh\necho x >> '${log}'\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n`,
    );
    chmodSync(join(folder.path, 'bwrap'), 0o755);
    const [first, second] = await Promise.all([probeSandbox(folder.path, 'linux'), probeSandbox(folder.path, 'linux')]);
    assert.equal(first, second);
    assert.match(first.isAvailable ? '' : first.reason, /does not work here: bwrap: No permissions/);
    assert.match(first.isAvailable ? '' : first.remedy, /user namespaces/);
  });
});

describe('the arguments', () => {
  const layout: Layout = {
    policy: { mode: 'workspace', workspace: '/w', home: '/h', allowsNetwork: false },
    writable: ['/w', '/extra'],
    mounts: [
      { path: '/w/.forgeflare', access: 'absent' },
      { path: '/w/.git', access: 'write' },
      { path: '/w/.git/config', access: 'read' },
      { path: '/w/.git/index', access: 'read-if-there' },
    ],
    forbiddenPaths: [],
    links: [],
    ownEntries: [
      { path: '/w/.entire/metadata', kind: 'folder' },
      { path: '/w/.forgeflare/audit.jsonl', kind: 'file' },
    ],
    hiddenEntries: [
      { path: '/h/.ssh', kind: 'folder' },
      { path: '/h/.netrc', kind: 'file' },
    ],
  };
  const argumentsOf = (changes: Partial<Layout['policy']> = {}): string =>
    toBubblewrapArguments(
      { ...layout, policy: { ...layout.policy, ...changes } },
      { canDisableUserNamespaces: true },
    ).join(' ');

  test('open the workspace on a read-only system, then protect and hide', () => {
    const text = argumentsOf();
    const order = [
      '--ro-bind / /',
      '--tmpfs /tmp',
      '--bind /w /w',
      '--tmpfs /w/.forgeflare --remount-ro /w/.forgeflare',
      '--bind /w/.git /w/.git',
      '--ro-bind /w/.git/config /w/.git/config',
      '--ro-bind-try /w/.git/index /w/.git/index',
      '--tmpfs /h/.ssh',
      '--ro-bind /dev/null /h/.netrc',
      '--tmpfs /w/.entire/metadata --remount-ro /w/.entire/metadata',
      '--ro-bind /dev/null /w/.forgeflare/audit.jsonl',
      '--chdir /w --',
    ];
    const places = order.map((part) => text.indexOf(part));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(!places.includes(-1), text);
    for (const part of ['--unshare-pid', '--unshare-net', '--die-with-parent', '--new-session', '--cap-drop ALL'])
      assert.ok(text.includes(part));
  });

  test('leave the network on only when allowed, and hide the home in strict mode', () => {
    assert.ok(!argumentsOf({ allowsNetwork: true }).includes('--unshare-net'));
    const strict = argumentsOf({ allowsNetwork: true, mode: 'strict' });
    assert.ok(strict.includes('--unshare-net') && strict.includes('--tmpfs /h ') && !strict.includes('/h/.ssh'));
  });
});

describe('the environment', () => {
  test('loses secrets by name, by look and by value, and what reaches out', () => {
    const given = {
      PATH: '/bin',
      HOME: '/h',
      LANG: 'C',
      NODE_ENV: 'test',
      XDG_SESSION_TYPE: 'tty',
      MONKEY: 'banana',
      ANTHROPIC_API_KEY: 'a',
      GITHUB_TOKEN: 'a',
      DB_PASSWORD: 'a',
      AWS_SECRET_ACCESS_KEY: 'a',
      ODD: 'sk-abcdefghijklmnopqrstuv',
      DATABASE_URL: 'postgres://me:secret@host/db',
      COPY: 'prefix-the-known-secret',
      SSH_AUTH_SOCK: '/tmp/x',
      LD_PRELOAD: 'x.so',
      BASH_ENV: 'x',
      NPM_TOKEN: 'wanted',
      MISSING: undefined,
    };
    const kept = scrubEnvironment(given, { secrets: ['the-known-secret'], keep: ['NPM_TOKEN'] });
    assert.deepEqual(Object.keys(kept).toSorted(), [
      'HOME',
      'LANG',
      'MONKEY',
      'NODE_ENV',
      'NPM_TOKEN',
      'PATH',
      'XDG_SESSION_TYPE',
    ]);
  });
});
