// Classification of paths.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tame, textField, wild, type ShellField, type FieldPiece } from './field.ts';
import { pathKindOf, type PathKind } from './path-kind.ts';
import { Shell } from './shell.ts';

const shell = new Shell({ cwd: '/home/dev/project', home: '/home/dev' });
const star: FieldPiece = { kind: 'glob', text: '*' };
const variable: FieldPiece = { kind: 'unknown', origin: 'environment', name: 'X' };
const field = (...parts: readonly (string | FieldPiece)[]): ShellField =>
  parts.flatMap((part) => (typeof part === 'string' ? textField(part) : [part]));

const places: readonly (readonly [ShellField, PathKind])[] = [
  [field('/'), 'root'],
  [field('//'), 'root'],
  [field('/./'), 'root'],
  [field('/usr/..'), 'root'],
  [field('../../..'), 'root'],
  [field('/', star), 'root'],
  [field('/u', star), 'root'],
  [field('/', variable), 'root'],
  [field(variable, '/'), 'root'],
  [field(variable, '/', star), 'root'],
  [field('/etc'), 'system'],
  [field('/etc/nginx/x'), 'system'],
  [field('/usr/', star), 'system'],
  [field(variable, '/etc'), 'system'],
  [field('/home'), 'home'],
  [field('/home/', star), 'home'],
  [field('/home/dev'), 'home'],
  [field('/home/other'), 'home'],
  [field('/home/dev/', star), 'home'],
  [field('/root'), 'home'],
  [field('..'), 'home'],
  [field('.'), 'workspace'],
  [field(star), 'workspace'],
  [field('/home/dev/project'), 'workspace'],
  [field('dist'), 'inside'],
  [field('src/', star), 'inside'],
  [field('packages/x/../y'), 'inside'],
  [field('dist-', variable), 'inside'],
  [field(tame, '/dist'), 'inside'],
  [field('.git/hooks/x'), 'protected'],
  [field('.forgeflare/hooks.toml'), 'protected'],
  [field('.entire'), 'protected'],
  [field('.entire/metadata/x/full.jsonl'), 'protected'],
  [field('.entire/settings.json'), 'inside'],
  [field('sub/.git/config'), 'protected'],
  [field('.npmrc'), 'protected'],
  [field('.git/index.lock'), 'inside'],
  [field('/home/dev/.bashrc'), 'settings'],
  [field('/home/dev/.ssh/id_rsa'), 'secret'],
  [field('/etc/shadow'), 'secret'],
  [field('/proc/1/environ'), 'secret'],
  [field('/home/dev/other'), 'outside'],
  [field('../sibling'), 'outside'],
  [field('/data/x'), 'outside'],
  [field('/tmp'), 'temporary-root'],
  [field('/tmp/x'), 'temporary'],
  [field('/tmp/x-', star), 'temporary'],
  [field('/tmp/', star), 'outside'],
  [field('/dev/sda'), 'device'],
  [field('/dev/nvme0n1'), 'device'],
  [field('/dev/null'), 'stream'],
  [field('/dev/tcp/1.2.3.4/80'), 'socket'],
  [field(variable), 'maybe'],
  [field(wild), 'anywhere'],
  [field('/x/', wild), 'anywhere'],
];

describe('where an argument points', () => {
  for (const [path, kind] of places) {
    const shown = path.map((piece) => (piece.kind === 'unknown' ? `<${piece.origin}>` : piece.text)).join('');
    test(`${shown}: ${kind}`, () => assert.equal(pathKindOf(path, shell), kind));
  }

  test('links the command made are followed, also in a ring', () => {
    const linked = shell.fork();
    linked.links.set('/home/dev/project/out', '/');
    assert.equal(pathKindOf(field('out'), linked), 'root');
    assert.equal(pathKindOf(field('out/etc/x'), linked), 'system');
    const ring = new Shell(shell.folders);
    ring.links.set('/home/dev/project/a', '/home/dev/project/a/b');
    assert.equal(pathKindOf(field('a'), ring), 'inside');
  });
});
