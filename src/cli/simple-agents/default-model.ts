// Explains the default model: the target of calls that name no model, by the rule of `resolveModel`, and the reason.

import { relative } from 'node:path';
import type { Settings } from '../../config/settings.ts';
import { toError } from '../../core/error.ts';
import { resolveModel, type Target } from '../../gateway/routing/resolve.ts';

export interface DefaultModel {
  /** Undefined if there is no default model. */
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
  if (target === undefined) return `No default model: ${reason}.`;
  return `Default: ${nameOf(target)}, because ${reason}.`;
}

function reasonOf({ file, defaultModel, defaultProvider, providers }: Settings, cwd: string): string {
  const shown = file === undefined ? 'the flags' : shorten(file, cwd);
  if (defaultModel !== undefined) return `it is the default_model in ${shown}`;
  if (defaultProvider !== undefined) return `its provider is the default_provider in ${shown}`;
  const [first] = providers;
  if (first?.apiKey !== undefined) return `${first.keyEnv ?? 'its key'} is set`;
  if (first?.type === 'simulated' && providers.length === 1) return 'no API key is set and no provider is configured';
  return file === undefined ? 'it is set in the environment' : `it is the first provider in ${shown}`;
}

/** Relative if the file is below the working directory. */
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
