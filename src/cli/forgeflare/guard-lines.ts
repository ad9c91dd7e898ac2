// `guard --jsonl`: each line a command, each answer a line, in the same order. A line that is wrong gives an error, and
// the next one goes on.

import type { Guard } from '../../coder/guard/guard.ts';
import { isRecord } from '../../core/json.ts';

/** Without a line end; nothing for an empty line. */
export function answerLine(line: string, guard: Guard): string | undefined {
  if (line.trim() === '') return undefined;
  const document = parseLine(line);
  if (typeof document === 'string') return JSON.stringify({ id: null, error: document });
  const { id = null, command } = document;
  if (typeof command !== 'string') return JSON.stringify({ id, error: 'command: must be a string' });
  const { verdict, reason } = guard.judge(command);
  return JSON.stringify({ id, verdict, reason });
}

function parseLine(line: string): Record<string, unknown> | string {
  try {
    const document: unknown = JSON.parse(line);
    return isRecord(document) ? document : 'the line must be an object with id and command';
  } catch {
    return 'the line is not JSON';
  }
}
