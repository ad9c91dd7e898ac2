// The rows of `[network]`. How connections to providers are made.

import type { Field } from '../field.ts';
import { isFilled, isIpAddress, isLasting, isPositive } from '../rules.ts';

export const networkFields = [
  {
    table: 'network',
    key: 'ca_file',
    type: 'path',
    description: 'A PEM file with certificates of authorities that are trusted in addition to the usual ones.',
    otherwise: 'none',
    rule: isFilled,
  },
  {
    table: 'network',
    key: 'client_cert_file',
    type: 'path',
    description: 'A PEM file with the certificate that servers know this client by, and its chain.',
    otherwise: 'none',
    rule: isFilled,
  },
  {
    table: 'network',
    key: 'client_key_file',
    type: 'path',
    description: 'A PEM file with the private key of `client_cert_file`, not encrypted.',
    otherwise: 'none',
    rule: isFilled,
  },
  {
    table: 'network',
    key: 'max_connections',
    type: 'integer',
    description: 'The most connections to one address at a time; further calls wait.',
    otherwise: 'no limit',
    rule: isPositive,
  },
  {
    table: 'network',
    key: 'http2',
    type: 'boolean',
    description: 'Use HTTP/2 with servers that offer it.',
    default: false,
  },
  {
    table: 'network',
    key: 'local_address',
    type: 'string',
    description: 'The IP address of this machine to connect from.',
    otherwise: 'the system’s choice',
    rule: isIpAddress,
  },
  {
    table: 'network',
    key: 'keep_alive',
    type: 'duration',
    description: 'How long an idle connection is kept when the server does not say.',
    default: '30s',
    rule: isLasting,
  },
] as const satisfies readonly Field[];
