// Reads raw responses, in any number of writes, through a transport over a real socket.

import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { SimpleAgentsError } from '../../src/core/error.ts';
import { readWhole } from '../../src/providers/body.ts';
import { startSocketServer } from './server.ts';
import { transportFor, type TransportName } from './transports.ts';

export interface ReadResult {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** As Latin-1. */
  readonly body: string;
  /** `whole` for a complete response, otherwise the kind of the error. */
  readonly outcome: string;
}

/** By default, the server closes the connection after the last part. */
export type Reader = (parts: readonly string[], endsThere?: boolean) => Promise<ReadResult>;

/** Serves the given parts, each in its own write, and reads them back. */
export async function startReader(context: TestContext, name: TransportName): Promise<Reader> {
  const replies = new Map<string, readonly [parts: readonly string[], endsThere: boolean]>();
  const server = await startSocketServer(context, (socket) => {
    socket.setNoDelay(true);
    socket.once('data', (bytes) => {
      const path = /^GET (\S+)/.exec(bytes.toString('latin1'))?.[1] ?? '';
      const [parts, endsThere] = replies.get(path) ?? [[], true];
      void (async () => {
        for (const part of parts) {
          if (!socket.writable) return;
          socket.write(part, 'latin1');
          await setImmediate();
        }
        if (endsThere) socket.end();
      })();
    });
  });
  const transport = transportFor(context, name);
  let count = 0;
  return async (parts, endsThere = true) => {
    const path = `/${count++}`;
    replies.set(path, [parts, endsThere]);
    const request = { method: 'GET', url: server.origin + path, headers: { connection: 'close' } } as const;
    let heard: Omit<ReadResult, 'outcome'> = { body: '' };
    try {
      const { status, headers, body } = await transport.send(request, AbortSignal.timeout(20_000));
      heard = { status, headers: { ...headers }, body: '' };
      return { ...heard, body: Buffer.from(await readWhole(body)).toString('latin1'), outcome: 'whole' };
    } catch (error) {
      return { ...heard, outcome: error instanceof SimpleAgentsError ? error.kind : String(error) };
    }
  };
}
