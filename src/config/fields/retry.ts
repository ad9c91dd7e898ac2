// The rows of `[retry]`. Trying again at the same target.

import type { Field } from '../field.ts';
import { areErrorKinds, isAtLeastOne, isNotNegative, isPositive, isShare, isTimer } from '../rules.ts';

export const retryFields = [
  {
    table: 'retry',
    key: 'max_attempts',
    type: 'integer',
    description: 'Calls at one target in all; 1 means none is made again.',
    default: 3,
    rule: isPositive,
  },
  {
    table: 'retry',
    key: 'initial_backoff',
    type: 'duration',
    description: 'The pause before the second call.',
    default: '100ms',
    rule: isTimer,
  },
  {
    table: 'retry',
    key: 'multiplier',
    type: 'number',
    description: 'How much longer each further pause is.',
    default: 2,
    rule: isAtLeastOne,
  },
  {
    table: 'retry',
    key: 'max_backoff',
    type: 'duration',
    description: 'The longest pause.',
    default: '10s',
    rule: isTimer,
  },
  {
    table: 'retry',
    key: 'jitter',
    type: 'boolean',
    description: 'Spread each pause by ±30 %, so that clients that failed together do not come back together.',
    default: true,
  },
  {
    table: 'retry',
    key: 'retryable_errors',
    type: 'list of strings',
    description: 'The kinds of errors after which a call is made again.',
    otherwise: '`rate-limit`, `overloaded`, `upstream`, `network`, `timeout`',
    rule: areErrorKinds,
  },
  {
    table: 'retry',
    key: 'max_retry_after',
    type: 'duration',
    description:
      'A provider that asks for a longer pause is not waited for. If not set, `1s` while another target can be asked.',
    default: '60s',
    rule: isTimer,
  },
  {
    table: 'retry',
    key: 'budget',
    type: 'number',
    description: 'Retries at one target as a part, from 0 to 1, of its calls of the last 10 s.',
    default: 0.1,
    rule: isShare,
  },
  {
    table: 'retry',
    key: 'budget_reserve',
    type: 'integer',
    description: 'Retries at one target in 10 s that are allowed however few calls there are.',
    default: 10,
    rule: isNotNegative,
  },
] as const satisfies readonly Field[];
