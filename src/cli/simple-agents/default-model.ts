// Which model answers when none is named, and why: the same rule as `resolveModel`, told in words.

import { relative } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { toError } from '../../core/error.ts';
import { resolveModel, type Target } from '../../gateway/routing/resolve.ts';

export interface DefaultModel {
  /** Left out when no model can be told. */
  readonly target?: Target;
  readonly reason: string;
}

export function explainDefault(settings: Settings, cwd: string): DefaultModel {
  try {
    return { target: resolveModel(undefined, settings), reason: reasonOf(settings, cwd) };
  } catch (error) {
    return { reason: toError(error).message };
  }
}

export function describeDefault({ target, reason }: DefaultModel): string {
  if (target === undefined) return `There is no default: ${reason}.`;
  return `Default: ${nameOf(target)}, because ${reason}.`;
}

function reasonOf({ file, defaultModel, defaultProvider, providers }: Settings, cwd: string): string {
  const shown = file === undefined ? 'the flags' : shorten(file, cwd);
  if (defaultModel !== undefined) return `default_model in ${shown} says so`;
  if (defaultProvider !== undefined) return `default_provider in ${shown} says so`;
  const [first] = providers;
  if (first?.apiKey !== undefined) return `${first.keyEnv ?? 'its key'} is set`;
  if (first?.type === 'simulated' && providers.length === 1) return 'no key is set and no provider is configured';
  return file === undefined ? 'the environment names it' : `it is the first provider in ${shown}`;
}

/** Short when the file is below the working folder. */
function shorten(file: string, cwd: string): string {
  const path = relative(cwd, file);
  return path.startsWith('..') ? file : path;
}

export function isSimulated(target: Target): boolean {
  return target.provider.type === 'simulated';
}

export function nameOf({ provider, model }: Target): string {
  return provider.name === model ? model : `${provider.name}/${model}`;
}
