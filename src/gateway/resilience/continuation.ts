// `withContinuation`: when a response is cut off in the middle, the next target continues from the delivered text. Only on
// request, because two models then write one response; otherwise a cut is an error.
// A response is never continued once a tool call has started, if it has a schema, after an abort, or after the total
// time-out.

import type { CallContext, OnCut } from '../../core/call.ts';
import { addressesIn, isAbort, SimpleAgentsError, toError, type ErrorKind } from '../../core/error.ts';
import type { Notice, StreamEvent } from '../../core/event.ts';
import { omitUndefined } from '../../core/json.ts';
import { text } from '../../core/message.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { isTotalTimeout } from '../../core/timeout.ts';
import { CallWatcher } from '../observe/call-watcher.ts';
import { bytesOnlyField } from '../output/bytes-only.ts';
import { createCallId } from '../observe/observe.ts';
import { Splice } from './splice.ts';

/** A stream that is cut off more often fails. */
const maxContinuations = 3;

const cuts: ReadonlySet<ErrorKind> = new Set([
  'network',
  'timeout',
  'upstream',
  'overloaded',
  'rate-limit',
  'bad-response',
]);

const instruction =
  'Your answer above was cut off by a technical failure. Go on from exactly where it stops: begin with the very next ' +
  'character, repeat nothing, and say nothing about the interruption.';

export function withContinuation(provider: Provider, usual: OnCut = 'fail'): Provider {
  return {
    name: provider.name,
    open(request, signal, context) {
      if ((context?.onCut ?? usual) === 'fail' || !isText(request)) return provider.open(request, signal, context);
      const call = new ContinuedCall(provider, request, signal, context);
      return call.begin();
    },
  };
}

/** A plain body cannot be cut off in the middle, and JSON cannot be continued reliably. A legacy completion has no turns. */
function isText(request: ChatRequest): boolean {
  const { stream = true, responseFormat, completion } = request;
  const isWords = responseFormat === undefined || responseFormat.type === 'text';
  return stream && isWords && completion === undefined && bytesOnlyField(request) === undefined;
}

class ContinuedCall {
  readonly #provider: Provider;
  readonly #request: ChatRequest;
  readonly #signal: AbortSignal;
  readonly #watcher: CallWatcher;
  readonly #splice = new Splice();
  readonly #ended = Promise.withResolvers<Outcome>();
  /** The targets that were cut off. */
  readonly #cut: string[] = [];

  constructor(provider: Provider, request: ChatRequest, signal: AbortSignal, context: CallContext | undefined) {
    this.#provider = provider;
    this.#request = request;
    this.#signal = signal;
    this.#watcher = new CallWatcher(context ?? { id: createCallId(), observe: () => undefined });
  }

  async begin(): Promise<ModelStream> {
    const first = await this.#provider.open(this.#request, this.#signal, this.#watcher.context);
    const events = this.#read(first);
    // If the response is not read, an abort is the only way it can end.
    void first.ended.then((outcome) => {
      if (outcome.type === 'failed' && isAbort(outcome.error, this.#signal)) this.#ended.resolve(outcome);
    });
    return { target: first.target, ended: this.#ended.promise, [Symbol.asyncIterator]: () => events };
  }

  async *#read(first: ModelStream): AsyncGenerator<StreamEvent, void, undefined> {
    try {
      for (let stream: ModelStream | undefined = first; stream !== undefined;) {
        const interrupted: InterruptedStream | undefined = yield* this.#pass(stream);
        stream = interrupted && (yield* this.#continue(interrupted));
      }
    } catch (error) {
      this.#ended.resolve({ type: 'failed', error, usage: this.#splice.usage });
      throw error;
    } finally {
      this.#ended.resolve({ type: 'left', usage: this.#splice.usage });
    }
  }

  /** Passes on the events of a stream. Returns the failure that cut it off, if there was one. */
  async *#pass(stream: ModelStream): AsyncGenerator<StreamEvent, InterruptedStream | undefined, undefined> {
    try {
      for await (const event of stream) {
        for (const spliced of this.#splice.push(event)) {
          if (spliced.type === 'message-end') {
            this.#ended.resolve({ type: 'complete', stopReason: spliced.stopReason, usage: spliced.usage });
          }
          yield spliced;
        }
      }
      return undefined;
    } catch (thrown) {
      return { thrown, stream };
    }
  }

  /** Returns the stream that continues; throws the failure if the response must not be continued. */
  async *#continue({ thrown, stream }: InterruptedStream): AsyncGenerator<StreamEvent, ModelStream, undefined> {
    const isCut = !isAbort(thrown, this.#signal) && isCutError(toError(thrown));
    if (!isCut || !this.#splice.isTextOnly || this.#cut.length === maxContinuations) {
      yield* this.#splice.release();
      throw thrown;
    }
    const from = this.#watcher.answeredBy ?? stream.target;
    this.#cut.push(from);
    yield* this.#splice.cut((await stream.ended).usage);
    const next = await this.#openNext(toError(thrown));
    yield this.#announce(from, this.#watcher.answeredBy ?? next.target, toError(thrown));
    return next;
  }

  async #openNext(error: SimpleAgentsError): Promise<ModelStream> {
    const request = toContinuationRequest(this.#request, this.#splice.delivered);
    try {
      return await this.#provider.open(request, this.#signal, { ...this.#watcher.context, avoid: this.#cut });
    } catch (thrown) {
      if (isAbort(thrown, this.#signal)) throw thrown;
      throw toUnfinished(error, toError(thrown));
    }
  }

  #announce(from: string, target: string, error: SimpleAgentsError): Notice {
    const { id: call, observe } = this.#watcher.context;
    const { length } = this.#splice.delivered;
    observe({ type: 'continuation', call, from, target, delivered: length, error });
    const detail = `${from} was cut off after ${length} characters (${error.message}); ${target} continues`;
    return { type: 'notice', kind: 'continuation', detail };
  }
}

function isCutError(error: SimpleAgentsError): boolean {
  return cuts.has(error.kind) && !isTotalTimeout(error);
}

interface InterruptedStream {
  readonly thrown: unknown;
  readonly stream: ModelStream;
}

/** Vendors reject a message of only white space, and it contains nothing to continue from. */
function toContinuationRequest(request: ChatRequest, delivered: string): ChatRequest {
  if (delivered.trim() === '') return request;
  const turns = [
    { role: 'assistant', content: [text(delivered)] },
    { role: 'user', content: [text(instruction)] },
  ] as const;
  return { ...request, messages: [...request.messages, ...turns] };
}

function toUnfinished(error: SimpleAgentsError, reason: SimpleAgentsError): SimpleAgentsError {
  const { kind, status, target, code, requestId } = error;
  return new SimpleAgentsError(
    kind,
    `${error.message}; no other target could continue: ${reason.message}`,
    omitUndefined({ cause: reason, status, target, code, requestId, addresses: addressesIn(error, reason) }),
  );
}
