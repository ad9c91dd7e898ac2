// The simulated model responds in place of a real one if no key is set. That is convenient for a person who tries the
// program and reads the note, and wrong in a script, which would take its text for a review or a fix.

import { readVariable, type Environment } from '../../config/environment.ts';
import type { Settings } from '../../config/settings.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { findAlias } from '../../gateway/routing/alias-pattern.ts';
import type { Target } from '../../gateway/routing/resolve.ts';
import { vendors } from '../../providers/vendors.ts';
import { isSimulated } from './default-model.ts';

/** Whether the default model is simulated although no flag and no configuration asks for it. */
export function isFallback(target: Target, settings: Settings): boolean {
  const { defaultModel, defaultProvider, hasOwnSimulated } = settings;
  if (!isSimulated(target) || hasOwnSimulated === true) return false;
  return defaultModel === undefined ? defaultProvider === undefined : !namesSimulated(defaultModel, settings);
}

function namesSimulated(model: string, settings: Settings): boolean {
  const targets = findAlias(model, settings)?.targets ?? [model];
  const names = targets.map((target) => target.split('/', 1)[0]);
  return settings.providers.some(({ name, type }) => type === 'simulated' && names.includes(name));
}

/** Throws `auth` if an address is set that lacks its key. */
export function checkAddress(env: Environment): void {
  const unused = vendors.find(({ baseUrlEnv }) => readVariable(baseUrlEnv, env) !== undefined);
  if (unused === undefined) return;
  const { baseUrlEnv, keyEnv } = unused;
  throw new SimpleAgentsError(
    'auth',
    `${baseUrlEnv} is set, but ${keyEnv} is not: set it (to any text if the server needs no key), or pass --model simulated for the simulated model`,
  );
}

export function failWithoutKey(): never {
  throw new SimpleAgentsError(
    'auth',
    'no API key found: set ANTHROPIC_API_KEY, OPENAI_API_KEY or another one ("simple-agents providers" lists them), or pass --model simulated for the simulated model',
  );
}
