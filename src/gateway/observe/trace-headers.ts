// `withTraceHeaders`: gives each request upstream the headers of its call's trace, such as `traceparent`.

import type { Provider } from '../../core/provider.ts';

/** Undefined while tracing is off. */
export type TraceHeaders = (call: string) => Readonly<Record<string, string>> | undefined;

export function withTraceHeaders(provider: Provider, headersOf: TraceHeaders): Provider {
  return {
    name: provider.name,
    open(request, signal, context) {
      const traced = context && { ...context, traceHeaders: () => headersOf(context.id) ?? {} };
      return provider.open(request, signal, traced);
    },
  };
}
