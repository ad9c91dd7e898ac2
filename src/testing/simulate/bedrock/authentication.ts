// Checks the credentials of a request to the simulated Bedrock as the service does: a bearer key, or a signature of
// version 4. The simulator knows no secret, so that it checks everything about a signature but its value. Keys that begin
// with `bad` or are `invalid` are refused, and session tokens that contain `expired`.

import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

import { throwApiError } from '../api-error.ts';

const form =
  /^AWS4-HMAC-SHA256 Credential=([^/\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request, ?SignedHeaders=([\w;-]+), ?Signature=([0-9a-f]{64})$/u;
/** How far the date of a signature may be from that of the service. */
const mostSkew = 5 * 60_000;

export function authenticateAws(headers: IncomingHttpHeaders, body: string): void {
  const { authorization = '' } = headers;
  const [, bearer] = /^bearer\s+(.*)$/iu.exec(authorization) ?? [];
  if (bearer !== undefined) {
    if (isBad(bearer)) refuse('AccessDeniedException', 'Invalid API Key format: Must start with pre-defined prefix');
    return;
  }
  if (authorization === '') refuse('MissingAuthenticationTokenException', 'Missing Authentication Token');
  const [, key = '', date = '', , service = '', signed = ''] = form.exec(authorization) ?? [];
  if (key === '')
    refuse('IncompleteSignatureException', 'Authorization header is not of the form of AWS4-HMAC-SHA256.');
  if (isBad(key)) refuse('UnrecognizedClientException', 'The security token included in the request is invalid.');
  checkToken(headers['x-amz-security-token']);
  if (service !== 'bedrock')
    refuse('InvalidSignatureException', `Credential should be scoped to correct service: 'bedrock'. `);
  for (const name of ['host', 'x-amz-date']) {
    if (!signed.split(';').includes(name))
      refuse('InvalidSignatureException', `'${name}' must be a 'SignedHeader' in the AWS Authorization.`);
  }
  checkDate(headers['x-amz-date'], date);
  checkHash(headers, body);
}

function checkToken(token: string | string[] | undefined): void {
  if (String(token ?? '').includes('expired'))
    refuse('ExpiredTokenException', 'The security token included in the request is expired');
}

function checkDate(stamp: string | string[] | undefined, date: string): void {
  const text = String(stamp ?? '');
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/u.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = parts;
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(time) || !text.startsWith(date))
    refuse(
      'IncompleteSignatureException',
      'Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date',
    );
  const difference = time - Date.now();
  if (Math.abs(difference) <= mostSkew) return;
  const problem = difference < 0 ? 'Signature expired' : 'Signature not yet current';
  refuse('InvalidSignatureException', `${problem}: ${text} is not within 5 min. of the date of the service`);
}

/** A signature covers the hash of the body, if that is sent. */
function checkHash(headers: IncomingHttpHeaders, body: string): void {
  const { 'x-amz-content-sha256': hash } = headers;
  if (hash === undefined || hash === createHash('sha256').update(body).digest('hex')) return;
  refuse('InvalidSignatureException', 'The request signature we calculated does not match the signature you provided.');
}

function isBad(key: string): boolean {
  return key === 'invalid' || key.startsWith('bad');
}

function refuse(code: string, message: string): never {
  return throwApiError(message, { kind: 'auth', status: 403, code });
}
