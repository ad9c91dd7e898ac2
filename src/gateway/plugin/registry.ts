// What the plugins of a configuration have added. Names are unique, also against those that are built in. Problems are
// `configuration` errors that name the plugin.

import { SimpleAgentsError, type ErrorDetails } from '../../core/error.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { RemoteOptions } from '../../providers/remote.ts';
import { wireNamed, wireNames } from '../../providers/vendor-provider.ts';
import { vendors } from '../../providers/vendors.ts';
import { strategyNames } from '../routing/strategy.ts';
import {
  pluginApiVersion,
  type GuardrailDefinition,
  type PluginApi,
  type ProviderDefinition,
  type StrategyDefinition,
} from './definition.ts';

type Wire = RemoteOptions['wire'];

/** A definition and the plugin that added it. */
export interface Registered<T> {
  readonly plugin: string;
  /** Changes when the plugin's file changes. */
  readonly version: string;
  readonly definition: T;
}

/** A plugin while it registers. */
export interface RegisteringPlugin {
  /** As the configuration names it. */
  readonly name: string;
  readonly version: string;
  /** Whether its registration is in progress. */
  readonly isOpen: () => boolean;
}

export class PluginRegistry {
  readonly providers = new Map<string, Registered<ProviderDefinition>>();
  readonly strategies = new Map<string, Registered<StrategyDefinition>>();
  readonly guardrails = new Map<string, Registered<GuardrailDefinition>>();
  readonly #wires = new Map<string, Registered<Wire>>();

  /** The files of the plugins, to watch them. */
  readonly files: string[] = [];

  apiFor({ name: plugin, version, isOpen }: RegisteringPlugin): PluginApi {
    const add = <T extends { readonly name: string }>(kind: AddedKind, into: Map<string, Registered<T>>, added: T) => {
      if (!isOpen()) throw pluginError(plugin, `adds a ${kind} after register() has returned; add it before`);
      checkName(plugin, kind, added);
      const owner = into.get(added.name)?.plugin ?? builtInOwner(kind, added.name);
      if (owner !== undefined) throw pluginError(plugin, clashOf(kind, added.name, owner));
      into.set(added.name, { plugin, version, definition: added });
    };
    return {
      apiVersion: pluginApiVersion,
      addProvider: (definition) => add('provider', this.providers, definition),
      addStrategy: (definition) => add('strategy', this.strategies, withCreate(plugin, 'strategy', definition)),
      addGuardrail: (definition) => add('guardrail', this.guardrails, withCreate(plugin, 'guardrail', definition)),
      addWire: (wire) => add('wire', this.#wires, checkWire(plugin, wire)),
      error: (kind, message, details) => new SimpleAgentsError(kind, message, details),
    };
  }

  /** Call when all plugins are registered, because a provider may use the wire of another plugin. */
  checkProviders(): void {
    for (const { plugin, definition } of this.providers.values()) {
      const { name, wire } = definition;
      if (typeof definition.create === 'function') continue;
      if (wire === undefined) {
        throw pluginError(
          plugin,
          `the provider ${JSON.stringify(name)} has neither create() nor a wire; add one of them`,
        );
      }
      if (this.wireNamed(wire) !== undefined) continue;
      const known = [...wireNames, ...this.#wires.keys()];
      const fix = didYouMean(wire, known) || `; the wires are ${known.join(', ')}`;
      throw pluginError(
        plugin,
        `the provider ${JSON.stringify(name)} uses an unknown wire ${JSON.stringify(wire)}${fix}`,
      );
    }
  }

  wireNamed(name: string): Wire | undefined {
    return this.#wires.get(name)?.definition ?? wireNamed(name);
  }
}

export function pluginError(plugin: string, problem: string, details: ErrorDetails = {}): SimpleAgentsError {
  return new SimpleAgentsError('configuration', `plugin ${plugin}: ${problem}`, { field: 'plugins', ...details });
}

type AddedKind = 'provider' | 'strategy' | 'guardrail' | 'wire';

function checkName(plugin: string, kind: AddedKind, added: unknown): void {
  const name = (added as { readonly name?: unknown } | undefined)?.name;
  if (typeof name === 'string' && /^[\w.-]+$/.test(name)) return;
  throw pluginError(plugin, `adds a ${kind} without a valid name; a name has letters, digits, "-", "_" or "."`);
}

function builtInOwner(kind: AddedKind, name: string): string | undefined {
  const builtIn: Readonly<Record<AddedKind, readonly string[]>> = {
    provider: [...vendors.map((vendor) => vendor.name), 'simulated'],
    strategy: strategyNames,
    wire: wireNames,
    guardrail: [],
  };
  return builtIn[kind].includes(name) ? 'SimpleAgents itself' : undefined;
}

function clashOf(kind: AddedKind, name: string, owner: string): string {
  return `adds the ${kind} ${JSON.stringify(name)}, which ${owner} already provides; choose another name`;
}

function withCreate<T extends { readonly create: unknown }>(plugin: string, kind: AddedKind, definition: T): T {
  if (typeof definition?.create === 'function') return definition;
  throw pluginError(plugin, `adds a ${kind} without a function create(); add it to the definition`);
}

const wireMembers = [
  'findUnsupported',
  'encodeRequest',
  'decodeStream',
  'decodeBody',
  'decodeError',
  'scanStream',
] as const;

function checkWire(plugin: string, wire: Wire): Wire {
  const missing = wireMembers.find((member) => typeof wire?.[member] !== 'function');
  if (missing === undefined && typeof wire.path === 'string') return wire;
  throw pluginError(
    plugin,
    `adds a wire without ${missing === undefined ? 'a path' : `the function ${missing}()`}; add it`,
  );
}
