// The files of subagents: complete, separate from the transcript, and harmless if they cannot be written.

import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { on, subagentModel, task } from '../../../test/support/subagent-model.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { textOf } from '../../core/message.ts';
import { openSession, type SessionRecorder } from './recorder.ts';
import { loadLatestSession } from './store.ts';
import { loadSubagents } from './subagent-transcript.ts';

const base = temporaryFolder();
let made = 0;

const replies = [
  { toolCalls: [task('t/1', 'begin one'), task('t2', 'begin two')] },
  on('begin one', { toolCalls: [{ name: 'look', id: 'c', input: { at: 'sky' } }] }),
  on('begin two', { text: 'Two.' }),
  { match: { contains: 'sky is blue', system: 'helper' }, text: 'One.' },
  { text: 'Done.' },
];

/** Runs a turn with two subagents in a session. */
async function record(prepare?: (session: SessionRecorder) => void) {
  made += 1;
  const folder = join(base.path, `project-${made}`);
  mkdirSync(folder);
  const warnings: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  const session = openSession({ folder, cwd: folder, version: '1', model: 'm', warn });
  prepare?.(session);
  const { agent } = subagentModel(replies, {
    onHistory: session.onHistory,
    onSubagentHistory: session.onSubagentHistory,
  });
  for await (const event of agent.run('Go')) await session.observe(event);
  await session.close();
  return { folder, session, warnings };
}

test('each subagent has a file with its whole conversation', async () => {
  const { folder, session, warnings } = await record();
  assert.deepEqual(warnings, []);
  assert.deepEqual(readdirSync(join(session.path, 'subagents')).toSorted(), ['t2.jsonl', 't_1.jsonl']);
  const subagents = await loadSubagents(session.path);
  const told = subagents.map(({ callId, entries }) => [callId, entries.map(({ message }) => textOf(message.content))]);
  assert.deepEqual(Object.fromEntries(told), {
    't/1': ['begin one', '', '', 'One.'],
    't2': ['begin two', 'Two.'],
  });
  const loaded = await loadLatestSession(folder);
  assert.deepEqual([loaded.messages.length, loaded.problems], [4, []]);
});

test('files that cannot be written cause one warning, and the transcript is complete', async () => {
  const { folder, warnings } = await record(({ path }) => {
    mkdirSync(path, { recursive: true });
    writeFileSync(join(path, 'subagents'), '');
  });
  assert.equal(warnings.length, 1);
  assert.match(warnings[0] ?? '', /subagents cannot be written \(/);
  assert.deepEqual((await loadLatestSession(folder)).messages.length, 4);
});

test('a link is not followed, neither to write nor to read', async () => {
  const outside = join(base.path, 'outside');
  mkdirSync(outside);
  const { session, warnings } = await record(({ path }) => {
    mkdirSync(path, { recursive: true });
    symlinkSync(outside, join(path, 'subagents'));
  });
  assert.match(warnings.join(), /is not a folder/);
  assert.deepEqual(readdirSync(outside), []);
  writeFileSync(join(outside, 'x.jsonl'), '{}');
  assert.deepEqual(await loadSubagents(session.path), []);
});

test('damaged files are skipped, and an id that occurs again gets a file of its own', async () => {
  const { session } = await record(({ path }) => {
    mkdirSync(join(path, 'subagents'), { recursive: true });
    writeFileSync(join(path, 'subagents', 't2.jsonl'), 'damaged\n');
  });
  assert.ok(existsSync(join(session.path, 'subagents', 't2-2.jsonl')));
  assert.equal(readFileSync(join(session.path, 'subagents', 't2.jsonl'), 'utf8'), 'damaged\n');
  assert.deepEqual((await loadSubagents(session.path)).length, 2);
});
