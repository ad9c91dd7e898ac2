// `simple-agents config init`: a first configuration file. At a terminal it asks; elsewhere, or with --yes, it takes what
// the environment offers. Never replaces a file unasked, and never asks for a key: keys live in the environment.

import { resolve } from 'node:path';
import { isVendorPresent } from '../../../config/environment.ts';
import { configFileName, exists } from '../../../config/find.ts';
import { renderInitialConfig, type InitialChoices } from '../../../config/initial.ts';
import { displayPath, parseConfig } from '../../../config/load.ts';
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
    throw new SimpleAgentsError('bad-request', `${shown} is there already; --force replaces it`);
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
  const note = names.length === 0 ? 'no key is set, so the simulated model answers' : `found ${names.join(', ')}`;
  await write(stderr, `note: ${note}\n`);
  const [first] = found;
  const model = vendorNamed(first?.name ?? '')?.defaultModel;
  return {
    providers: found.map(({ name }) => ({ type: name })),
    ...(first === undefined || model === undefined ? {} : { defaultModel: `${first.name}/${model}` }),
  };
}
