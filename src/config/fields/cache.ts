// The rows of `[cache]`. Answers that are kept.

import type { Field } from '../field.ts';
import { isAddressVariable, isDeadline, isPositive, isSomeTime } from '../rules.ts';

export const cacheFields = [
  {
    table: 'cache',
    key: 'enabled',
    type: 'boolean',
    description: 'Keep answers, and share those under way; a call may say otherwise.',
    default: false,
  },
  {
    table: 'cache',
    key: 'backend',
    type: 'choice',
    description: 'Where answers are kept: in this process, or in Redis for many.',
    default: 'memory',
    choices: ['memory', 'redis'],
  },
  {
    table: 'cache',
    key: 'ttl',
    type: 'duration',
    description: 'How long an answer is kept.',
    default: '1h',
    rule: isSomeTime,
  },
  {
    table: 'cache',
    key: 'share',
    type: 'boolean',
    description:
      'Whether a key of the gateway is given answers to what other keys asked, and shares calls in progress.',
    default: false,
  },
  {
    table: 'cache',
    key: 'max_size',
    type: 'size',
    description: 'For `memory`: how much all answers together may take; those used longest ago go first.',
    default: '64MB',
    rule: isPositive,
  },
  {
    table: 'cache',
    key: 'url_env',
    type: 'string',
    description: 'For `redis`: the environment variable that holds its address, such as `redis://127.0.0.1:6379`.',
    default: 'REDIS_URL',
    rule: isAddressVariable,
  },
  {
    table: 'cache',
    key: 'timeout',
    type: 'duration',
    description: 'For `redis`: how long an operation may take; then the model is asked.',
    default: '50ms',
    rule: isDeadline,
  },
] as const satisfies readonly Field[];
