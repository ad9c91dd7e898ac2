// Access tokens for Google Cloud: from a key of a service account, from the login of a user, from a workload identity in a
// file, or from the metadata server of the machine.

import { SimpleAgentsError } from '../../core/error.ts';
import { toBase64 } from '../../core/base64.ts';
import {
  credentialError,
  parseObject,
  readTokenJson,
  requestToken,
  type CredentialHost,
  type Expiring,
} from './credential-host.ts';
import { signRs256 } from './digest.ts';

export interface AccessToken extends Expiring {
  readonly token: string;
}

const scope = 'https://www.googleapis.com/auth/cloud-platform';
const tokenUrl = 'https://oauth2.googleapis.com/token';

/** The file is read at every load, because it may be rotated. */
export async function loadGoogleToken(host: CredentialHost): Promise<AccessToken> {
  const file = await readCredentialFile(host);
  if (file === undefined) return fromMetadata(host);
  const { path, content } = file;
  switch (content['type']) {
    case 'service_account':
      return fromServiceAccount(host, content, path);
    case 'authorized_user':
      return fromUser(host, content, path);
    case 'external_account':
      return fromWorkload(host, content, path);
    default: {
      const known = 'service_account, authorized_user and external_account';
      throw credentialError(
        `${path}: credentials of type ${JSON.stringify(content['type'])} are not supported; use ${known}`,
      );
    }
  }
}

type Content = Readonly<Record<string, unknown>>;

async function readCredentialFile(host: CredentialHost): Promise<{ path: string; content: Content } | undefined> {
  const named = host.variable('GOOGLE_APPLICATION_CREDENTIALS');
  const path = named ?? usualFile(host);
  const text = await host.readText(path);
  if (text === undefined) {
    if (named === undefined) return undefined;
    throw credentialError(`GOOGLE_APPLICATION_CREDENTIALS: file not found: ${path}`);
  }
  const content = parseObject(text);
  if (content === undefined) throw credentialError(`${path}: is not JSON; create a new key file`);
  return { path, content };
}

/** The file that `gcloud auth application-default login` writes. */
function usualFile(host: CredentialHost): string {
  const windows = host.variable('APPDATA');
  const folder =
    host.variable('CLOUDSDK_CONFIG') ??
    (windows === undefined ? `${host.variable('HOME') ?? ''}/.config/gcloud` : `${windows}/gcloud`);
  return `${folder}/application_default_credentials.json`;
}

function member(content: Content, name: string, path: string): string {
  const value = content[name];
  if (typeof value === 'string' && value !== '') return value;
  throw credentialError(`${path}: has no ${name}; create a new key file`);
}

async function fromServiceAccount(host: CredentialHost, content: Content, path: string): Promise<AccessToken> {
  const url = typeof content['token_uri'] === 'string' ? content['token_uri'] : tokenUrl;
  const account = {
    issuer: member(content, 'client_email', path),
    key: member(content, 'private_key', path),
    audience: url,
  };
  const advice = 'check that the key exists and that the clock of this machine is right';
  return withServerDate(host, async (now) => {
    const assertion = await createAssertion({ ...account, scope, now }).catch((error: unknown) => {
      throw credentialError(`${path}: the private_key cannot be used: ${reasonOf(error)}`);
    });
    const grant = { 'grant_type': 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
    return { request: formRequest(url, grant), source: `the token endpoint of Google (${account.issuer})`, advice };
  });
}

export interface AssertionOptions {
  readonly issuer: string;
  readonly scope: string;
  readonly audience: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The signed statement that a service account exchanges for an access token (RFC 7523). */
export async function createAssertion({
  issuer,
  scope: scopes,
  audience,
  key,
  now,
}: AssertionOptions): Promise<string> {
  const issued = Math.floor(now / 1000);
  const claims = { iss: issuer, scope: scopes, aud: audience, exp: issued + 3600, iat: issued };
  const text = `${toBase64Url(JSON.stringify({ alg: 'RS256' }))}.${toBase64Url(JSON.stringify(claims))}`;
  const signature = new Uint8Array(await signRs256(key, text));
  return `${text}.${toUrlAlphabet(btoa(String.fromCharCode(...signature)))}`;
}

function toBase64Url(text: string): string {
  return toUrlAlphabet(toBase64(text));
}

function toUrlAlphabet(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

async function fromUser(host: CredentialHost, content: Content, path: string): Promise<AccessToken> {
  const grant = {
    'grant_type': 'refresh_token',
    'client_id': member(content, 'client_id', path),
    'client_secret': member(content, 'client_secret', path),
    'refresh_token': member(content, 'refresh_token', path),
  };
  const url = typeof content['token_uri'] === 'string' ? content['token_uri'] : tokenUrl;
  return exchange(host, {
    request: formRequest(url, grant),
    source: 'the token endpoint of Google',
    advice: loginAdvice,
  });
}

const loginAdvice = 'run gcloud auth application-default login';

/** The token of the platform, such as one that Kubernetes writes to a file, exchanged for one of Google. */
async function fromWorkload(host: CredentialHost, content: Content, path: string): Promise<AccessToken> {
  const subject = await subjectToken(host, content['credential_source'], path);
  const impersonation = content['service_account_impersonation_url'];
  const grant = {
    'grant_type': 'urn:ietf:params:oauth:grant-type:token-exchange',
    'audience': member(content, 'audience', path),
    'scope': scope,
    'requested_token_type': 'urn:ietf:params:oauth:token-type:access_token',
    'subject_token': subject,
    'subject_token_type': member(content, 'subject_token_type', path),
  };
  const advice = 'check the workload identity pool and its provider';
  const request = formRequest(member(content, 'token_url', path), grant);
  const federated = await exchange(host, { request, source: 'the token exchange of Google', advice });
  return typeof impersonation === 'string' ? impersonate(host, impersonation, federated) : federated;
}

async function subjectToken(host: CredentialHost, source: unknown, path: string): Promise<string> {
  const { file, format } = (source ?? {}) as { readonly file?: unknown; readonly format?: Content };
  if (typeof file !== 'string') throw credentialError(`${path}: only a credential_source with a file is supported`);
  const text = await host.readText(file);
  if (text === undefined) throw credentialError(`${path}: the file of its credential_source does not exist: ${file}`);
  if (format?.['type'] !== 'json') return text.trim();
  const token = parseObject(text)?.[String(format['subject_token_field_name'])];
  if (typeof token === 'string') return token;
  throw credentialError(`${file}: has no ${String(format['subject_token_field_name'])}, which ${path} names`);
}

async function impersonate(host: CredentialHost, url: string, { token }: AccessToken): Promise<AccessToken> {
  const source = 'the service that impersonates accounts of Google';
  const headers = { 'authorization': `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ scope: [scope] });
  const response = await requestToken(host.transport, { method: 'POST', url, headers, body }, { source });
  const json = readTokenJson(response, source, 'grant the role Workload Identity User');
  const { accessToken, expireTime } = json;
  if (typeof accessToken !== 'string') throw credentialError(`${source} gave a response without a token`);
  return { token: accessToken, ...(typeof expireTime === 'string' ? { expiresAt: Date.parse(expireTime) } : {}) };
}

async function fromMetadata(host: CredentialHost): Promise<AccessToken> {
  const server = host.variable('GCE_METADATA_HOST') ?? 'metadata.google.internal';
  const url = `http://${server}/computeMetadata/v1/instance/service-accounts/default/token`;
  const source = 'the metadata server of Google';
  const request = { method: 'GET', url, headers: { 'metadata-flavor': 'Google' } } as const;
  const response = await requestToken(host.direct, request, { source, timeout: 3000 }).catch((error: unknown) => {
    const advice = `set GOOGLE_APPLICATION_CREDENTIALS to a key file, or ${loginAdvice}`;
    throw new SimpleAgentsError('auth', `no Google credentials found; ${advice}`, { cause: error });
  });
  return toToken(readTokenJson(response, source, 'check the service account of the machine'), source, host.now());
}

interface Exchange {
  readonly request: ReturnType<typeof formRequest>;
  readonly source: string;
  readonly advice: string;
}

export async function exchange(host: CredentialHost, { request, source, advice }: Exchange): Promise<AccessToken> {
  const response = await requestToken(host.transport, request, { source });
  return toToken(readTokenJson(response, source, advice), source, host.now());
}

/** A statement with a wrong date is refused. If the server's clock differs, it is made again with the server's date. */
async function withServerDate(host: CredentialHost, make: (now: number) => Promise<Exchange>): Promise<AccessToken> {
  const now = host.now();
  const { request, source, advice } = await make(now);
  let response = await requestToken(host.transport, request, { source });
  const date = Date.parse(response.headers['date'] ?? '');
  if (response.status === 400 && Math.abs(date - now) > 60_000) {
    response = await requestToken(host.transport, (await make(date)).request, { source });
  }
  return toToken(readTokenJson(response, source, advice), source, host.now());
}

export function formRequest(url: string, fields: Readonly<Record<string, string>>) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept': 'application/json' };
  return { method: 'POST', url, headers, body: new URLSearchParams(fields).toString() } as const;
}

/** The lifetime counts from now, so that a wrong clock does not matter. */
export function toToken(json: Content, source: string, now: number): AccessToken {
  const { 'access_token': token, 'expires_in': lifetime } = json;
  if (typeof token !== 'string' || token === '') throw credentialError(`${source} gave a response without a token`);
  const seconds = Number(lifetime);
  return { token, ...(seconds > 0 ? { expiresAt: now + seconds * 1000 } : {}) };
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
