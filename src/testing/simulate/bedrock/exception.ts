// The exceptions of the simulated Bedrock: their names and statuses by the kind of an error.

import type { ErrorKind, SimpleAgentsError } from '../../../core/error.ts';
import type { Fault } from '../../model/fault.ts';
import type { OutgoingResponse } from '../outgoing-response.ts';

interface Exception {
  readonly name: string;
  readonly status: number;
}

const byKind: Readonly<Record<ErrorKind, Exception>> = {
  'bad-request': { name: 'ValidationException', status: 400 },
  'context-overflow': { name: 'ValidationException', status: 400 },
  auth: { name: 'AccessDeniedException', status: 403 },
  quota: { name: 'ServiceQuotaExceededException', status: 400 },
  'not-found': { name: 'ResourceNotFoundException', status: 404 },
  'rate-limit': { name: 'ThrottlingException', status: 429 },
  overloaded: { name: 'ServiceUnavailableException', status: 503 },
  upstream: { name: 'InternalServerException', status: 500 },
  network: { name: 'InternalServerException', status: 500 },
  timeout: { name: 'ModelTimeoutException', status: 408 },
  'bad-response': { name: 'ModelErrorException', status: 424 },
  healing: { name: 'ModelErrorException', status: 424 },
  configuration: { name: 'InternalServerException', status: 500 },
  internal: { name: 'InternalServerException', status: 500 },
};

/** The code of an error may be the name of an exception. */
export function exceptionOf({ kind, code = '', status }: SimpleAgentsError): Exception {
  const usual = byKind[kind];
  const name = code.endsWith('Exception') ? code.charAt(0).toUpperCase() + code.slice(1) : usual.name;
  return { name, status: status ?? usual.status };
}

export function encodeException(error: SimpleAgentsError, { errorType, retryAfter }: Fault = {}): OutgoingResponse {
  const { name, status } = exceptionOf(error);
  return {
    status,
    contentType: 'application/json',
    headers: {
      'x-amzn-errortype': errorType ?? name,
      ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
    },
    body: JSON.stringify({ message: error.message }),
  };
}
