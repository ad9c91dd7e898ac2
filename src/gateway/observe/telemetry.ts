// Reports calls as OpenTelemetry spans, with the names of its GenAI conventions (gen-ai-spans.md, status: development): a
// span for each call, a child span for each attempt at a target, and span events for everything else. Spans never contain
// prompts or responses. The provider gets the span of its attempt as `traceparent` (W3C Trace Context). Nothing is loaded
// unless the program has registered a tracer provider.

import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Span } from '@opentelemetry/api';
import type { CallEvent, Observer } from '../../core/call.ts';
import type { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import type { Callable, CallRequest, CallResponse } from '../../core/provider.ts';
import { promptTokens, type Usage } from '../../core/usage.ts';
import { version } from '../../core/version.ts';

type OpenTelemetryApi = typeof OpenTelemetry;

export interface Telemetry {
  readonly observe: Observer;
  /** Headers with which the provider of the current attempt can continue the trace. */
  readonly headersOf: (call: string) => Readonly<Record<string, string>>;
}

let loading: Promise<Telemetry | undefined> | undefined;

/** `undefined` if the API package is not installed. */
export function loadTelemetry(): Promise<Telemetry | undefined> {
  loading ??= import('@opentelemetry/api').then(
    (api) => new CallTracer(api),
    () => undefined,
  );
  return loading;
}

/** The key under which copies of the API package share what is registered. */
const registry = Symbol.for('opentelemetry.js.api.1');

export function isTelemetryRegistered(): boolean {
  const registered = (globalThis as { [registry]?: { readonly trace?: unknown } })[registry];
  return registered?.trace !== undefined;
}

/** Undefined while tracing is off. */
export type TraceHeaders = (call: string) => Readonly<Record<string, string>> | undefined;

/** Sends the headers of a call's trace, such as `traceparent`, with each request upstream. */
export function withTraceHeaders<Request extends CallRequest, Response extends CallResponse>(
  provider: Callable<Request, Response>,
  headersOf: TraceHeaders,
): Callable<Request, Response> {
  return {
    name: provider.name,
    open(request, signal, context) {
      const traced = context && { ...context, traceHeaders: () => headersOf(context.id) ?? {} };
      return provider.open(request, signal, traced);
    },
  };
}

interface CallSpans {
  readonly span: Span;
  attempt?: Span;
}

class CallTracer implements Telemetry {
  readonly #api: OpenTelemetryApi;
  readonly #traces = new Map<string, CallSpans>();

  constructor(api: OpenTelemetryApi) {
    this.#api = api;
  }

  readonly observe = (event: CallEvent): void => {
    if (event.type === 'call-start') {
      this.#start(event);
      return;
    }
    const trace = this.#traces.get(event.call);
    if (trace === undefined) return;
    switch (event.type) {
      case 'attempt-start':
        trace.attempt = this.#startAttempt(trace.span, event);
        break;
      case 'attempt-end':
        if (trace.attempt !== undefined) this.#end(trace.attempt, event.error);
        delete trace.attempt;
        break;
      case 'call-end':
        this.#traces.delete(event.call);
        trace.attempt?.end();
        trace.span.setAttributes(endAttributes(event));
        this.#end(trace.span, event.error);
        break;
      default:
        record(trace.span, event);
    }
  };

  readonly headersOf = (call: string): Readonly<Record<string, string>> => {
    const { span, attempt = span } = this.#traces.get(call) ?? {};
    if (attempt === undefined) return {};
    const { traceId, spanId, traceFlags, traceState } = attempt.spanContext();
    const flags = traceFlags.toString(16).padStart(2, '0');
    return omitUndefined({ traceparent: `00-${traceId}-${spanId}-${flags}`, tracestate: traceState?.serialize() });
  };

  #start({ call, model, stream }: Extract<CallEvent, { type: 'call-start' }>): void {
    const attributes = omitUndefined({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': model === '' ? undefined : model,
      'gen_ai.request.stream': stream,
      'simple_agents.call.id': call,
    });
    const name = model === '' ? 'chat' : `chat ${model}`;
    const span = this.#tracer.startSpan(name, { kind: this.#api.SpanKind.CLIENT, attributes });
    // Without a tracer provider the span is invalid. An unsampled call still sends its `traceparent`.
    if (this.#api.isSpanContextValid(span.spanContext())) this.#traces.set(call, { span });
  }

  #startAttempt(parent: Span, { target, attempt }: Extract<CallEvent, { type: 'attempt-start' }>): Span {
    const { trace, context, SpanKind } = this.#api;
    parent.setAttributes(targetAttributes(target));
    const attributes = { ...targetAttributes(target), 'simple_agents.attempt': attempt };
    const options = { kind: SpanKind.INTERNAL, attributes };
    return this.#tracer.startSpan(`attempt ${target}`, options, trace.setSpan(context.active(), parent));
  }

  #end(span: Span, error: SimpleAgentsError | undefined): void {
    if (error !== undefined) {
      span.setAttribute('error.type', error.kind);
      span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    }
    span.end();
  }

  get #tracer() {
    return this.#api.trace.getTracer('simple-agents', version);
  }
}

/** Adds an event to the span, without any text of the user or the model. */
function record(span: Span, { call: _call, type, ...details }: CallEvent): void {
  if (type === 'first-token') {
    const { duration } = details as { duration: number };
    span.setAttribute('gen_ai.response.time_to_first_chunk', duration / 1000);
  }
  const attributes: Attributes = {};
  for (const [name, value] of Object.entries(details)) {
    if (name === 'error') attributes['error.type'] = (value as Partial<SimpleAgentsError>).kind ?? 'internal';
    else if (name !== 'key') attributes[`simple_agents.${name}`] = value;
  }
  span.addEvent(type, attributes);
}

function endAttributes({ target, usage, cost, outcome, shared }: Extract<CallEvent, { type: 'call-end' }>): Attributes {
  return omitUndefined({
    ...(target === undefined ? {} : targetAttributes(target)),
    ...(usage.missing ? {} : usageAttributes(usage)),
    'simple_agents.outcome': outcome,
    'simple_agents.cost': cost,
    'simple_agents.shared': shared,
  });
}

/** In the conventions, `input_tokens` is the complete prompt, cached or not. */
function usageAttributes(usage: Usage): Attributes {
  return omitUndefined({
    'gen_ai.usage.input_tokens': promptTokens(usage),
    'gen_ai.usage.output_tokens': usage.output,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWrite,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoning,
  });
}

/** Providers whose name in the conventions differs from ours. */
const providerNames: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  vertex: 'gcp.vertex_ai',
  mistral: 'mistral_ai',
  xai: 'x_ai',
};

/** The attributes of a `provider/model`. */
function targetAttributes(target: string): Attributes {
  const [provider = '', ...model] = target.split('/');
  return {
    'gen_ai.provider.name': providerNames[provider] ?? provider,
    ...(model.length === 0 ? {} : { 'gen_ai.response.model': model.join('/') }),
  };
}
