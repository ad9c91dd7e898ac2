// `withEmbeddingCache`: answers equal embedding requests from the cache of responses. A failing store never fails a call.

import type { CallContext } from '../../core/call.ts';
import { concat } from '../../core/bytes.ts';
import type { EmbeddingRequest, EmbeddingResponse } from '../../core/embedding.ts';
import { isRecord } from '../../core/json.ts';
import type { Cache } from '../cache/cache.ts';
import { isConfigurationError } from '../cache/cache.ts';
import { CallWatcher } from '../observe/call-watcher.ts';
import { unlessAborted } from '../../core/abort.ts';
import type { Embedder } from './batches.ts';

/** Increase the number when the format changes. */
const header = new TextEncoder().encode('simple-agents embeddings 1\n');

/** In bytes. Larger responses are not stored, because they would displace many others. */
const largestEntry = 4 * 1024 * 1024;

export interface EmbeddingCacheOptions {
  readonly cache: Cache;
  /** Milliseconds. */
  readonly ttl: number;
  readonly keyOf: (request: EmbeddingRequest, caller: string | undefined) => string | undefined;
}

export function withEmbeddingCache(inner: Embedder, options: EmbeddingCacheOptions): Embedder {
  return {
    name: inner.name,
    async open(request, signal, context) {
      const control = context?.cache;
      const key = control === 'off' ? undefined : options.keyOf(request, context?.caller);
      if (key === undefined) return inner.open(request, signal, context);
      const entry =
        control === 'refresh' ? undefined : await unlessAborted(lookUp(options.cache, key, context), signal);
      if (entry !== undefined) return toResponse(entry);
      const watcher = new CallWatcher(context ?? { id: '', observe: () => undefined });
      const response = await inner.open(request, signal, watcher.context);
      if (control !== 'read') void store(key, response, watcher, options);
      return response;
    },
  };
}

interface EmbeddingEntry extends Omit<EmbeddingResponse, 'ended'> {
  readonly answeredBy?: string;
}

async function lookUp(cache: Cache, key: string, context?: CallContext): Promise<EmbeddingEntry | undefined> {
  const { id: call = '', observe } = context ?? {};
  try {
    const bytes = await cache.get(key);
    const entry = bytes === undefined ? undefined : decode(bytes);
    if (entry === undefined) observe?.({ call, type: 'cache-miss', key });
    else observe?.({ call, type: 'cache-hit', key, ...(entry.answeredBy && { answeredBy: entry.answeredBy }) });
    return entry;
  } catch (error) {
    if (isConfigurationError(error)) throw error;
    observe?.({ call, type: 'cache-failure', operation: 'get', error });
    return undefined;
  }
}

/** Never rejects. */
async function store(
  key: string,
  { ended: _ended, ...response }: EmbeddingResponse,
  { answeredBy, context }: CallWatcher,
  { cache, ttl }: EmbeddingCacheOptions,
): Promise<void> {
  const { id: call, observe } = context;
  const bytes = encode({ ...response, ...(answeredBy === undefined ? {} : { answeredBy }) });
  const kept = typeof context.cache === 'object' ? context.cache.ttl : ttl;
  if (bytes.length > largestEntry || !(kept > 0)) return;
  try {
    await cache.set(key, bytes, kept, context.caller);
    observe({ call, type: 'cache-store', key });
  } catch (error) {
    observe({ call, type: 'cache-failure', operation: 'set', error });
  }
}

function toResponse({ answeredBy: _answeredBy, ...entry }: EmbeddingEntry): EmbeddingResponse {
  const { usage } = entry;
  return { ...entry, isCached: true, ended: Promise.resolve({ type: 'complete', stopReason: 'end', usage }) };
}

function encode(entry: EmbeddingEntry): Uint8Array {
  return concat([header, new TextEncoder().encode(JSON.stringify(entry))]);
}

/** Bytes of another format, or truncated bytes, decode to nothing. */
function decode(bytes: Uint8Array): EmbeddingEntry | undefined {
  if (!header.every((byte, index) => bytes[index] === byte)) return undefined;
  try {
    const entry: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(header.length)));
    return isRecord(entry) && Array.isArray(entry['vectors']) ? (entry as unknown as EmbeddingEntry) : undefined;
  } catch {
    return undefined;
  }
}
