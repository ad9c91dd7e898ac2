// The steps of a call as spans of time: an attempt from its start to its end, a wait, the stream from its first token to
// the end of the call, and points for everything else.

import type { LiveCall } from './feed.ts';

export interface Span {
  readonly kind: 'good' | 'bad' | 'wait' | 'point';
  readonly title: string;
  readonly detail?: string;
  /** Milliseconds since the start of the call. */
  readonly start: number;
  readonly end: number;
}

type Step = LiveCall['steps'][number];

const titles: Partial<Readonly<Record<Step['type'], string>>> = {
  'cache-hit': 'Answered from the cache',
  'cache-store': 'Stored in the cache',
  'call-join': 'Shares an identical call',
  'target-skip': 'Target skipped',
  'retry-refuse': 'No further retry',
  'fallback': 'Falls back to another target',
  'continuation': 'Continues at another target',
  'breaker-change': 'Breaker changed',
  'field-drop': 'Fields left out',
  'answer-heal': 'Healed',
  'cache-failure': 'Cache failed',
};

export function toSpans({ steps, duration }: LiveCall): Span[] {
  return steps.flatMap((step, index) => toSpan(step, steps.slice(index + 1), duration));
}

function toSpan(step: Step, later: readonly Step[], duration: number | undefined): Span[] {
  const { type, at: start, target, detail } = step;
  const named = detail ?? target;
  const about = named === undefined ? {} : { detail: named };
  switch (type) {
    case 'attempt-start':
      return [attemptSpan(step, later)];
    case 'retry-wait': {
      const next = later.find(({ type: other }) => other === 'attempt-start');
      return [{ kind: 'wait', title: 'Waits to try again', ...about, start, end: next?.at ?? start }];
    }
    case 'first-token': {
      const end = later.find(({ type: other }) => other === 'call-end')?.at ?? duration ?? start;
      return [{ kind: 'good', title: 'Streams the answer', ...(target && { detail: target }), start, end }];
    }
    default: {
      const title = titles[type];
      return title === undefined ? [] : [{ kind: 'point', title, ...about, start, end: start }];
    }
  }
}

function attemptSpan({ at: start, target }: Step, later: readonly Step[]): Span {
  const ending = later.find((other) => other.type === 'attempt-end' && other.target === target);
  const isFailed = ending?.detail !== undefined;
  const detail = isFailed ? `${target ?? ''}: ${ending.detail ?? ''}` : target;
  return {
    kind: isFailed ? 'bad' : 'good',
    title: isFailed ? 'Attempt failed' : 'Attempt',
    ...(detail === undefined ? {} : { detail }),
    start,
    end: ending?.at ?? start,
  };
}
