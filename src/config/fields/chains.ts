// The rows of `[[chains]]`: the fallbacks of a model name.

import type { Field } from '../field.ts';
import { areErrorKinds, areTargets, isFilled } from '../rules.ts';

export const chainsFields = [
  {
    table: 'chains',
    key: 'model',
    type: 'string',
    description:
      'The name these targets belong to, exactly as requests write it: an alias, `provider/model`, or a model’s own name.',
    otherwise: 'the default model',
    rule: isFilled,
  },
  {
    table: 'chains',
    key: 'targets',
    type: 'list of strings',
    description: 'A list of `provider/model`, in the order they are asked.',
    required: true,
    rule: areTargets,
  },
  {
    table: 'chains',
    key: 'fallback_on',
    type: 'list of strings',
    description: 'The kinds of errors after which the next is asked.',
    otherwise: 'that of `[router]`',
    rule: areErrorKinds,
  },
] as const satisfies readonly Field[];
