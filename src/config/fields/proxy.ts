// The rows of `[proxy]`. The way out to the network.

import type { Field } from '../field.ts';
import { isPlainUrl } from '../rules.ts';

export const proxyFields = [
  {
    table: 'proxy',
    key: 'http',
    type: 'URL',
    description:
      'The proxy, for `https` addresses too when `https` is not set. The variable `HTTP_PROXY` overrides it.',
    otherwise: 'none',
    rule: isPlainUrl,
  },
  {
    table: 'proxy',
    key: 'https',
    type: 'URL',
    description: 'The proxy for `https` addresses. The variable `HTTPS_PROXY` overrides it.',
    otherwise: 'as `http`',
    rule: isPlainUrl,
  },
  {
    table: 'proxy',
    key: 'no_proxy',
    type: 'list of strings',
    description:
      'Hosts reached without the proxy: names, addresses, networks such as `10.0.0.0/8`, or `*`. The variable `NO_PROXY` overrides it.',
    otherwise: 'none',
  },
] as const satisfies readonly Field[];
