// Recorded sessions of stream-json agents and of ACP agents: one JSON object per line, with `dir` (">" towards the agent)
// and the message. They are in the folder that SIMPLE_AGENTS_TRANSCRIPTS names.

import { readFileSync } from 'node:fs';
import { transcript } from './requirement.ts';

/** The sessions of the claude CLI. */
const streamJsonSessions = [
  'control-init',
  'err-401',
  'err-529',
  'err-midstream-two',
  'image-input',
  'interrupt-perm',
  'interrupt',
  'max-tokens',
  'multi-blocks',
  'partial-tool',
  'partial',
  'perm-allow-write',
  'perm-deny-write',
  'refusal',
  'resume-1',
  'resume-2',
  'slash-cost',
  'text',
  'thinking-partial',
  'tool-bash',
  'tool-edit',
  'tool-read',
  'tool-subagent',
  'tool-two-parallel',
] as const;

export type StreamJsonSession = (typeof streamJsonSessions)[number];

export const sessions = streamJsonSessions.map((name) => ({ name, ...transcript(`${name}.ndjson`) }));

export interface RecordedLine {
  readonly direction: 'to-agent' | 'from-agent';
  /** The line as it was sent. */
  readonly text: string;
}

export function readSession(path: string): RecordedLine[] {
  const records = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return records.flatMap((record): RecordedLine[] => {
    const { dir, msg } = JSON.parse(record) as { dir: string; msg?: object };
    if (msg === undefined || (dir !== '>' && dir !== '<')) return [];
    return [{ direction: dir === '>' ? 'to-agent' : 'from-agent', text: JSON.stringify(msg) }];
  });
}

export function linesOf(name: StreamJsonSession, direction: RecordedLine['direction']): string[] {
  const lines = readSession(transcript(`${name}.ndjson`).path);
  return lines.filter((line) => line.direction === direction).map(({ text }) => text);
}
