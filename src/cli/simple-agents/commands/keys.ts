// `simple-agents keys`: keys for clients of the gateway. `keys create` prints a new random key and the lines of the
// configuration that allow it. The configuration contains only the hash; the key is printed once and stored nowhere.

import { hash, randomBytes } from 'node:crypto';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { checkKeyName } from '../../../config/schema/rules.ts';
import { keyScopes, type GatewayKey, type KeyScope } from '../../../core/gateway-key.ts';
import { formatOf, jsonOption, outputOption, type FormatFlags } from '../../flags.ts';
import type { Invocation, Run } from '../../invocation.ts';
import { write } from '../../terminal/terminal.ts';

interface CreateFlags extends FormatFlags {
  readonly name?: string;
  readonly scope: readonly KeyScope[];
}

interface NewKey extends GatewayKey {
  readonly key: string;
}

export function registerKeys(program: Command, run: Run): void {
  program
    .command('keys')
    .description('manage keys for clients of the gateway')
    .command('create')
    .description('create a key and print its hash and the lines for the configuration file')
    .option('--name <name>', 'the name of the key in logs and metrics', parseName)
    .addOption(
      new Option(
        '--scope <scope...>',
        'what the key allows: call models, read /metrics, use objects stored at providers',
      )
        .choices(keyScopes)
        .default(['call']),
    )
    .addOption(outputOption())
    .addOption(jsonOption())
    .addHelpText('after', examples)
    .action((flags: CreateFlags) => run((invocation) => create(flags, invocation), formatOf(flags)));
}

const examples = `
Examples:
  simple-agents keys create --name mobile-app
  simple-agents keys create --name prometheus --scope metrics
  simple-agents keys create --name ci --json

Clients send the key as "authorization: Bearer KEY", "x-api-key: KEY" or "x-goog-api-key: KEY".`;

function parseName(name: string): string {
  const problem = checkKeyName(name);
  if (problem === undefined) return name;
  throw new InvalidArgumentError(`It ${problem}.`);
}

async function create(flags: CreateFlags, { terminal }: Invocation): Promise<number> {
  const key = `sa-${randomBytes(32).toString('base64url')}`;
  const digest = hash('sha256', key, 'hex');
  const created: NewKey = { name: flags.name ?? `key-${digest.slice(0, 8)}`, key, hash: digest, scopes: flags.scope };
  await write(
    terminal.stdout,
    formatOf(flags) === 'json' ? `${JSON.stringify(created, null, 2)}\n` : describe(created),
  );
  return 0;
}

function describe({ name, key, hash: digest, scopes }: NewKey): string {
  return `key   ${key}
hash  ${digest}

Save the key now: it is not stored anywhere. To allow it, add this to simple-agents.toml:

[[server.keys]]
name = "${name}"
hash = "${digest}"
scopes = [${scopes.map((scope) => `"${scope}"`).join(', ')}]
`;
}
