// Simulate: choose a fault for each simulated target, send traffic, and watch how the gateway routes around it.

import { useEffect } from 'preact/hooks';
import { Icon } from '../kit/icon.tsx';
import { formatDuration } from '../kit/format.ts';
import { Calls } from '../live/calls.tsx';
import { breakers, ticks } from '../live/feed.ts';
import { alignTicks, targetFigures } from '../live/statistics.ts';
import { choiceOf, faultChoices } from './faults.ts';
import {
  isRunning,
  loadSimulation,
  problem,
  setFault,
  simulation,
  startTraffic,
  stopTraffic,
  type SimulatedTarget,
} from './simulation.ts';
import { AttemptStrip } from './attempt-strip.tsx';

export function SimulateView() {
  useEffect(() => {
    void loadSimulation();
    return stopTraffic;
  }, []);
  const known = simulation.value;
  const model = known?.model ?? '';
  return (
    <div class="simulate">
      <header>
        <div>
          <h1>Break a target, watch the routing</h1>
          <p class="hint">
            One model name, three simulated targets: the gateway calls the first and falls back to the others. Choose a
            fault, send traffic, and open a call to see its attempts.
          </p>
        </div>
        {model !== '' && <TrafficButton model={model} />}
      </header>
      {problem.value !== '' && (
        <div class="problem" role="alert">
          <p>{problem.value}</p>
          <button onClick={() => void loadSimulation()}>Try again</button>
        </div>
      )}
      {known === undefined && problem.value === '' && <p class="notice">Loading …</p>}
      {known?.model === null && <NoTargets />}
      {known !== undefined && model !== '' && (
        <>
          <div class="simulated-targets">
            {known.targets.map((target) => (
              <TargetCard key={target.name} target={target} />
            ))}
          </div>
          <Calls />
        </>
      )}
    </div>
  );
}

function TrafficButton({ model }: { readonly model: string }) {
  if (isRunning.value) {
    return (
      <button onClick={stopTraffic}>
        <Icon name="stop" /> Stop traffic
      </button>
    );
  }
  return (
    <button class="primary" onClick={() => startTraffic(model)}>
      <Icon name="play" /> Send traffic
    </button>
  );
}

function NoTargets() {
  return (
    <section class="card no-targets">
      <h2>No simulated targets</h2>
      <p>
        This gateway has providers of its own, and their calls are never disturbed. To try faults, start a gateway
        without provider keys and without a configuration file.
      </p>
    </section>
  );
}

function TargetCard({ target }: { readonly target: SimulatedTarget }) {
  const label = `${target.name}/simulated`;
  const aligned = alignTicks(ticks.value, ticks.value.at(-1)?.time ?? Date.now());
  const figures = targetFigures(aligned).find(({ name }) => name === label);
  const breaker = breakers.value[label] ?? 'closed';
  const choice = choiceOf(target.fault);
  const latency = figures?.latency ?? null;
  return (
    <section class="card simulated-target" aria-labelledby={target.name}>
      <header>
        <h2 id={target.name}>{target.name}</h2>
        <span class={`breaker ${breaker}`}>breaker {breaker}</span>
      </header>
      <AttemptStrip attempts={aligned.map((tick) => tick?.targets[label])} />
      <dl class="facts">
        <Fact title="Attempts" value={String(figures?.attempts ?? 0)} />
        <Fact title="Failed" value={String(figures?.failed ?? 0)} />
        <Fact title="First token" value={latency === null ? '–' : formatDuration(latency)} />
      </dl>
      <label class="field">
        <span>Fault</span>
        <select
          value={choice?.name ?? 'other'}
          onChange={({ currentTarget: { value } }) => {
            const chosen = faultChoices.find(({ name }) => name === value);
            if (chosen !== undefined) void setFault(target.name, chosen.fault);
          }}
        >
          {faultChoices.map(({ name, title }) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
          {choice === undefined && <option value="other">Set by another program</option>}
        </select>
      </label>
      <p class="hint">{choice?.explanation ?? JSON.stringify(target.fault)}</p>
    </section>
  );
}

function Fact({ title, value }: { readonly title: string; readonly value: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{value}</dd>
    </div>
  );
}
