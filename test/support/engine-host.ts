// The engine for other languages with a host in this process: Node's own `fetch`, hash, environment and files. It shows what
// the engine does apart from any native code.

import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createEngine } from '../../src/embed/index.ts';
import type { Call, Engine, EngineHost, HostRequest, Reply } from '../../src/embed/index.ts';

export interface EngineCaller {
  /** Resolves with the reply of the engine, also if it is an error. */
  readonly call: (call: Call) => Promise<Reply>;
  /** Sends a text as it is. */
  send(id: number, text: string): void;
  /** The id of the last call. */
  readonly lastId: number;
  readonly replies: Reply[];
}

export function startEngine(environment: Readonly<Record<string, string>> = {}): EngineCaller {
  const waiting = new Map<number, (reply: Reply) => void>();
  const replies: Reply[] = [];
  const requests = new NodeRequests(() => engine);
  const host: EngineHost = {
    ...requests.host,
    post(id, text) {
      const reply = JSON.parse(text) as Reply;
      replies.push(reply);
      waiting.get(id)?.(reply);
      waiting.delete(id);
    },
    sha256: (text) => hash('sha256', text),
    environment: () => JSON.stringify(environment),
    readText: (path) => readFileSync(path, 'utf8'),
  };
  const engine = createEngine(host);
  let lastId = 0;
  return {
    replies,
    get lastId() {
      return lastId;
    },
    send: (id, text) => engine.receive(id, text),
    call(call) {
      const id = ++lastId;
      const { promise, resolve } = Promise.withResolvers<Reply>();
      waiting.set(id, resolve);
      engine.receive(id, JSON.stringify(call));
      return promise;
    },
  };
}

class NodeRequests {
  readonly #engine: () => Engine;
  readonly #controllers = new Map<number, AbortController>();
  readonly #readers = new Map<number, ReadableStreamDefaultReader<Uint8Array>>();
  readonly host: Pick<EngineHost, 'fetch' | 'pull' | 'cancel'>;

  constructor(engine: () => Engine) {
    this.#engine = engine;
    this.host = {
      fetch: (id, request) => void this.#fetch(id, JSON.parse(request) as HostRequest),
      pull: (id) => void this.#pull(id),
      cancel: (id) => this.#controllers.get(id)?.abort(),
    };
  }

  async #fetch(id: number, { method, url, headers, body }: HostRequest): Promise<void> {
    const controller = new AbortController();
    this.#controllers.set(id, controller);
    const { signal } = controller;
    try {
      const response = await fetch(url, { method, headers, redirect: 'manual', signal, ...(body && { body }) });
      if (response.body !== null) this.#readers.set(id, response.body.getReader());
      this.#engine().takeHead(id, JSON.stringify({ status: response.status, headers: [...response.headers] }));
    } catch (error) {
      this.#fail(id, error);
    }
  }

  async #pull(id: number): Promise<void> {
    try {
      const { value } = (await this.#readers.get(id)?.read()) ?? {};
      this.#engine().takeChunk(id, value);
    } catch (error) {
      this.#fail(id, error);
    }
  }

  #fail(id: number, error: unknown): void {
    if (this.#controllers.get(id)?.signal.aborted) return;
    const cause = ((error as Error).cause ?? error) as { readonly code?: string; readonly message: string };
    this.#engine().takeFailure(id, JSON.stringify({ code: cause.code ?? '', message: cause.message }));
  }
}
