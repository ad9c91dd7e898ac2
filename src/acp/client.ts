// The client of an ACP connection, as the agent uses it: what it offers, and requests to it.

import { isRecord } from '../core/json.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { RpcConnection, RpcOutcome } from '../rpc/connection.ts';
import { recordOf, stringOf } from '../streamjson/line.ts';
import type { SessionUpdate } from './types.ts';
import type { ClientDisplay } from './update-encoder.ts';

export interface ClientOffers {
  readonly readsFiles: boolean;
  readonly writesFiles: boolean;
  readonly display: ClientDisplay;
}

export const noOffers: ClientOffers = {
  readsFiles: false,
  writesFiles: false,
  display: { notices: false, compaction: false },
};

export function decodeOffers(capabilities: unknown): ClientOffers {
  const { fs, session } = recordOf(capabilities);
  const { notices, compaction } = recordOf(session);
  return {
    readsFiles: recordOf(fs)['readTextFile'] === true,
    writesFiles: recordOf(fs)['writeTextFile'] === true,
    display: { notices: isRecord(notices), compaction: isRecord(compaction) },
  };
}

/** Milliseconds after which a file of the editor is read from the disk instead. */
const readTimeout = 10_000;

export class AcpClient {
  readonly #connection: RpcConnection;

  constructor(connection: RpcConnection) {
    this.#connection = connection;
  }

  update(sessionId: string, update: SessionUpdate): void {
    this.#connection.notify('session/update', { sessionId, update });
  }

  requestPermission(params: object, signal: AbortSignal): Promise<RpcOutcome> {
    return this.#connection.request('session/request_permission', params, signal);
  }

  /** Undefined if the editor cannot read it. */
  async readFile(sessionId: string, path: string): Promise<string | undefined> {
    const params = { sessionId, path };
    const outcome = await this.#connection.request('fs/read_text_file', params, AbortSignal.timeout(readTimeout));
    return outcome.kind === 'result' ? stringOf(recordOf(outcome.value)['content']) : undefined;
  }

  async writeFile(sessionId: string, path: string, content: string): Promise<void> {
    const outcome = await this.#connection.request('fs/write_text_file', { sessionId, path, content });
    if (outcome.kind === 'result') return;
    const reason = outcome.kind === 'error' ? outcome.error.message : 'the connection to the editor ended';
    throw new SimpleAgentsError('upstream', `The editor could not write the file: ${reason}`);
  }
}
