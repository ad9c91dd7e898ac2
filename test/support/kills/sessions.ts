// Kills programs that record sessions and checks the files: every acknowledged record is there, at most one line is torn,
// and the session can be continued.

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from '../../../src/coder/session/recorder.ts';
import { loadLatestSession } from '../../../src/coder/session/store.ts';
import { readTranscript } from '../../../src/coder/session/transcript.ts';
import { textOf, type Message } from '../../../src/core/message.ts';
import { createRandom } from '../../../src/testing/model/random.ts';
import { runUntilKilled } from './kill.ts';

/** Sessions that are written by one program. */
const atOnce = 4;
/** Milliseconds. */
const longestLife = 8;

export interface KillReport {
  /** Sessions that were being written when their program was killed. */
  readonly sessions: number;
  readonly records: number;
  readonly torn: number;
}

/** Two programs at a time, until so many sessions have been killed. */
export async function killSessions(count: number, seed: string): Promise<KillReport> {
  const random = createRandom(seed);
  const report = { sessions: 0, records: 0, torn: 0 };
  const takeTurns = async (): Promise<void> => {
    while (report.sessions < count) {
      report.sessions += atOnce;
      for (const { records, torn } of await killProgram(random.next() * longestLife)) {
        report.records += records;
        report.torn += torn;
      }
    }
  };
  await Promise.all([takeTurns(), takeTurns()]);
  return report;
}

interface Found {
  readonly records: number;
  readonly torn: number;
}

async function killProgram(lifetime: number): Promise<Found[]> {
  const folder = mkdtempSync(join(tmpdir(), 'killed-'));
  try {
    await runUntilKilled('session-writer.ts', [folder, atOnce, lifetime]);
    return await Promise.all(Array.from({ length: atOnce }, (_, thread) => check(join(folder, String(thread)))));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The number of the last record that was acknowledged. A number that was cut off is not one. */
function lastAcknowledged(folder: string): number {
  const lines = readFileSync(join(folder, 'acknowledged'), 'utf8').split('\n');
  return Number(lines.at(-2));
}

async function check(folder: string): Promise<Found> {
  const acknowledged = lastAcknowledged(folder);
  const resume = await loadLatestSession(folder);
  const { id, path, messages, transcript } = resume;
  const torn = transcript.problems.length;
  assert.ok(torn <= 1, transcript.problems.join('\n'));
  const found = messages.map(numberOf);
  assert.deepEqual(found, [...found.keys()], 'no record is missing in between');
  assert.ok(found.length > acknowledged, `${found.length} records, ${acknowledged} was acknowledged`);
  // At most the one that was being written.
  assert.ok(found.length <= acknowledged + 2);
  const session = openSession({ folder, cwd: folder, version: '1', model: 'm', warn: assert.fail, resume });
  session.onHistory({
    type: 'append',
    message: { role: 'user', content: [{ type: 'text', text: `${found.length} more` }] },
  });
  await session.close();
  assert.equal(session.id, id);
  const after = readTranscript(readFileSync(join(path, 'full.jsonl')));
  assert.equal(after.problems.length, torn, 'nothing is glued to what was torn');
  assert.equal(after.entries.length, found.length + 1);
  return { records: found.length, torn };
}

function numberOf({ content }: Message): number {
  return Number.parseInt(textOf(content), 10);
}
