// Creates a client from flags, the environment and the configuration file. Precedence: flags > environment > file.

import type { Client } from '../../client/client.ts';
import { createCredentialHost } from '../../config/credential-host.ts';
import { readVariable, type Environment } from '../../config/environment.ts';
import { loadSettings, type LoadOptions } from '../../config/load.ts';
import { checkPlainUrl } from '../../config/schema/rules.ts';
import type { Settings } from '../../config/settings.ts';
import { createTransport } from '../../config/transport.ts';
import type { Observer } from '../../core/call.ts';
import { didYouMean } from '../../core/suggest.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { resolveModel, type Target } from '../../gateway/routing/resolve.ts';
import type { ProviderSettings } from '../../gateway/provider-settings.ts';
import type { Transport } from '../../providers/remote.ts';
import { vendors } from '../../providers/vendors.ts';
import type { ModelFlags } from '../flags.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { createClient, createGateway } from '../../node.ts';

/** Requests without a model go to `target`. */
export interface ConnectedClient {
  readonly client: Client;
  readonly settings: Settings;
  readonly target: Target;
  close(): Promise<void>;
}

export async function connect(flags: ModelFlags, terminal: Terminal, observer?: Observer): Promise<ConnectedClient> {
  const settings = await loadFlagSettings(flags, terminal);
  const credentialHost = (transport: Transport) => createCredentialHost(transport, terminal.env);
  const gateway = createGateway(
    settings,
    omitUndefined({ observer, credentialHost, transport: createTransport(settings) }),
  );
  return {
    client: createClient({ provider: gateway, healing: settings.healing }),
    settings,
    target: resolveModel(undefined, settings),
    close: () => gateway.close(),
  };
}

/** The settings with the flags applied: the model of the flags becomes the default model. */
export async function loadFlagSettings(
  flags: ModelFlags,
  { env, cwd }: Pick<Terminal, 'env' | 'cwd'>,
  options: Pick<LoadOptions, 'fallbackTimeouts' | 'trustsFolder'> = {},
): Promise<Settings> {
  const { config, timeout, model } = flags;
  const provider = providerOf(flags);
  // With a provider flag, the model name belongs to that provider, including any slashes.
  const defaultModel = provider === undefined || model === undefined ? model : `${provider}/${model}`;
  const overrides = omitUndefined({ timeout, defaultProvider: provider, defaultModel });
  const settings = await loadSettings(omitUndefined({ path: config, cwd, env, overrides, ...options }));
  if (provider === undefined) {
    if (flags.apiKeyEnv === undefined) return settings;
    throw new SimpleAgentsError(
      'bad-request',
      '--api-key-env requires --provider or --base-url, to know which provider the key is for',
    );
  }
  const { defaultModel: _fromFile, ...withoutModel } = settings;
  const kept = model === undefined ? withoutModel : settings;
  return { ...kept, providers: moveProvider(settings.providers, provider, flagValues(flags, env)) };
}

/** A base URL without a provider means a server with the OpenAI protocol, the most common one. */
function providerOf({ provider, baseUrl }: ModelFlags): string | undefined {
  return provider ?? (baseUrl === undefined ? undefined : 'openai-compatible');
}

type FlagValues = Partial<Pick<ProviderSettings, 'baseUrl' | 'keyEnv' | 'apiKey'>>;

function flagValues({ baseUrl, apiKeyEnv: keyEnv }: ModelFlags, env: Environment): FlagValues {
  const problem = baseUrl === undefined ? undefined : checkPlainUrl(baseUrl);
  if (problem !== undefined) throw new SimpleAgentsError('bad-request', `--base-url: ${problem}`);
  const apiKey = readVariable(keyEnv, env);
  if (keyEnv !== undefined && apiKey === undefined) {
    throw new SimpleAgentsError('auth', `--api-key-env: the environment variable ${keyEnv} is not set`);
  }
  return omitUndefined({ baseUrl, keyEnv, apiKey });
}

function moveProvider(
  providers: readonly ProviderSettings[],
  name: string,
  values: FlagValues,
): readonly ProviderSettings[] {
  if (!providers.some((provider) => provider.name === name)) throw unknownProvider(name, providers);
  return providers.map((provider) => (provider.name === name ? { ...provider, ...values } : provider));
}

export function unknownProvider(name: string, providers: readonly ProviderSettings[]): SimpleAgentsError {
  const known = new Set([...providers, ...vendors].map((provider) => provider.name));
  const fix = didYouMean(name, [...known]) || '; run `simple-agents providers` to list the providers';
  return new SimpleAgentsError('configuration', `unknown provider ${JSON.stringify(name)}${fix}`);
}
