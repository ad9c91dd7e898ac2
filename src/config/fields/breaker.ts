// The rows of `[breaker]`. Leaving a failing target alone.

import type { Field } from '../field.ts';
import { isLasting, isPositive, isShare } from '../rules.ts';

export const breakerFields = [
  {
    table: 'breaker',
    key: 'enabled',
    type: 'boolean',
    description: 'Leave failing targets alone at all.',
    default: true,
  },
  {
    table: 'breaker',
    key: 'window',
    type: 'duration',
    description: 'How far back calls are counted.',
    default: '30s',
    rule: isLasting,
  },
  {
    table: 'breaker',
    key: 'failure_ratio',
    type: 'number',
    description: 'From 0 to 1: the part of these calls that must have failed.',
    default: 0.5,
    rule: isShare,
  },
  {
    table: 'breaker',
    key: 'min_calls',
    type: 'integer',
    description: 'Of fewer calls nothing is concluded.',
    default: 10,
    rule: isPositive,
  },
  {
    table: 'breaker',
    key: 'open_for',
    type: 'duration',
    description: 'How long the target is left alone before it is tried again.',
    default: '15s',
    rule: isLasting,
  },
  {
    table: 'breaker',
    key: 'probes',
    type: 'integer',
    description: 'How many calls must then go well.',
    default: 2,
    rule: isPositive,
  },
] as const satisfies readonly Field[];
