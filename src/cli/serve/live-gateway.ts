// The gateway a server speaks for and the tools of its chat, made from the settings and made anew when the file changes.
// What is wrong is told and changes nothing.

import { loadSettings } from '../../config/load.ts';
import type { Settings } from '../../config/settings.ts';
import { watchConfigFile, type ConfigWatch } from '../../config/watch.ts';
import { compact } from '../../core/json.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import { Experience } from '../../gateway/experience.ts';
import { createGateway, type Gateway } from '../../gateway/gateway.ts';
import { listModels } from '../../gateway/model-list.ts';
import { loadPriceBook } from '../../gateway/price.ts';
import { ReloadingGateway } from '../../gateway/reload.ts';
import type { ToolSource } from '../../server/server.ts';
import type { Terminal } from '../terminal.ts';
import { loadToolModules } from './tool-modules.ts';

export class LiveGateway {
  settings: Settings;
  tools: ToolSource;
  readonly gateway: ReloadingGateway;
  readonly #load: () => Promise<Loaded>;
  readonly #experience = new Experience();
  /** By file: that of the settings, and those of the tools. */
  readonly #watches = new Map<string, ConfigWatch>();
  #changed: (() => void) | undefined;

  private constructor({ settings, tools }: Loaded, load: () => Promise<Loaded>) {
    this.settings = settings;
    this.tools = tools;
    this.#load = load;
    this.gateway = new ReloadingGateway(createServed(settings, this.#experience), () => this.#make());
  }

  static async open(config: string | undefined, { env, cwd }: Terminal): Promise<LiveGateway> {
    const load = async (): Promise<Loaded> => {
      const settings = await loadSettings(compact({ path: config, cwd, env }));
      return { settings, tools: await loadToolModules(settings.chat.tools ?? [], cwd) };
    };
    return new LiveGateway(await load(), load);
  }

  async models(): Promise<readonly ModelListing[]> {
    return listModels(this.settings, await loadPriceBook(this.settings));
  }

  /** Calls back when the file has changed, or a module it names. */
  async watch(changed: () => void): Promise<void> {
    this.#changed = changed;
    await this.#watchFiles();
  }

  /** Rejects when the file is wrong; what held before then still holds. */
  async reload(): Promise<void> {
    await this.gateway.reload();
    await this.#watchFiles();
  }

  async close(): Promise<void> {
    this.#changed = undefined;
    for (const watch of this.#watches.values()) watch.close();
    await this.gateway.close();
  }

  async #make(): Promise<Gateway> {
    const { settings, tools } = await this.#load();
    const gateway = createServed(settings, this.#experience);
    this.settings = settings;
    this.tools = tools;
    return gateway;
  }

  async #watchFiles(): Promise<void> {
    const changed = this.#changed;
    const { file, chat } = this.settings;
    if (changed === undefined || file === undefined) return;
    const wanted = new Set([file, ...(chat.tools ?? [])]);
    for (const [path, watch] of this.#watches) {
      if (wanted.has(path)) continue;
      watch.close();
      this.#watches.delete(path);
    }
    for (const path of wanted) {
      if (this.#watches.has(path)) continue;
      const watch = await watchConfigFile(path, changed);
      // It may have ended meanwhile, or another change may have been quicker.
      if (this.#changed === undefined || this.#watches.has(path)) watch.close();
      else this.#watches.set(path, watch);
    }
  }
}

interface Loaded {
  readonly settings: Settings;
  readonly tools: ToolSource;
}

/** A client of the server must not choose an address: not even that of a model on this machine. */
function createServed(settings: Settings, experience: Experience): Gateway {
  return createGateway({ ...settings, onlyConfigured: true }, { experience });
}
