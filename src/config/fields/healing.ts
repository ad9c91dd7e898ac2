// The rows of `[healing]`. How answers and arguments are mended.

import type { Field } from '../field.ts';
import { isShare } from '../rules.ts';

export const healingFields = [
  {
    table: 'healing',
    key: 'enabled',
    type: 'boolean',
    description: 'Mend at all; without, an answer that is not exactly what was asked for is an error.',
    default: true,
  },
  {
    table: 'healing',
    key: 'strict_mode',
    type: 'boolean',
    description: 'Any change is an error that tells the change.',
    default: false,
  },
  {
    table: 'healing',
    key: 'allow_type_coercion',
    type: 'boolean',
    description: 'Turn values into the type the schema wants, such as `"5"` into `5`.',
    default: true,
  },
  {
    table: 'healing',
    key: 'min_confidence',
    type: 'number',
    description: 'From 0 to 1: a value less sure than this is an error that carries the value.',
    default: 0.7,
    rule: isShare,
  },
] as const satisfies readonly Field[];
