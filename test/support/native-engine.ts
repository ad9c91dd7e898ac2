// The engine in its native form: the program `sa-engine`, which reads a call from each line and writes a line for each reply.

import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Call, Reply } from '../../src/embed/index.ts';
import { nativeLibrary } from './native-library.ts';

export interface NativeEngine {
  readonly call: (call: Call) => Promise<Reply>;
  /** Sends a line as it is. */
  send(line: string): Promise<Reply>;
  /** The id of the last call. */
  readonly lastId: number;
  readonly processId: number;
  /** Ends the program; resolves with its exit code. */
  close(): Promise<number | null>;
}

export async function startNativeEngine(environment: Readonly<Record<string, string>> = {}): Promise<NativeEngine> {
  const program = join(await nativeLibrary(), 'sa-engine');
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'], env: environment });
  const waiting = new Map<number, (reply: Reply) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const reply = JSON.parse(line) as Reply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  let lastId = 0;
  const send = (line: string): Promise<Reply> => {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    waiting.set(++lastId, resolve);
    child.stdin.write(`${line}\n`);
    return promise;
  };
  return {
    get lastId() {
      return lastId;
    },
    processId: child.pid ?? 0,
    send,
    call: (call) => send(JSON.stringify(call)),
    close() {
      child.stdin.end();
      return closed;
    },
  };
}
