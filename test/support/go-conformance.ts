// Runs the cases of the conformance suite with the Go package, in the program bindings/go/internal/conformance, and maps
// the results of both languages to one shape. A member with the zero value of Go counts as absent.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isRecord } from '../../src/core/json.ts';
import type { ClientCase, HealCase } from '../embed/cases.ts';
import type { Outcome } from './conformance.ts';
import { go } from './go-package.ts';
import { temporaryFolder } from './temporary-folder.ts';

export interface GoProgram {
  /** One case at a time. */
  run(one: HealCase | ClientCase): Promise<Outcome>;
  close(): Promise<void>;
}

export async function startGoProgram(): Promise<GoProgram> {
  const program = join(temporaryFolder().path, 'conformance');
  await go(['build', '-o', program, './internal/conformance']);
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'], env: {} });
  const closed = new Promise<void>((resolve) => child.on('close', () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run(one) {
      child.stdin.write(`${JSON.stringify(one)}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error(`the program ended during the case ${one.name}`);
      return fromGo(JSON.parse(value) as GoOutcome);
    },
    async close() {
      child.stdin.end();
      await closed;
    },
  };
}

type Members = Readonly<Record<string, unknown>>;

interface GoOutcome {
  readonly items: readonly Members[] | null;
  readonly error?: Members;
}

/** The exported fields of Go's structs get the names of the library. */
function fromGo({ items, error }: GoOutcome): Outcome {
  const named = (items ?? []).map((item) =>
    isRecord(item['completion']) ? { completion: toLibraryNames(item['completion']) } : toLibraryNames(item),
  );
  return withoutZeros({ items: named, ...(error !== undefined && { error: toLibraryNames(error) }) });
}

function toLibraryNames(members: Members): Members {
  const { RequestID: requestId, RetryAfter: retryAfter, ...rest } = members;
  const named = Object.entries(rest).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]);
  const retryAfterMs = typeof retryAfter === 'number' ? retryAfter / 1e6 : undefined;
  return { ...(Object.fromEntries(named) as Members), requestId, retryAfterMs };
}

/** The outcome of the library without what Go's types do not have. */
export function toGoOutcome({ items, error }: Outcome): Outcome {
  const shown = items.map((item) => {
    const { event, completion } = item as { readonly event?: Members; readonly completion?: Members };
    if (event !== undefined) return { event: toGoEvent(event) };
    return completion === undefined ? item : { completion: toGoCompletion(completion) };
  });
  return withoutZeros({ items: shown, error });
}

function toGoEvent({
  extra: _extra,
  providerStopReason: _reason,
  stopSequence: _sequence,
  ...event
}: Members): Members {
  return event;
}

function toGoCompletion({ message, choices: _choices, toolCalls, notices, ...completion }: Members): Members {
  const { role, content } = message as Members;
  const calls = (toolCalls as readonly Members[]).map(({ type: _type, raw: _raw, ...call }) => call);
  const told = (notices as readonly Members[]).map(({ kind, detail }) => ({ kind, detail }));
  return { confidence: 1, ...completion, messages: [{ role, content }], toolCalls: calls, notices: told };
}

function withoutZeros<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, part: unknown) => {
    if (!isRecord(part)) return part;
    return Object.fromEntries(Object.entries(part).filter(([, member]) => !isZero(member)));
  }) as T;
}

function isZero(value: unknown): boolean {
  return (
    value === null || value === '' || value === 0 || value === false || (Array.isArray(value) && value.length === 0)
  );
}
