// Amazon's request signature, version 4: an HMAC over the canonical form of a request.
// docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html

import type { TransportRequest } from '../../transport/transport.ts';
import { hmacSha256, sha256Hex, toHex, utf8 } from './digest.ts';

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface SigningScope {
  readonly credentials: AwsCredentials;
  readonly region: string;
  readonly service: string;
  readonly date: Date;
}

/** Changed or removed on the way, so that they must not be part of a signature. */
const unsigned =
  /^(?:authorization|cache-control|connection|expect|from|keep-alive|max-forwards|pragma|referer|te|trailer|transfer-encoding|upgrade|user-agent|x-amzn-trace-id|proxy-.*|sec-.*)$/;

/** Replaced by those of the signature. */
const generated = new Set(['authorization', 'x-amz-date', 'date']);

/** The headers of the request with those of the signature. */
export async function signRequest(
  { method, url, headers, body = '' }: TransportRequest,
  { credentials, region, service, date }: SigningScope,
): Promise<Record<string, string>> {
  const address = new URL(url);
  const time = date.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`;
  const kept = Object.entries(headers).filter(([name]) => !generated.has(name.toLowerCase()));
  const sent: Record<string, string> = { ...Object.fromEntries(kept), 'x-amz-date': time };
  sent['host'] ??= address.host;
  if (credentials.sessionToken !== undefined) sent['x-amz-security-token'] = credentials.sessionToken;
  sent['x-amz-content-sha256'] ??= await sha256Hex(body);
  const signed = canonicalHeaders(sent);
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    method,
    canonicalPath(address.pathname),
    canonicalQuery(address.search),
    ...signed.map(([name, value]) => `${name}:${value}`),
    '',
    names,
    sent['x-amz-content-sha256'],
  ].join('\n');
  const text = ['AWS4-HMAC-SHA256', time, scope, await sha256Hex(canonical)].join('\n');
  const signature = toHex(await hmacSha256(await signingKey(credentials.secretAccessKey, scope), text));
  const credential = `${credentials.accessKeyId}/${scope}`;
  sent['authorization'] = `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`;
  return sent;
}

async function signingKey(secret: string, scope: string): Promise<ArrayBuffer | Uint8Array<ArrayBuffer>> {
  let key: ArrayBuffer | Uint8Array<ArrayBuffer> = utf8(`AWS4${secret}`);
  for (const part of scope.split('/')) key = await hmacSha256(key, part);
  return key;
}

function canonicalHeaders(headers: Readonly<Record<string, string>>): [name: string, value: string][] {
  return Object.entries(headers)
    .map(([name, value]): [string, string] => [name.toLowerCase(), value.replaceAll(/[ \t\r\n]+/g, ' ').trim()])
    .filter(([name]) => !unsigned.test(name))
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

/** The path is encoded again, although it is encoded already. Only S3 does without. */
function canonicalPath(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const end = segments.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${segments.map(escape).join('/')}${end}`;
}

function canonicalQuery(search: string): string {
  return search
    .slice(1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return `${escape(decode(name))}=${escape(decode(value.join('=')))}`;
    })
    .toSorted(byNameThenValue)
    .join('&');
}

function byNameThenValue(left: string, right: string): number {
  const [leftName = ''] = left.split('=', 1);
  const [rightName = ''] = right.split('=', 1);
  if (leftName !== rightName) return leftName < rightName ? -1 : 1;
  return left < right ? -1 : 1;
}

function decode(text: string): string {
  return decodeURIComponent(text);
}

/** As in RFC 3986: everything except letters, digits and `-_.~`. */
function escape(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
