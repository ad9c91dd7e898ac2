// The messages of JSON-RPC 2.0. `decodeMessage` never throws: input that is not a message becomes `invalid`, with the
// error that the peer receives.

export type RpcId = string | number | null;

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const rpcErrorCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  requestCancelled: -32_800,
} as const;

export type RpcMessage =
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: unknown }
  | { readonly kind: 'notification'; readonly method: string; readonly params: unknown }
  | { readonly kind: 'response'; readonly id: RpcId; readonly outcome: RpcReply }
  | { readonly kind: 'invalid'; readonly id: RpcId; readonly error: RpcError };

/** What a request returns: a value or an error. */
export type RpcReply =
  /** `onSent` is called when the reply has been written, for what must follow it. */
  | { readonly kind: 'result'; readonly value: unknown; readonly onSent?: () => void }
  | { readonly kind: 'error'; readonly error: RpcError };

export function decodeMessage(line: string): RpcMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return invalid(null, rpcErrorCodes.parseError, `Malformed JSON: ${messageOf(error)}. Line: ${excerpt(line)}`);
  }
  if (Array.isArray(value))
    return invalid(null, rpcErrorCodes.invalidRequest, 'Batches are not supported; send one message per line.');
  if (!isObject(value)) return invalid(null, rpcErrorCodes.invalidRequest, 'A message must be a JSON object.');
  return decodeObject(value);
}

function decodeObject(value: Record<string, unknown>): RpcMessage {
  const { id, method, params } = value;
  const hasId = Object.hasOwn(value, 'id');
  if (hasId && !isId(id)) {
    return invalid(null, rpcErrorCodes.invalidRequest, 'id: must be a string, an integer or null.');
  }
  const known = hasId ? (id as RpcId) : null;
  if (value['jsonrpc'] !== '2.0') return invalid(known, rpcErrorCodes.invalidRequest, 'jsonrpc: must be "2.0".');
  if (!Object.hasOwn(value, 'method')) return decodeResponse(value, hasId, known);
  if (typeof method !== 'string') return invalid(known, rpcErrorCodes.invalidRequest, 'method: must be a string.');
  if (params !== undefined && (typeof params !== 'object' || params === null)) {
    return invalid(known, rpcErrorCodes.invalidRequest, 'params: must be an object or an array.');
  }
  return hasId ? { kind: 'request', id: known, method, params } : { kind: 'notification', method, params };
}

function decodeResponse(value: Record<string, unknown>, hasId: boolean, id: RpcId): RpcMessage {
  const hasResult = Object.hasOwn(value, 'result');
  const hasError = Object.hasOwn(value, 'error');
  if (!hasId || hasResult === hasError) {
    return invalid(
      id,
      rpcErrorCodes.invalidRequest,
      'A message must have a method, or an id with a result or an error.',
    );
  }
  if (hasResult) return { kind: 'response', id, outcome: { kind: 'result', value: value['result'] } };
  return { kind: 'response', id, outcome: { kind: 'error', error: decodeError(value['error']) } };
}

/** Lenient, because an error that the peer reports badly is still an error. */
function decodeError(value: unknown): RpcError {
  if (!isObject(value))
    return { code: rpcErrorCodes.internalError, message: 'The peer reported an error without details.' };
  const code = typeof value['code'] === 'number' ? value['code'] : rpcErrorCodes.internalError;
  const message =
    typeof value['message'] === 'string' ? value['message'] : 'The peer reported an error without a message.';
  return value['data'] === undefined ? { code, message } : { code, message, data: value['data'] };
}

export function encodeRequest(id: RpcId, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function encodeNotification(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function encodeReply(id: RpcId, reply: RpcReply): string {
  if (reply.kind === 'error') return JSON.stringify({ jsonrpc: '2.0', id, error: reply.error });
  return JSON.stringify({ jsonrpc: '2.0', id, result: reply.value ?? null });
}

function invalid(id: RpcId, code: number, message: string): RpcMessage {
  return { kind: 'invalid', id, error: { code, message } };
}

function isId(value: unknown): value is RpcId {
  return value === null || typeof value === 'string' || Number.isSafeInteger(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function excerpt(line: string): string {
  return line.length > 100 ? `${line.slice(0, 100)}...` : line;
}

/** Never a stack trace. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
