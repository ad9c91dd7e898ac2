// What stands behind a model's name as far as it may change an answer: an alias that is pointed elsewhere must not find the
// old model's answers. Keys, time-outs and prices make no difference.

import type { HealingSettings } from '../output/healing.ts';
import type { ResolveSettings, Target } from '../routing/resolve.ts';
import { resolveRoute } from '../routing/route.ts';

export interface IdentitySettings extends ResolveSettings {
  readonly maxTokens?: number;
  readonly healing?: HealingSettings;
}

export function cacheIdentity(name: string, settings: IdentitySettings): object {
  const { targets, fallbacks } = resolveRoute(name, settings);
  const { maxTokens, healing } = settings;
  return { targets: [...targets, ...fallbacks].map(describeTarget), maxTokens, healing };
}

function describeTarget({ provider, model }: Target): object {
  const { name, type, baseUrl, headers, seed, script } = provider;
  return { provider: name, type, baseUrl, headers, seed, script, model };
}
