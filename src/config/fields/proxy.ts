// The rows of `[proxy]`. The way out to the network.

import type { Field } from '../field.ts';
import { isPlainUrl } from '../rules.ts';

export const proxyFields = [
  {
    table: 'proxy',
    key: 'http',
    type: 'URL',
    description:
      'The proxy, for `https` addresses too when `https` is not set. The variable `HTTP_PROXY` goes before it.',
    otherwise: 'none',
    rule: isPlainUrl,
  },
  {
    table: 'proxy',
    key: 'https',
    type: 'URL',
    description: 'The proxy for `https` addresses. The variable `HTTPS_PROXY` goes before it.',
    otherwise: 'as `http`',
    rule: isPlainUrl,
  },
  {
    table: 'proxy',
    key: 'no_proxy',
    type: 'list of strings',
    description: 'Hosts that are reached without the proxy. The variable `NO_PROXY` goes before it.',
    otherwise: 'none',
  },
] as const satisfies readonly Field[];
