// The rows of `[timeouts]`. How long the parts of a call may take.

import type { Field } from '../field.ts';
import { isTimer } from '../rules.ts';

export const timeoutsFields = [
  {
    table: 'timeouts',
    key: 'connect',
    type: 'duration',
    description: 'Until the connection stands.',
    default: '10s',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'first_token',
    type: 'duration',
    description: 'Until a stream’s first content; goes before `default_timeout`.',
    default: '120s',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'idle',
    type: 'duration',
    description: 'Between two pieces of a stream’s content; keep-alive signals do not count.',
    default: '90s',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'total',
    type: 'duration',
    description: 'The whole of a call, streamed or not; goes before `default_timeout`.',
    otherwise: 'none for a stream, `30s` for a whole call',
    rule: isTimer,
  },
] as const satisfies readonly Field[];
