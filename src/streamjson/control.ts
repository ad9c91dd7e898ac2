// The control protocol of stream-json: requests in both directions beside the conversation. The host initializes the agent
// and interrupts it; the agent asks for permission. Invariants:
//   1. `request` never rejects, and always resolves: with the reply, when it is cancelled, or at `endInput` or `close`.
//   2. Every request of the peer gets exactly one reply, unless the peer cancels it: then it gets none.
//   3. A writer that throws ends the connection.

import { isRecord, omitUndefined } from '../core/json.ts';
import { recordOf, stringOf, type StreamJsonLine } from './line.ts';

export interface ControlRequest {
  readonly subtype: string;
  readonly [member: string]: unknown;
}

/** The reply to a request. */
export type ControlReply =
  | { readonly kind: 'success'; readonly response: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly message: string; readonly code?: string };

export type ControlOutcome = ControlReply | { readonly kind: 'cancelled' } | { readonly kind: 'closed' };

export interface ControlPeerOptions {
  readonly send: (line: StreamJsonLine) => void;
  /** Its signal is aborted when the peer cancels the request, or when the connection is closed. */
  readonly onRequest: (request: ControlRequest, signal: AbortSignal) => Promise<ControlReply>;
  readonly createId: () => string;
}

export class ControlPeer {
  readonly #options: ControlPeerOptions;
  readonly #pending = new Map<string, (outcome: ControlOutcome) => void>();
  readonly #running = new Map<string, AbortController>();
  #isClosed = false;
  #hasEnded = false;

  constructor(options: ControlPeerOptions) {
    this.#options = options;
  }

  /** Returns false if the line is not part of the control protocol. The line must have passed `parseLine`. */
  receive(line: StreamJsonLine): boolean {
    switch (line.type) {
      case 'control_request':
        void this.#onRequest(line['request_id'] as string, line['request'] as ControlRequest);
        return true;
      case 'control_response':
        this.#onResponse(recordOf(line['response']));
        return true;
      case 'control_cancel_request':
        this.#running.get(line['request_id'] as string)?.abort();
        return true;
      default:
        return false;
    }
  }

  request(request: ControlRequest, signal?: AbortSignal, id = this.#options.createId()): Promise<ControlOutcome> {
    if (this.#isClosed || this.#hasEnded) return Promise.resolve({ kind: 'closed' });
    if (signal?.aborted) return Promise.resolve({ kind: 'cancelled' });
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#send({ type: 'control_cancel_request', request_id: id });
        this.#settle(id, { kind: 'cancelled' });
      };
      this.#pending.set(id, (outcome) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(outcome);
      });
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#send(encodeControlRequest(id, request));
    });
  }

  /** The peer sends nothing more. Its own requests still get their replies. */
  endInput(): void {
    this.#hasEnded = true;
    for (const id of this.#pending.keys()) this.#settle(id, { kind: 'closed' });
  }

  close(): void {
    this.#isClosed = true;
    this.endInput();
    for (const controller of this.#running.values()) controller.abort();
  }

  #send(line: StreamJsonLine): void {
    if (this.#isClosed) return;
    try {
      this.#options.send(line);
    } catch {
      this.close();
    }
  }

  async #onRequest(id: string, request: ControlRequest): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    const reply = await this.#handle(request, controller.signal);
    this.#running.delete(id);
    if (!controller.signal.aborted) this.#send(encodeControlReply(id, reply));
  }

  async #handle(request: ControlRequest, signal: AbortSignal): Promise<ControlReply> {
    try {
      return await this.#options.onRequest(request, signal);
    } catch (error) {
      return { kind: 'error', message: error instanceof Error ? error.message : String(error) };
    }
  }

  /** A reply to an unknown request is late: we have cancelled the request. */
  #onResponse(response: Record<string, unknown>): void {
    this.#settle(response['request_id'] as string, decodeReply(response));
  }

  #settle(id: string, outcome: ControlOutcome): void {
    const resolve = this.#pending.get(id);
    this.#pending.delete(id);
    resolve?.(outcome);
  }
}

export function encodeControlRequest(id: string, request: ControlRequest): StreamJsonLine {
  return { type: 'control_request', request_id: id, request };
}

export function encodeControlReply(id: string, reply: ControlReply): StreamJsonLine {
  const body =
    reply.kind === 'success'
      ? { subtype: 'success', request_id: id, response: reply.response }
      : omitUndefined({ subtype: 'error', request_id: id, error: reply.message, error_code: reply.code });
  return { type: 'control_response', response: body };
}

function decodeReply(response: Record<string, unknown>): ControlReply {
  if (response['subtype'] === 'success') return { kind: 'success', response: recordOf(response['response']) };
  return { kind: 'error', message: stringOf(response['error']) ?? 'The peer reported an error without a message.' };
}

/** The answer to `can_use_tool`. */
export type PermissionAnswer =
  | {
      readonly behavior: 'allow';
      /** Replaces the input of the call. */
      readonly updatedInput?: Readonly<Record<string, unknown>>;
      /** Rules that the host wants to keep, in the format of the CLI. */
      readonly updatedPermissions?: readonly unknown[];
    }
  | {
      readonly behavior: 'deny';
      readonly message: string;
      /** The whole turn ends. */
      readonly interrupt?: boolean;
    };

/** Only an explicit `allow` allows. Any other outcome denies, with the reason. */
export function decodePermissionAnswer(outcome: ControlOutcome): PermissionAnswer {
  if (outcome.kind === 'error') return { behavior: 'deny', message: `The host could not ask: ${outcome.message}` };
  if (outcome.kind !== 'success') return { behavior: 'deny', message: 'The permission request was cancelled.' };
  const { behavior, updatedInput, updatedPermissions, message, interrupt } = outcome.response;
  if (behavior === 'allow') {
    return omitUndefined({
      behavior,
      updatedInput: isRecord(updatedInput) ? updatedInput : undefined,
      updatedPermissions: Array.isArray(updatedPermissions) ? (updatedPermissions as readonly unknown[]) : undefined,
    });
  }
  const reason =
    behavior === 'deny' ? 'The user denied the call.' : 'The host sent no valid answer to the permission request.';
  return omitUndefined({
    behavior: 'deny',
    message: stringOf(message) ?? reason,
    interrupt: interrupt === true ? true : undefined,
  });
}

/** The CLI requires `updatedInput` in an answer that allows. */
export function encodePermissionAnswer(
  answer: PermissionAnswer,
  input: Readonly<Record<string, unknown>>,
): ControlReply {
  const response = answer.behavior === 'allow' ? { updatedInput: input, ...answer } : answer;
  return { kind: 'success', response: { ...response } };
}
