// `simple-agents providers`: lists the providers, whether their API keys are set, and the default. Never shows a key.

import type { Command } from 'commander';
import type { Settings } from '../../../config/settings.ts';
import { omitUndefined } from '../../../core/json.ts';
import { ownModel } from '../../../gateway/routing/resolve.ts';
import type { ProviderSettings } from '../../../gateway/provider-settings.ts';
import type { VendorRow } from '../../../providers/vendors.ts';
import { describeDefault, type DefaultModel } from '../default-model.ts';
import { outputOption } from '../../flags.ts';
import type { Invocation, Run } from '../../invocation.ts';
import { formatTable, type Column } from '../../terminal/table.ts';
import { painter, widthOf, write, type Paint, type Terminal } from '../../terminal/terminal.ts';

interface ProvidersFlags {
  readonly config?: string;
  readonly output: 'text' | 'json';
}

export interface ProviderEntry {
  readonly name: string;
  readonly type: string;
  readonly wire?: string;
  readonly baseUrl?: string;
  readonly key: { readonly variable?: string; readonly isSet: boolean; readonly isNeeded: boolean };
  readonly model?: string;
  readonly isReady: boolean;
  readonly isDefault: boolean;
}

export function registerProviders(program: Command, run: Run): void {
  program
    .command('providers')
    .description('list the providers, their API keys and the default')
    .option('--config <file>', 'the configuration file to use')
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((flags: ProvidersFlags) => run((invocation) => listProviders(flags, invocation), flags.output));
}

const examples = `
Examples:
  simple-agents providers
  simple-agents providers --output json`;

async function listProviders(flags: ProvidersFlags, { terminal }: Invocation): Promise<number> {
  const { loadFlagSettings } = await import('../connect.ts');
  const { explainDefault } = await import('../default-model.ts');
  const { vendors } = await import('../../../providers/vendors.ts');
  const settings = await loadFlagSettings(flags, terminal);
  const fallback = explainDefault(settings, terminal.cwd);
  const entries = toEntries(settings, vendors, fallback);
  await write(
    terminal.stdout,
    flags.output === 'json' ? toJson(entries, fallback) : toText(entries, fallback, terminal),
  );
  return 0;
}

/** The configured providers, then the other known vendors. */
function toEntries({ providers }: Settings, vendors: readonly VendorRow[], { target }: DefaultModel): ProviderEntry[] {
  const others = vendors.filter((vendor) => !providers.some(({ name }) => name === vendor.name));
  const all: readonly ProviderSettings[] = [...providers, ...others.map(({ name }) => ({ name, type: name }))];
  return all.map((provider) => {
    const vendor = vendors.find(({ name }) => name === provider.type);
    return toEntry(provider, vendor, target?.provider.name === provider.name);
  });
}

function toEntry(provider: ProviderSettings, vendor: VendorRow | undefined, isDefault: boolean): ProviderEntry {
  const { name, type, apiKey } = provider;
  const baseUrl = provider.baseUrl ?? vendor?.baseUrl;
  const isNeeded = vendor?.needsKey === true && provider.needsNoKey !== true;
  const isSet = apiKey !== undefined;
  const isReachable = vendor === undefined || baseUrl !== undefined;
  return omitUndefined({
    name,
    type,
    wire: provider.wire ?? vendor?.wire,
    baseUrl,
    key: omitUndefined({ variable: provider.keyEnv ?? vendor?.keyEnv, isSet, isNeeded }),
    model: ownModel(provider),
    isReady: isReachable && (isSet || !isNeeded),
    isDefault,
  });
}

function toJson(providers: readonly ProviderEntry[], { target, reason }: DefaultModel): string {
  const fallback = target && { provider: target.provider.name, model: target.model };
  return `${JSON.stringify({ providers, default: { ...fallback, reason } }, null, 2)}\n`;
}

function toText(entries: readonly ProviderEntry[], fallback: DefaultModel, { stdout, env }: Terminal): string {
  const paint = painter(stdout, env);
  return `${formatTable(entries, columns(paint), widthOf(stdout))}\n${describeDefault(fallback)}\n`;
}

function columns(paint: Paint): Column<ProviderEntry>[] {
  return [
    { title: '', cell: ({ isDefault }) => (isDefault ? '*' : ' ') },
    { title: 'PROVIDER', cell: ({ name, isReady }) => paint(isReady ? 'bold' : 'dim', name) },
    { title: 'KEY', cell: (entry) => describeKey(entry, paint) },
    { title: 'MODEL', cell: ({ model = '-' }) => model, dispensable: 1 },
    {
      title: 'BASE URL',
      cell: ({ baseUrl, wire }) => baseUrl ?? (wire ? 'use --base-url' : 'built-in'),
      dispensable: 2,
    },
    { title: 'WIRE', cell: ({ wire = '-' }) => wire, dispensable: 3 },
  ];
}

function describeKey({ key }: ProviderEntry, paint: Paint): string {
  if (key.isSet) return paint('green', key.variable === undefined ? 'set' : `${key.variable} is set`);
  if (!key.isNeeded) return 'no key needed';
  return paint('dim', `${key.variable ?? 'its variable'} is not set`);
}
