// One call as a timeline: each attempt, wait and stage as a bar or a point on the same scale.

import type { ComponentChildren } from 'preact';
import { visibleText } from '../kit/visible-text.ts';
import { formatCost, formatDuration } from '../kit/format.ts';
import type { LiveCall } from './feed.ts';
import { toSpans, type Span } from './spans.ts';

export function Timeline({ call }: { readonly call: LiveCall }) {
  const spans = toSpans(call);
  const total = Math.max(1, call.duration ?? 0, ...spans.map(({ end }) => end));
  return (
    <section class="timeline" aria-label="Timeline of the call">
      <dl class="facts">
        <Fact title="Model">{visibleText(call.model || 'default')}</Fact>
        {call.target !== undefined && <Fact title="Answered by">{call.target}</Fact>}
        <Fact title="Outcome">{visibleText(call.error ?? call.outcome ?? 'open')}</Fact>
        {call.firstToken !== undefined && <Fact title="First token">{formatDuration(call.firstToken)}</Fact>}
        {call.duration !== undefined && <Fact title="Total">{formatDuration(call.duration)}</Fact>}
        {call.inputTokens !== undefined && (
          <Fact title="Tokens">
            {call.inputTokens} → {call.outputTokens}
          </Fact>
        )}
        {call.cost !== undefined && <Fact title="Cost">{formatCost(call.cost)}</Fact>}
        <Fact title="Call">{call.id}</Fact>
      </dl>
      <ol class="spans">
        {spans.map((span, index) => (
          <SpanRow key={index} span={span} total={total} />
        ))}
      </ol>
    </section>
  );
}

function Fact({ title, children }: { readonly title: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A bar is never thinner than this share of the width. */
const thinnest = 0.6;

function SpanRow({ span, total }: { readonly span: Span; readonly total: number }) {
  const start = (100 * span.start) / total;
  const width = Math.max(thinnest, (100 * (span.end - span.start)) / total);
  const time = span.end > span.start ? formatDuration(span.end - span.start) : `at ${formatDuration(span.start)}`;
  return (
    <li class={span.kind}>
      <span class="name">
        {span.title}
        {span.detail !== undefined && <small>{visibleText(span.detail)}</small>}
      </span>
      <svg viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
        <rect class="track" width="100" height="10" />
        <rect class="bar" x={Math.min(start, 100 - width)} width={width} height="10" />
      </svg>
      <span class="time">{time}</span>
    </li>
  );
}
