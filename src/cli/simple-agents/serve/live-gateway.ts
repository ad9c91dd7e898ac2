// The gateway of a server and the tools of its chat, created from the settings and recreated when the file changes. A reload
// is all or nothing: invalid settings, or settings that the server rejects, change nothing.

import { loadSettings } from '../../../config/load.ts';
import type { Settings } from '../../../config/settings.ts';
import { openServerTransport } from '../../../config/transport.ts';
import { watchConfigFile, type ConfigWatch } from '../../../config/watch.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { ModelListing } from '../../../core/model-listing.ts';
import type { Provider } from '../../../core/provider.ts';
import type { ProviderSettings } from '../../../gateway/provider-settings.ts';
import { LearnedState } from '../../../gateway/learned-state.ts';
import type { Gateway } from '../../../gateway/gateway.ts';
import { createModelLabel, type ModelLabel } from '../../../gateway/observe/model-label.ts';
import { PriceBook } from '../../../prices/price.ts';
import { ReloadingGateway } from '../../../gateway/reloading-gateway.ts';
import { withoutImplicit } from '../../../gateway/routing/resolve.ts';
import type { Simulation, ToolSource } from '../../../server/server.ts';
import type { Transport } from '../../../transport/transport.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { loadToolModules } from './tool-modules.ts';
import { createGateway, createSimulated } from '../../../node.ts';
import { SimulatedTargets } from './simulated-targets.ts';

export class LiveGateway {
  settings: Settings;
  tools: ToolSource;
  readonly gateway: ReloadingGateway;
  readonly #load: (file?: string) => Promise<LoadedConfiguration>;
  readonly #learnedState = new LearnedState();
  readonly #simulated: SimulatedTargets;
  /** By path: the configuration file, the plugins and the tool modules. */
  readonly #watches = new Map<string, ConfigWatch>();
  #label: ModelLabel;
  #changed: (() => void) | undefined;
  #accept: (loaded: LoadedConfiguration) => void = () => undefined;

  private constructor(
    { settings, tools, transport, simulated }: OpenedConfiguration,
    load: (file?: string) => Promise<LoadedConfiguration>,
  ) {
    this.settings = settings;
    this.tools = tools;
    this.#simulated = simulated;
    this.#label = createModelLabel(withoutImplicit(settings), new PriceBook(settings));
    this.#load = load;
    this.gateway = new ReloadingGateway(this.#createServed(settings, transport), () => this.#make());
  }

  static async open(config: string | undefined, { env, cwd }: Terminal): Promise<LiveGateway> {
    const simulated = new SimulatedTargets();
    const load = async (file = config): Promise<LoadedConfiguration> => {
      const settings = simulated.addTo(await loadSettings(omitUndefined({ path: file, cwd, env })));
      return { settings, tools: await loadToolModules(settings.chat.tools ?? [], cwd) };
    };
    const loaded = await load();
    const transport = await openServerTransport(loaded.settings);
    return new LiveGateway({ ...loaded, transport, simulated }, load);
  }

  /** The label of a model in metrics. Until the price list is loaded, only configured models have their own label. */
  readonly modelLabel: ModelLabel = (name) => this.#label(name);

  get simulation(): Simulation | undefined {
    return this.#simulated.simulationOf(this.settings);
  }

  async models(): Promise<readonly ModelListing[]> {
    return this.gateway.modelListings();
  }

  /** `accept` gets every new configuration before it takes effect, and throws to reject it. */
  onReload(accept: (loaded: LoadedConfiguration) => void): void {
    this.#accept = accept;
  }

  /** Calls `changed` when the file, a plugin or a tool module has changed. */
  async watch(changed: () => void): Promise<void> {
    this.#changed = changed;
    await this.#watchFiles();
  }

  /** Rejects if the configuration is invalid or not accepted; the previous one then stays in effect. */
  async reload(): Promise<void> {
    await this.gateway.reload();
    await this.#watchFiles();
  }

  async close(): Promise<void> {
    this.#changed = undefined;
    for (const watch of this.#watches.values()) watch.close();
    await this.gateway.close();
  }

  /** Only configured providers: a client of the server must not be able to choose an address. */
  #createServed(settings: Settings, transport: Transport): Gateway {
    const targets = this.#simulated;
    const simulated = (one: ProviderSettings): Promise<Provider> =>
      targets.has(one.name, settings) ? targets.create(one.name) : createSimulated(one);
    const options = { transport, learnedState: this.#learnedState, simulated };
    return createGateway({ ...settings, onlyConfigured: true }, options);
  }

  async #make(): Promise<Gateway> {
    // Always the same file: if it is missing, another file must not be used in its place.
    const loaded = await this.#load(this.settings.file);
    const transport = await openServerTransport(loaded.settings);
    const gateway = this.#createServed(loaded.settings, transport);
    try {
      this.#accept(loaded);
    } catch (error) {
      await gateway.close();
      throw error;
    }
    this.settings = loaded.settings;
    this.tools = loaded.tools;
    this.#label = createModelLabel(withoutImplicit(loaded.settings), new PriceBook(loaded.settings));
    return gateway;
  }

  async #watchFiles(): Promise<void> {
    const changed = this.#changed;
    const { file, chat, plugins } = this.settings;
    if (changed === undefined || file === undefined) return;
    const wanted = new Set([file, ...(chat.tools ?? []), ...(plugins?.files ?? [])]);
    for (const [path, watch] of this.#watches) {
      if (wanted.has(path)) continue;
      watch.close();
      this.#watches.delete(path);
    }
    for (const path of wanted) {
      if (this.#watches.has(path)) continue;
      const watch = await watchConfigFile(path, changed);
      // Closed in the meantime, or already added by a concurrent reload.
      if (this.#changed === undefined || this.#watches.has(path)) watch.close();
      else this.#watches.set(path, watch);
    }
  }
}

export interface LoadedConfiguration {
  readonly settings: Settings;
  readonly tools: ToolSource;
}

interface OpenedConfiguration extends LoadedConfiguration {
  readonly transport: Transport;
  readonly simulated: SimulatedTargets;
}
