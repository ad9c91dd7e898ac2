// Which files a resumed session may write.

import assert from 'node:assert/strict';
import { rmSync, utimesSync } from 'node:fs';
import { describe, test } from 'node:test';
import { text, type Block } from '../../core/message.ts';
import { codingWorkspace } from '../../../test/support/coding-workspace.ts';
import type { MessageEntry } from './message-entry.ts';
import { FileReads } from '../tools/file-reads.ts';
import { loadTextFile } from '../tools/text-file.ts';
import { resolveWorkspacePath } from '../tools/workspace-path.ts';
import { restoreReads } from './restored-reads.ts';

const later = (seconds = 60): string => new Date(Date.now() + seconds * 1000).toISOString();
const longAgo = '2020-01-01T00:00:00.000Z';

interface Call {
  readonly tool: string;
  readonly path?: unknown;
  readonly timestamp: string;
  readonly isError?: boolean;
}

function toEntries(calls: readonly Call[]): MessageEntry[] {
  return calls.flatMap(({ tool, path, timestamp, isError = false }, at) => {
    const id = `call-${at}`;
    const call: Block = { type: 'tool-call', id, name: tool, input: { 'file_path': path } };
    const result: Block = { type: 'tool-result', callId: id, content: [text('done')], isError };
    return [
      { message: { role: 'assistant' as const, content: [call] }, timestamp },
      { message: { role: 'user' as const, content: [result] }, timestamp },
    ];
  });
}

async function restored(calls: readonly Call[], change: (path: string) => void = () => undefined): Promise<string> {
  const { workspace, write } = codingWorkspace();
  change(write('a.txt', 'one\n'));
  const reads = new FileReads();
  await restoreReads(reads, toEntries(calls), workspace);
  const place = await resolveWorkspacePath(workspace, { field: 'file_path', path: 'a.txt', purpose: 'write' });
  const bytes = (await loadTextFile(place))?.bytes;
  try {
    if (bytes === undefined) reads.checkUnchanged({}, place, undefined);
    else reads.checkRead({}, place, bytes);
    return 'known';
  } catch (error) {
    const { message } = error as Error;
    return ['not read', 'changed', 'deleted'].find((word) => message.includes(word)) ?? message;
  }
}

describe('a resumed session', () => {
  const rows: readonly (readonly [name: string, calls: readonly Call[], outcome: string])[] = [
    ['without calls', [], 'not read'],
    ['that read the file', [{ tool: 'Read', path: 'a.txt', timestamp: later() }], 'known'],
    ['that read it by another path', [{ tool: 'Read', path: './x/../a.txt', timestamp: later() }], 'known'],
    ['that wrote it', [{ tool: 'Write', path: 'a.txt', timestamp: later() }], 'known'],
    ['that only edited it', [{ tool: 'Edit', path: 'a.txt', timestamp: later() }], 'not read'],
    ['whose read failed', [{ tool: 'Read', path: 'a.txt', timestamp: later(), isError: true }], 'not read'],
    ['that read another file', [{ tool: 'Read', path: 'b.txt', timestamp: later() }], 'not read'],
    ['with invalid calls', [{ tool: 'Read', path: 1, timestamp: later() }], 'not read'],
    ['that used another tool', [{ tool: 'Grep', path: 'a.txt', timestamp: later() }], 'not read'],
    ['that read it before it changed', [{ tool: 'Read', path: 'a.txt', timestamp: longAgo }], 'changed'],
    ['without a time', [{ tool: 'Read', path: 'a.txt', timestamp: '' }], 'changed'],
    [
      'that read and then edited it',
      [
        { tool: 'Read', path: 'a.txt', timestamp: longAgo },
        { tool: 'Edit', path: 'a.txt', timestamp: later() },
      ],
      'known',
    ],
  ];
  for (const [name, calls, outcome] of rows) {
    test(`${name}: ${outcome}`, async () => assert.equal(await restored(calls), outcome));
  }

  test('knows that a file was deleted', async () => {
    assert.equal(
      await restored([{ tool: 'Read', path: 'a.txt', timestamp: later() }], (path) => rmSync(path)),
      'deleted',
    );
  });

  test('does not trust a modification time', async () => {
    const time = new Date(longAgo);
    const calls = [{ tool: 'Read', path: 'a.txt', timestamp: later(-1000) }];
    assert.equal(await restored(calls, (path) => utimesSync(path, time, time)), 'changed');
  });
});
