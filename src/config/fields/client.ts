// The rows of `[client]`. What a call uses when it does not say otherwise.

import type { Field } from '../field.ts';
import { isFilled, isPositive, isProviderName, isTimer } from '../rules.ts';

export const clientFields = [
  {
    table: 'client',
    key: 'default_model',
    type: 'string',
    description: 'The model of a call that names none: an alias, `provider/model`, or a model’s own name.',
    otherwise: 'that of the default provider, else of the first',
    rule: isFilled,
  },
  {
    table: 'client',
    key: 'default_provider',
    type: 'string',
    description: 'The provider of a model name that nothing else decides.',
    rule: isProviderName,
  },
  {
    table: 'client',
    key: 'default_timeout',
    type: 'duration',
    description: 'Bounds the wait for the first token of a stream, and the whole of a call that is not streamed.',
    otherwise: 'as `[timeouts]` says',
    rule: isTimer,
  },
  {
    table: 'client',
    key: 'max_tokens',
    type: 'integer',
    description: 'The longest answer of a call that sets no limit, in tokens.',
    otherwise: 'the provider’s own limit',
    rule: isPositive,
  },
] as const satisfies readonly Field[];
