// The rules of a vendor's model and of the client's version of the API, for one configured provider: which requests it must
// not get, although its wire could express them.

import { SimpleAgentsError, unsupportedField } from '../core/error.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { wireNamed } from '../providers/vendor-provider.ts';
import { findRefusedByVersion, type RuledProvider } from '../providers/vendor-rules.ts';
import { lacksForcedTool } from './output/forced-tool.ts';
import type { ProviderSettings } from './provider-settings.ts';

/** The vendor's row, or the definition of a plugin. */
export interface RuledRow {
  readonly wire?: string;
  readonly versions?: readonly string[];
}

export function rulesOf({ headers, rules }: ProviderSettings, row: RuledRow | undefined): RuledProvider {
  const wire = row?.wire === undefined ? undefined : wireNamed(row.wire);
  return { wire, versions: row?.versions, headers, rules };
}

/** Whether another target may be able to serve the request. */
export function isAgainstRules(rules: RuledProvider, request: ChatRequest): boolean {
  return findRefusedByVersion(rules, request) !== undefined || lacksForcedTool(rules, request);
}

/** Throws the error of the client's version. */
export function checkVersion(rules: RuledProvider, request: ChatRequest, target: string): void {
  const refusal = findRefusedByVersion(rules, request);
  if (refusal === undefined) return;
  const { field, message, since } = refusal;
  const remedy = `refused since API version ${since}: leave it out, or ask for an earlier version`;
  throw new SimpleAgentsError('bad-request', `${message} (${remedy})`, { field, target, code: unsupportedField });
}

export function withVersionRules(provider: Provider, rules: RuledProvider): Provider {
  return {
    name: provider.name,
    open: async (request, signal, context) => {
      checkVersion(rules, request, provider.name);
      return provider.open(request, signal, context);
    },
  };
}
