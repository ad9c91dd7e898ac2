// The attempts at one target in the last minute: a bar for each second, the failed ones in another colour.

import type { LiveTick } from '../live/feed.ts';

type TargetTick = LiveTick['targets'][string];

const seconds = 60;
const height = 40;
/** Attempts in a second that fill the height. */
const fullHeight = 6;

export function AttemptStrip({ attempts }: { readonly attempts: readonly (TargetTick | undefined)[] }) {
  return (
    <svg class="attempts" viewBox={`0 0 ${seconds} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {attempts.slice(-seconds).map((tick, second) => tick && <Second key={second} tick={tick} second={second} />)}
    </svg>
  );
}

function Second({ tick, second }: { readonly tick: TargetTick; readonly second: number }) {
  const scale = height / Math.max(fullHeight, tick.attempts);
  const failed = tick.failed * scale;
  const good = (tick.attempts - tick.failed) * scale;
  return (
    <>
      <rect class="good" x={second + 0.1} y={height - good} width="0.8" height={good} />
      <rect class="bad" x={second + 0.1} y={height - good - failed} width="0.8" height={failed} />
    </>
  );
}
