// `withGuardrail`: a text filter around a provider. Everything that the model writes passes the filter before anyone sees
// it: text, reasoning, tool arguments and errors. The upstream's own bytes are not passed on, because they are unfiltered.

import { SimpleAgentsError } from '../../core/error.ts';
import type { Provider } from '../../core/provider.ts';
import { rewriteStream } from '../output/rewrite.ts';
import { filterError } from './filter-value.ts';
import { GuardedEvents } from './guarded-events.ts';
import { filterProblem, isTextFilter, type TextFilter } from './text-filter.ts';

/** A guardrail of the configuration. */
export interface Guardrail {
  readonly name: string;
  readonly filter: TextFilter;
  /** The names of the providers it applies to. Defaults to all. */
  readonly providers?: readonly string[];
  /** Everything that may change its findings, for cache keys. */
  readonly identity?: unknown;
}

export function withGuardrail(provider: Provider, filter: TextFilter): Provider {
  if (!isTextFilter(filter)) {
    throw new SimpleAgentsError('configuration', `a guardrail ${filterProblem}; pass { window, find }`, {
      field: 'guardrails',
    });
  }
  return {
    name: provider.name,
    async open(request, signal, context) {
      try {
        return rewriteStream(await provider.open(request, signal, context), new GuardedEvents(filter));
      } catch (error) {
        throw filterError(filter, error);
      }
    },
  };
}

/** The first guardrail of the list judges first. */
export function withGuardrails(provider: Provider, guardrails: readonly Guardrail[] = []): Provider {
  const applied = guardrails.filter(({ providers }) => providers === undefined || providers.includes(provider.name));
  return applied.reduce((guarded, guardrail) => withGuardrail(guarded, toNamed(guardrail)), provider);
}

function toNamed({ name, filter }: Guardrail): TextFilter {
  return { name, window: filter.window, find: (text, from) => filter.find(text, from) };
}
