// The rows of `[breaker]`. When a failing target gets no calls.

import type { Field } from '../field.ts';
import { isLasting, isPositive, isShare } from '../rules.ts';

export const breakerFields = [
  {
    table: 'breaker',
    key: 'enabled',
    type: 'boolean',
    description: 'Whether failing targets get no calls for a while.',
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
    description: 'With fewer calls the ratio does not count.',
    default: 10,
    rule: isPositive,
  },
  {
    table: 'breaker',
    key: 'open_for',
    type: 'duration',
    description: 'How long the target gets no calls before it is probed; doubles each time a probe fails.',
    default: '1s',
    rule: isLasting,
  },
  {
    table: 'breaker',
    key: 'max_open_for',
    type: 'duration',
    description: 'The longest time between two probes.',
    default: '60s',
    rule: isLasting,
  },
  {
    table: 'breaker',
    key: 'probes',
    type: 'integer',
    description: 'How many probes must succeed; after a single stall, one.',
    default: 2,
    rule: isPositive,
  },
] as const satisfies readonly Field[];
