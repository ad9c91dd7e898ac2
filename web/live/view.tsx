// Live: what the gateway does now, as charts of the last two minutes, its targets, and the last calls.

import { computed, signal } from '@preact/signals';
import { streamCompletion } from '../app/completion.ts';
import { isSimulated } from '../app/gateway.ts';
import { formatCost, formatCount, formatDuration } from '../kit/format.ts';
import { Icon } from '../kit/icon.tsx';
import { Calls } from './calls.tsx';
import { Chart, type Curve } from './chart.tsx';
import { breakers, state, ticks, type LiveTick } from './feed.ts';
import { alignTicks, counts, quantile, quantiles, sum, targetFigures } from './statistics.ts';

const aligned = computed(() => alignTicks(ticks.value, ticks.value.at(-1)?.time ?? Date.now()));

export function LiveView() {
  return (
    <div class="live">
      <h1 class="offscreen">Live</h1>
      {state.value === 'lost' && (
        <p class="problem" role="alert">
          No news from the gateway. The charts continue when it answers again.
        </p>
      )}
      <Charts />
      <div class="lower">
        <Targets />
        <Calls>
          {isSimulated.value && (
            <button class="quiet" disabled={isSending.value} onClick={() => void sendTraffic()}>
              <Icon name="send" /> Send 20 calls
            </button>
          )}
        </Calls>
      </div>
    </div>
  );
}

function Charts() {
  const shown = aligned.value;
  const last = shown.at(-1);
  const latencies = (of: (tick: LiveTick) => readonly number[]): readonly Curve[] => [
    { name: 'p50', color: 1, points: quantiles(shown, of, 0.5) },
    { name: 'p95', color: 2, points: quantiles(shown, of, 0.95) },
    { name: 'p99', color: 3, points: quantiles(shown, of, 0.99) },
  ];
  const median = (of: (tick: LiveTick) => readonly number[]): string => {
    const value = quantile(
      shown.flatMap((tick) => (tick === undefined ? [] : of(tick))),
      0.5,
    );
    return value === null ? '–' : formatDuration(value);
  };
  return (
    <div class="charts">
      <Chart
        title="Calls"
        figure={formatCount(sum(shown, ({ calls: count }) => count))}
        format={formatCount}
        curves={[
          { name: 'all', color: 1, points: counts(shown, ({ calls: count }) => count) },
          { name: 'failed', color: 3, points: counts(shown, ({ failed }) => failed) },
          { name: 'cached', color: 2, points: counts(shown, ({ cacheHits }) => cacheHits) },
        ]}
      />
      <Chart
        title="First token"
        figure={median(({ firstToken }) => firstToken)}
        format={formatDuration}
        curves={latencies(({ firstToken }) => firstToken)}
      />
      <Chart
        title="Total latency"
        figure={median(({ total }) => total)}
        format={formatDuration}
        curves={latencies(({ total }) => total)}
      />
      <Chart
        title="Tokens"
        figure={formatCount(sum(shown, ({ inputTokens, outputTokens }) => inputTokens + outputTokens))}
        format={formatCount}
        curves={[
          { name: 'in', color: 4, points: counts(shown, ({ inputTokens }) => inputTokens) },
          { name: 'out', color: 1, points: counts(shown, ({ outputTokens }) => outputTokens) },
        ]}
      />
      <Chart
        title="Cost"
        figure={formatCost(sum(shown, ({ cost }) => cost))}
        format={formatCost}
        curves={[{ name: 'dollars', color: 2, points: counts(shown, ({ cost }) => cost) }]}
      />
      <Chart
        title="Open now"
        figure={`${last?.openStreams ?? 0} streams`}
        format={formatCount}
        curves={[
          { name: 'calls', color: 4, points: counts(shown, ({ openCalls }) => openCalls) },
          { name: 'streams', color: 1, points: counts(shown, ({ openStreams }) => openStreams) },
        ]}
      />
    </div>
  );
}

function Targets() {
  const figures = targetFigures(aligned.value);
  const known = new Set(figures.map(({ name }) => name));
  const silent = Object.keys(breakers.value).filter((name) => !known.has(name));
  const rows = [...figures, ...silent.map((name) => ({ name, attempts: 0, failed: 0, latency: null }))];
  return (
    <section class="card targets" aria-labelledby="targets-title">
      <h2 id="targets-title">Targets</h2>
      {rows.length === 0 ? (
        <p class="empty">A target appears with its first call.</p>
      ) : (
        <div class="table" tabIndex={0} role="region" aria-label="Table of targets">
          <table>
            <thead>
              <tr>
                <th>Target</th>
                <th>Breaker</th>
                <th>Attempts</th>
                <th>Failed</th>
                <th>First token</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ name, attempts, failed, latency }) => (
                <tr key={name}>
                  <td>{name}</td>
                  <td>
                    <span class={`breaker ${breakers.value[name] ?? 'closed'}`}>
                      {breakers.value[name] ?? 'closed'}
                    </span>
                  </td>
                  <td>{attempts}</td>
                  <td class={failed > 0 ? 'bad' : undefined}>{failed}</td>
                  <td>{latency === null ? '–' : formatDuration(latency)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

const isSending = signal(false);

/** Calls for a gateway that has only the simulated model, which costs nothing. */
async function sendTraffic(): Promise<void> {
  isSending.value = true;
  const sending = Array.from({ length: 20 }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index * 150));
    const messages = [{ role: 'user', content: `Count to ${10 + index}` }];
    const answer = streamCompletion({ messages }, new AbortController().signal);
    for await (const _event of answer);
  });
  await Promise.allSettled(sending);
  isSending.value = false;
}
