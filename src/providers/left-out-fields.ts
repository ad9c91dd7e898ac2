// `withoutFields`: a provider whose requests lack the fields that its settings name. A response header names those that were set.

import type { Provider } from '../core/provider.ts';
import { leaveOut } from '../wire/left-out-fields.ts';

export { leaveOut, omissibleFields } from '../wire/left-out-fields.ts';

export function withoutFields(provider: Provider, names: readonly string[]): Provider {
  return {
    ...provider,
    open(asked, signal, context) {
      const { request, omitted } = leaveOut(asked, names);
      if (omitted.length > 0) context?.observe({ type: 'field-drop', call: context.id, fields: omitted });
      return provider.open(request, signal, context);
    },
    ...(provider.countTokens && {
      countTokens: async (asked, signal) => provider.countTokens?.(leaveOut(asked, names).request, signal),
    }),
  };
}
