// The gateway a server speaks for, made from the settings and made anew when the file changes. What is wrong is told
// and changes nothing.

import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import { watchConfigFile, type ConfigWatch } from '../../config/watch.ts';
import { compact } from '../../core/json.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import { createGateway, type Gateway } from '../../gateway/gateway.ts';
import { listModels } from '../../gateway/model-list.ts';
import { loadPriceBook } from '../../gateway/price.ts';
import { ReloadingGateway } from '../../gateway/reload.ts';
import type { Terminal } from '../terminal.ts';

export class LiveGateway {
  settings: Settings;
  readonly gateway: ReloadingGateway;
  readonly #load: () => Promise<Settings>;
  #watch: ConfigWatch | undefined;

  private constructor(settings: Settings, load: () => Promise<Settings>) {
    this.settings = settings;
    this.#load = load;
    this.gateway = new ReloadingGateway(createServed(settings), () => this.#make());
  }

  static async open(config: string | undefined, { env, cwd }: Terminal): Promise<LiveGateway> {
    const load = (): Promise<Settings> => loadSettings(compact({ path: config, cwd, env }));
    return new LiveGateway(await load(), load);
  }

  async models(): Promise<readonly ModelListing[]> {
    return listModels(this.settings, await loadPriceBook(this.settings));
  }

  /** Calls back when the file has changed. */
  async watch(changed: () => void): Promise<void> {
    if (this.settings.file !== undefined) this.#watch = await watchConfigFile(this.settings.file, changed);
  }

  /** Rejects when the file is wrong; what held before then still holds. */
  reload(): Promise<void> {
    return this.gateway.reload();
  }

  async close(): Promise<void> {
    this.#watch?.close();
    await this.gateway.close();
  }

  async #make(): Promise<Gateway> {
    const settings = await this.#load();
    const gateway = createServed(settings);
    this.settings = settings;
    return gateway;
  }
}

/** A client of the server must not choose an address: not even that of a model on this machine. */
function createServed(settings: Settings): Gateway {
  return createGateway({ ...settings, onlyConfigured: true });
}
