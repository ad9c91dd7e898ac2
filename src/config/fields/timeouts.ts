// The rows of `[timeouts]`. How long the parts of a call may take.

import type { Field } from '../field.ts';
import { isTimer } from '../rules.ts';

export const timeoutsFields = [
  {
    table: 'timeouts',
    key: 'connect',
    type: 'duration',
    description: 'Until the connection is made.',
    default: '10s',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'first_token',
    type: 'duration',
    description: 'Until a stream’s first content; overrides `default_timeout`.',
    otherwise: '`120s`; `20s` while another target can be asked, `60s` then with reasoning',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'idle',
    type: 'duration',
    description: 'Between two pieces of a stream’s content; keep-alive signals do not count.',
    otherwise: '`90s`; `30s` while another target can be asked, `60s` then with reasoning',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'total',
    type: 'duration',
    description: 'The whole of a call, streamed or not; overrides `default_timeout`.',
    otherwise: 'none for a stream, `10m` for a call that is not streamed',
    rule: isTimer,
  },
] as const satisfies readonly Field[];
