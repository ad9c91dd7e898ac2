// What a provider says about itself: the number of tokens of a prompt, and the models it serves.

import { SimpleAgentsError } from '../core/error.ts';
import { isRecord } from '../core/json.ts';
import type { ChatRequest } from '../core/request.ts';
import { modelList } from '../wire/provider-lists.ts';
import type { EncodeOptions, WireClient } from '../wire/wire.ts';
import { versionHeaders } from './api-version.ts';
import { callJson, type JsonCallOptions } from './remote-json.ts';

/** The client waits for these calls, and has an answer without them. */
const limits = { connect: 2000, total: 5000, plainTotal: 5000 };

type ListOptions = Omit<JsonCallOptions, 'errors' | 'timeouts'> &
  EncodeOptions & { readonly wire: WireClient; readonly versions?: readonly string[] };

/** Throws `not-found` if the wire has no such route. */
export async function countRemoteTokens(
  options: ListOptions,
  request: ChatRequest,
  signal: AbortSignal,
): Promise<number> {
  const { wire, name } = options;
  const { counting } = wire;
  if (counting === undefined) throw new SimpleAgentsError('not-found', `${name} does not count tokens`);
  const headers = { ...options.headers, ...versionHeaders(options, request.client) };
  const received = await call({ ...options, headers }, { ...counting.encode(request, options), signal });
  const tokens = isRecord(received) ? counting.decode(received) : undefined;
  if (Number.isSafeInteger(tokens) && (tokens as number) >= 0) return tokens as number;
  throw new SimpleAgentsError('bad-response', `${name} sent no token count`, { target: name });
}

/** A list is read from outside, so its size is limited. */
const mostModels = 2000;
const longestName = 200;

export async function listRemoteModels(options: ListOptions, signal: AbortSignal): Promise<readonly string[]> {
  const { listing = modelList } = options.wire;
  const names = listing.decode(await call(options, { path: listing.path, signal }));
  return names.filter((name) => typeof name === 'string' && isListable(name)).slice(0, mostModels) as string[];
}

function isListable(name: string): boolean {
  return name !== '' && name.length <= longestName && name.isWellFormed() && !/\p{Cc}/u.test(name);
}

function call(options: ListOptions, { path, body, signal }: Omit<Parameters<typeof callJson>[1], 'context'>) {
  return callJson(
    { ...options, timeouts: limits, errors: options.wire },
    { path, signal, ...(body === undefined ? {} : { body }) },
  );
}
