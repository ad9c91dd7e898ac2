// Simulated targets for a gateway without providers: three of them behind one alias, each with a fault switch. They show
// on the page how routing reacts to failures. A gateway with a provider or an alias of its own has none.

import type { Settings } from '../../../config/settings.ts';
import type { Provider } from '../../../core/provider.ts';
import type { ProviderSettings } from '../../../gateway/provider-settings.ts';
import type { Simulation } from '../../../server/server.ts';

const model = 'simulation';
const names = ['simulated-1', 'simulated-2', 'simulated-3'];
/** Slow enough to watch. A target that sends nothing fails soon, so that its stall is visible. */
const pace = { firstTokenDelayMs: 60, tokensPerSecond: 200, firstTokenTimeoutMs: 1000 };

export class SimulatedTargets {
  #loading: ReturnType<typeof loadSwitches> | undefined;
  /** The settings that have these targets, which are not known by their names: a file may use the same names. */
  readonly #extended = new WeakSet<Settings>();

  /** Settings that have providers or aliases are returned unchanged. */
  addTo(settings: Settings): Settings {
    const { providers, aliases } = settings;
    const isUnconfigured = providers.length === 1 && providers[0]?.type === 'simulated';
    if (!isUnconfigured || Object.keys(aliases).length > 0) return settings;
    const added = names.map((name): ProviderSettings => ({ name, type: 'simulated' }));
    const targets = names.map((name) => `${name}/simulated`);
    const extended = { ...settings, aliases: { [model]: { targets } }, providers: [...providers, ...added] };
    this.#extended.add(extended);
    return extended;
  }

  /** What the page may see and switch. Undefined if the settings do not have these targets. */
  simulationOf(settings: Settings): Simulation | undefined {
    if (!this.#extended.has(settings)) return undefined;
    return {
      model,
      targets: async () => (await this.#load()).switches.list(),
      setFault: async (target, fault) => (await this.#load()).switches.set(target, fault),
    };
  }

  async create(name: string): Promise<Provider> {
    const { switches, createSimulatedProvider } = await this.#load();
    return createSimulatedProvider({ name, ...pace, nextFault: () => switches.faultOf(name) });
  }

  /** Whether the provider of this name in the settings is one of these targets. */
  has(name: string, settings: Settings): boolean {
    return this.#extended.has(settings) && names.includes(name);
  }

  #load(): ReturnType<typeof loadSwitches> {
    this.#loading ??= loadSwitches();
    return this.#loading;
  }
}

/** Loaded on first use: a gateway with providers does not need the simulated model. */
async function loadSwitches() {
  const [{ FaultSwitches }, { createSimulatedProvider }] = await Promise.all([
    import('../../../testing/model/fault-switches.ts'),
    import('../../../testing/model/provider.ts'),
  ]);
  return { switches: new FaultSwitches(names), createSimulatedProvider };
}
