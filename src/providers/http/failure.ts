// The failures of an exchange that are found here rather than by Node, with codes of their own: connection-error.ts tells
// people what they mean.

export type FailureCode =
  | 'CONNECT_TIMEOUT'
  | 'CLOSED_BY_SERVER'
  | 'SHORT_ANSWER'
  | 'NOT_HTTP'
  | 'PROXY_REFUSED'
  | 'TRANSPORT_CLOSED';

export class ConnectionFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, message: string) {
    super(message);
    this.code = code;
  }
}

export function notHttp(why: string): ConnectionFailure {
  return new ConnectionFailure('NOT_HTTP', why);
}

export function closedByServer(): ConnectionFailure {
  return new ConnectionFailure('CLOSED_BY_SERVER', 'the server closed the connection');
}
