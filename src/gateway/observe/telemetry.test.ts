// OpenTelemetry spans with the real SDK, from events and from real calls.

import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from '@opentelemetry/sdk-trace';
import { everyCallEvent, secretWords } from '../../../test/support/call-events.ts';
import type { CallEvent } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { Transport, TransportRequest } from '../../transport/transport.ts';
import { createGateway } from '../../node.ts';
import { isTelemetryRegistered, loadTelemetry } from './telemetry.ts';

const request = {
  model: 'simulated',
  messages: [{ role: 'user', content: [{ type: 'text', text: secretWords }] }],
} as const;
const { signal } = new AbortController();
const settings = { providers: [{ name: 'simulated', type: 'simulated' }] };

async function ask(): Promise<void> {
  const gateway = createGateway(settings);
  for await (const _event of await gateway.open(request, signal));
  await gateway.close();
}

const parentOf = (span: ReadableSpan | undefined) => span?.parentSpanContext?.spanId;

describe('with a tracer provider registered', () => {
  const exporter = new InMemorySpanExporter();
  before(() => {
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  beforeEach(() => exporter.reset());
  after(() => {
    trace.disable();
    context.disable();
  });

  test('a call is a span with the names of the GenAI conventions', async () => {
    await ask();
    const span = exporter.getFinishedSpans().find(({ name }) => name.startsWith('chat'));
    assert.deepEqual(
      [span?.name, span?.kind, span?.status.code],
      ['chat simulated', SpanKind.CLIENT, SpanStatusCode.UNSET],
    );
    const {
      'simple_agents.call.id': id,
      'gen_ai.response.time_to_first_chunk': first,
      ...rest
    } = span?.attributes ?? {};
    assert.deepEqual(rest, {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'simulated',
      'gen_ai.request.model': 'simulated',
      'gen_ai.request.stream': true,
      'gen_ai.response.model': 'simulated',
      'gen_ai.usage.input_tokens': rest['gen_ai.usage.input_tokens'],
      'gen_ai.usage.output_tokens': rest['gen_ai.usage.output_tokens'],
      'simple_agents.outcome': 'complete',
      'simple_agents.cost': 0,
    });
    assert.equal(typeof id, 'string');
    assert.ok(typeof first === 'number' && first < 5);
    assert.ok(Number(rest['gen_ai.usage.output_tokens']) > 0);
  });

  test('it is a child of the active span', async () => {
    const outer = trace.getTracer('test').startSpan('outer');
    await context.with(trace.setSpan(context.active(), outer), ask);
    outer.end();
    const spans = exporter.getFinishedSpans();
    const span = spans.find(({ name }) => name === 'chat simulated');
    assert.equal(parentOf(span), outer.spanContext().spanId);
  });

  test('attempts are its children, and everything else is a span event', async () => {
    const observe = (await loadTelemetry())?.observe;
    for (const event of everyCallEvent) observe?.(event);
    const spans = exporter.getFinishedSpans();
    const call = spans.find(({ name }) => name === 'chat fast');
    const attempts = spans.filter(({ name }) => name.startsWith('attempt'));
    assert.deepEqual(
      attempts.map(({ name, attributes, status }) => [name, attributes['error.type'], status.code]),
      [
        ['attempt a/x', 'overloaded', SpanStatusCode.ERROR],
        ['attempt a/x', 'overloaded', SpanStatusCode.ERROR],
        ['attempt b/y', undefined, SpanStatusCode.UNSET],
      ],
    );
    assert.ok(attempts.every((attempt) => parentOf(attempt) === call?.spanContext().spanId));
    const events = call?.events.map(({ name }) => name) ?? [];
    for (const type of ['cache-miss', 'target-skip', 'retry-wait', 'retry-refuse', 'fallback', 'breaker-change']) {
      assert.ok(events.includes(type), type);
    }
    const fallback = call?.events.find(({ name }) => name === 'fallback')?.attributes;
    assert.deepEqual(fallback, {
      'simple_agents.target': 'b/y',
      'simple_agents.from': 'a/x',
      'error.type': 'overloaded',
    });
    assert.equal(call?.attributes['gen_ai.usage.input_tokens'], 100);
    assert.equal(call?.attributes['gen_ai.usage.cache_read.input_tokens'], 90);
    assert.equal(call?.attributes['gen_ai.response.model'], 'w');
  });

  test('a failure has its kind', async () => {
    const gateway = createGateway({ providers: [{ name: 'xai', type: 'xai' }] });
    await assert.rejects(gateway.open({ ...request, model: 'xai/grok' }, signal));
    const span = exporter.getFinishedSpans().find(({ name }) => name.startsWith('chat'));
    assert.deepEqual([span?.attributes['error.type'], span?.status.code], ['auth', SpanStatusCode.ERROR]);
    await gateway.close();
  });

  test('it contains no prompts or responses', async () => {
    await ask();
    const observe = (await loadTelemetry())?.observe;
    for (const event of everyCallEvent) observe?.(event);
    for (const { attributes, events, status } of exporter.getFinishedSpans()) {
      assert.ok(!JSON.stringify([attributes, events, status]).includes(secretWords));
    }
  });

  test('each provider gets the span of its attempt as traceparent', async () => {
    const sent: TransportRequest[] = [];
    const transport: Transport = {
      send(asked) {
        sent.push(asked);
        return Promise.reject(new SimpleAgentsError('network', 'lost'));
      },
      close: () => Promise.resolve(),
    };
    const providers = [{ name: 'openai', type: 'openai', apiKey: 'k', headers: { tracestate: 'mine=1' } }];
    const retry = { maxAttempts: 2, initialBackoff: 1 };
    const gateway = createGateway({ providers, retry }, { transport });
    await assert.rejects(gateway.open({ ...request, model: 'openai/gpt' }, signal));
    await gateway.close();
    const attempts = exporter.getFinishedSpans().filter(({ name }) => name.startsWith('attempt'));
    assert.equal(attempts.length, 2);
    assert.deepEqual(
      sent.map(({ headers }) => headers['traceparent']),
      attempts.map((span) => `00-${span.spanContext().traceId}-${span.spanContext().spanId}-01`),
    );
    assert.equal(sent[0]?.headers['tracestate'], 'mine=1');
  });

  test('another observer gets the events as well', async () => {
    const seen: CallEvent['type'][] = [];
    const gateway = createGateway(settings, { observer: ({ type }) => seen.push(type) });
    for await (const _event of await gateway.open(request, signal));
    await gateway.close();
    assert.deepEqual(seen, ['call-start', 'attempt-start', 'attempt-end', 'first-token', 'call-end']);
    assert.equal(exporter.getFinishedSpans().length, 2);
  });
});

test('without a tracer provider, nothing is traced', async () => {
  assert.equal(isTelemetryRegistered(), false);
  await ask();
});
