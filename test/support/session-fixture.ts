// A session with fixed dates, so that its output is predictable.

import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecordedConversation } from '../../src/coder/session/conversation.ts';
import type { Message } from '../../src/core/message.ts';

export const fixtureId = '2026-11-16-3f2a9c1e-5b7d-4e08-9a66-0c1d2e3f4a5b';
const begun = Date.parse('2026-11-16T09:00:00Z');

const conversation: readonly Message[] = [
  { role: 'user', content: [{ type: 'text', text: 'The test of add fails. Why?' }] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I look at the function.' },
      { type: 'tool-call', id: 'toolu_1', name: 'Read', input: { 'file_path': 'add.js' } },
    ],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool-result',
        callId: 'toolu_1',
        content: [{ type: 'text', text: 'export const add = (a, b) => a - b;\n' }],
      },
    ],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'It subtracts: there is a `-` where `+` belongs.' }] },
];

/** Gives the path of full.jsonl. */
export function writeFixture(folder: string): string {
  const path = join(folder, '.entire', 'metadata', fixtureId);
  const file = join(path, 'full.jsonl');
  const recorded = new RecordedConversation({ sessionId: fixtureId, cwd: '/work', version: '0.1.0' });
  const lines = conversation
    .flatMap((message) => recorded.take({ type: 'append', message }))
    .map((line, second) => ({ ...line, timestamp: new Date(begun + second * 1000).toISOString() }));
  mkdirSync(path, { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(join(path, 'prompt.txt'), 'The test of add fails. Why?');
  utimesSync(file, begun / 1000 + 60, begun / 1000 + 60);
  return file;
}
