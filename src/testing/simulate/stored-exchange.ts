// The routes of the simulated Responses API for stored responses: retrieve, delete, cancel, the items before a response,
// and compaction. A response in background mode is queued in the answer to its request and complete when it is retrieved.

import { isRecord, type JsonObject } from '../../core/json.ts';
import { estimateRequestTokens } from '../../core/token-estimate.ts';
import type { StoredResponse } from '../../wire/openai-responses/conversation.ts';
import { decodeCountRequest } from '../../wire/openai-responses/server-request.ts';
import { replayFrames } from '../../wire/openai-responses/replay.ts';
import { fingerprint } from '../model/random.ts';
import { throwApiError } from './api-error.ts';
import {
  admit,
  jsonResponse,
  type SimulatedCall,
  type SimulatedExchange,
  type SimulatedExchangeOptions,
} from './exchange.ts';
import type { OutgoingResponse } from './outgoing-response.ts';
import { throwNotFound } from './stored-responses.ts';

export interface StoredPath {
  /** The method and what follows the id, such as `POST cancel`. */
  readonly action: string;
  readonly id: string;
}

export function handleStored(
  { action, id }: StoredPath,
  call: SimulatedCall,
  options: SimulatedExchangeOptions,
): SimulatedExchange {
  if (options.requireKey) call.dialect.authenticate(call.headers, call.body.text);
  const stored = options.responses.get(id) ?? throwNotFound(id);
  const { query, fault } = call;
  if (action === 'GET ' && query.get('stream') === 'true') return { response: replay(stored, query), fault };
  return { response: jsonResponse(200, perform(action, stored, options)), fault };
}

/** `starting_after`: the number of the last event that the client has. */
function replay({ response }: StoredResponse, query: URLSearchParams): OutgoingResponse {
  const after = Number(query.get('starting_after') ?? -1);
  const frames = [...replayFrames(response)].slice(after + 1);
  return { status: 200, contentType: 'text/event-stream; charset=utf-8', body: frames.join('') };
}

function perform(action: string, stored: StoredResponse, { responses }: SimulatedExchangeOptions): JsonObject {
  const { id, response, input } = stored;
  switch (action) {
    case 'GET ':
      return response;
    case 'GET input_items':
      return { object: 'list', data: input.toReversed(), first_id: null, last_id: null, has_more: false };
    case 'DELETE ':
      responses.delete(id);
      return { id, object: 'response', deleted: true };
    case 'POST cancel': {
      if (response['background'] !== true) return throwApiError('Cannot cancel a synchronous response.');
      const cancelled = { ...response, status: 'cancelled', output: [], usage: null, completed_at: null };
      responses.put({ ...stored, response: cancelled });
      return cancelled;
    }
    default:
      return throwApiError(`Invalid URL (${action})`, { kind: 'not-found', code: 'unknown_url' });
  }
}

/** One item in place of the conversation. */
export function compact(call: SimulatedCall, options: SimulatedExchangeOptions): SimulatedExchange {
  const { body } = options.responses.resolve(admit(call, options));
  if (!isRecord(body) || typeof body['model'] !== 'string') {
    return throwApiError("Missing required parameter: 'model'.", {
      field: 'model',
      code: 'missing_required_parameter',
    });
  }
  const input = estimateRequestTokens(decodeCountRequest(body));
  const mark = fingerprint(JSON.stringify(body));
  const item = { id: `cmp_${mark}`, type: 'compaction', encrypted_content: `simulated-${mark}` };
  const usage = {
    input_tokens: input,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 1,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: input + 1,
  };
  const compacted = {
    id: `resp_${mark}`,
    object: 'response.compaction',
    created_at: 1735689600,
    output: [item],
    usage,
  };
  return { response: jsonResponse(200, compacted), fault: call.fault };
}
