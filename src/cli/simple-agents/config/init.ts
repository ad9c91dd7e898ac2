// `simple-agents config init`: writes a first configuration file. At a terminal it asks questions; otherwise, or with --yes,
// it uses the providers in the environment. Never replaces a file without --force, and never asks for an API key.

import { resolve } from 'node:path';
import { isVendorPresent } from '../../../config/environment.ts';
import { configFileName, exists } from '../../../config/find.ts';
import { renderInitialConfig, type InitialChoices } from '../../../config/initial.ts';
import { parseConfig } from '../../../config/file-tier.ts';
import { displayPath } from '../../../config/load.ts';
import { replaceFile } from '../../../config/replace-file.ts';
import { SimpleAgentsError } from '../../../core/error.ts';
import { vendorNamed, vendors } from '../../../providers/vendors.ts';
import type { InitFlags } from '../commands/config.ts';
import type { Invocation } from '../../invocation.ts';
import { write, type Terminal } from '../../terminal/terminal.ts';

export async function initConfig(invocation: Invocation, flags: InitFlags): Promise<number> {
  const { terminal } = invocation;
  const file = resolve(terminal.cwd, flags.config ?? configFileName);
  const shown = displayPath(file, terminal.cwd);
  if (!flags.force && (await exists(file))) {
    throw new SimpleAgentsError('bad-request', `${shown} already exists; use --force to replace it`);
  }
  const text = renderInitialConfig(await choose(flags, shown, invocation));
  await parseConfig(text, shown);
  await replaceFile(file, text);
  await write(terminal.stdout, `wrote ${shown}\n`);
  return 0;
}

async function choose({ yes }: InitFlags, shown: string, invocation: Invocation): Promise<InitialChoices> {
  const { terminal } = invocation;
  const isAttended = terminal.stdin.isTTY === true && terminal.stdout.isTTY === true;
  if (yes || !isAttended) return fromEnvironment(terminal);
  const { askForChoices } = await import('./wizard.ts');
  return askForChoices(shown, invocation);
}

async function fromEnvironment({ env, stderr }: Terminal): Promise<InitialChoices> {
  const found = vendors.filter((vendor) => isVendorPresent(vendor, env));
  const names = found.map(({ keyEnv, baseUrlEnv }) => keyEnv ?? baseUrlEnv);
  const note = names.length === 0 ? 'no API key found; using the simulated model' : `found ${names.join(', ')}`;
  await write(stderr, `note: ${note}\n`);
  const [first] = found;
  const model = vendorNamed(first?.name ?? '')?.defaultModel;
  return {
    providers: found.map(({ name }) => ({ type: name })),
    ...(first === undefined || model === undefined ? {} : { defaultModel: `${first.name}/${model}` }),
  };
}
