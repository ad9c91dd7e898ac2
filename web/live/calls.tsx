// The last calls, newest first. The selected one shows its timeline.

import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatDuration } from '../kit/format.ts';
import { calls, selectedCall, state, type LiveCall } from './feed.ts';
import { Timeline } from './timeline.tsx';

const mostShown = 40;

/** `children`: the buttons beside the title. */
export function Calls({ children }: { readonly children?: ComponentChildren }) {
  const chosen = selectedCall.value;
  const shown = calls.value.filter(({ id }, index) => index < mostShown || id === chosen);
  return (
    <section class="card calls" aria-labelledby="calls-title">
      <header>
        <h2 id="calls-title">Last calls</h2>
        {children}
      </header>
      {shown.length === 0 && (
        <p class="empty">
          {state.value === 'open' ? 'No calls yet. Each call to the gateway appears here.' : 'Connecting …'}
        </p>
      )}
      <ul>
        {shown.map((call) => (
          <CallItem key={call.id} call={call} />
        ))}
      </ul>
    </section>
  );
}

function CallItem({ call }: { readonly call: LiveCall }) {
  const item = useRef<HTMLLIElement>(null);
  const isOpen = selectedCall.value === call.id;
  // A call that was chosen in another view may be far down.
  useEffect(() => {
    if (isOpen) item.current?.scrollIntoView({ block: 'nearest' });
  }, [isOpen]);
  return (
    <li ref={item}>
      <CallRow call={call} />
      {isOpen && <Timeline call={call} />}
    </li>
  );
}

const clock = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });

function CallRow({ call }: { readonly call: LiveCall }) {
  const isOpen = selectedCall.value === call.id;
  return (
    <button
      class={`call-row ${call.outcome ?? ''}`}
      aria-expanded={isOpen}
      onClick={() => {
        selectedCall.value = isOpen ? undefined : call.id;
      }}
    >
      <i aria-hidden="true" />
      <time>{clock.format(call.startedAt)}</time>
      <span class="name">{call.target ?? call.model}</span>
      {call.isCached && <span class="tag">cache</span>}
      {attemptsOf(call) > 1 && <span class="tag">{attemptsOf(call)} attempts</span>}
      {call.steps.some(({ type }) => type === 'answer-heal') && <span class="tag">healed</span>}
      <span class="time">{call.outcome === 'failed' ? 'failed' : formatDuration(call.duration ?? 0)}</span>
    </button>
  );
}

function attemptsOf({ steps }: LiveCall): number {
  return steps.filter(({ type }) => type === 'attempt-start').length;
}
