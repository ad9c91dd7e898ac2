// Credentials for Amazon, from the first source that has some: the environment, a web identity, a profile of the shared
// files, the container, the machine. A source that is configured and fails is an error: no other one is tried, because it
// could belong to another account.

import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { loadProfile, type Profile, type ProfileFiles, readProfileFiles } from './aws-profile.ts';
import { assumeRole, assumeRoleWithWebIdentity } from './aws-role.ts';
import { credentialError, readTokenJson, requestToken, type CredentialHost, type Expiring } from './credential-host.ts';
import type { AwsCredentials } from './signature-v4.ts';

export interface ExpiringAwsCredentials extends AwsCredentials, Expiring {}

export interface AwsSource {
  /** Overrides AWS_PROFILE. */
  readonly profile?: string;
  readonly region: string;
}

export async function loadAwsCredentials(host: CredentialHost, source: AwsSource): Promise<ExpiringAwsCredentials> {
  // A profile that was named explicitly wins over keys in the environment, as in the official SDKs.
  const isNamed = source.profile !== undefined;
  const found =
    (isNamed ? undefined : fromEnvironment(host)) ??
    (isNamed ? undefined : await fromWebIdentity(host, source)) ??
    (await fromProfile(host, source)) ??
    (await fromContainer(host)) ??
    (await fromInstance(host));
  if (found !== undefined) return found;
  const advice = 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_BEARER_TOKEN_BEDROCK, or configure a profile';
  throw new SimpleAgentsError('auth', `no AWS credentials found; ${advice}`);
}

function fromEnvironment(host: CredentialHost): ExpiringAwsCredentials | undefined {
  const accessKeyId = host.variable('AWS_ACCESS_KEY_ID');
  const secretAccessKey = host.variable('AWS_SECRET_ACCESS_KEY');
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = accessKeyId === undefined ? 'AWS_ACCESS_KEY_ID' : 'AWS_SECRET_ACCESS_KEY';
    throw credentialError(`AWS credentials in the environment are incomplete: set ${missing}`);
  }
  const expiration = host.variable('AWS_CREDENTIAL_EXPIRATION');
  return omitUndefined({
    accessKeyId,
    secretAccessKey,
    sessionToken: host.variable('AWS_SESSION_TOKEN'),
    expiresAt: expiration === undefined ? undefined : Date.parse(expiration),
  });
}

async function fromWebIdentity(
  host: CredentialHost,
  { region }: AwsSource,
): Promise<ExpiringAwsCredentials | undefined> {
  const tokenFile = host.variable('AWS_WEB_IDENTITY_TOKEN_FILE');
  const roleArn = host.variable('AWS_ROLE_ARN');
  if (tokenFile === undefined || roleArn === undefined) return undefined;
  return assumeRoleWithWebIdentity(host, {
    roleArn,
    tokenFile,
    region,
    session: host.variable('AWS_ROLE_SESSION_NAME'),
  });
}

async function fromProfile(host: CredentialHost, source: AwsSource): Promise<ExpiringAwsCredentials | undefined> {
  const named = source.profile ?? host.variable('AWS_PROFILE');
  const files = await readProfileFiles(host);
  const name = named ?? 'default';
  const profile = files.profiles[name];
  if (profile === undefined) {
    if (named === undefined) return undefined;
    const known = Object.keys(files.profiles).join(', ') || 'none';
    throw credentialError(`the AWS profile "${name}" is not in ${files.shown}; the profiles are: ${known}`);
  }
  return resolveProfile(host, { name, profile, files, region: source.region, seen: [] }, named !== undefined);
}

interface ResolvingProfile {
  readonly name: string;
  readonly profile: Profile;
  readonly files: ProfileFiles;
  readonly region: string;
  /** The profiles that led to this one. */
  readonly seen: readonly string[];
}

async function resolveProfile(
  host: CredentialHost,
  { name, profile, files, region, seen }: ResolvingProfile,
  isNeeded: boolean,
): Promise<ExpiringAwsCredentials | undefined> {
  const plan = loadProfile(name, profile);
  switch (plan.type) {
    case 'keys':
      return plan.credentials;
    case 'web-identity':
      return assumeRoleWithWebIdentity(host, { ...plan, region: profile['region'] ?? region });
    case 'role': {
      const base = await baseOf(host, { name, profile, files, region, seen }, plan.source);
      return assumeRole(host, { ...plan, region: profile['region'] ?? region, credentials: base });
    }
    case 'unsupported':
      throw credentialError(`the AWS profile "${name}" uses ${plan.feature}, which is not supported; ${plan.advice}`);
    case 'none':
      if (isNeeded)
        throw credentialError(`the AWS profile "${name}" has no credentials; add keys or role_arn to ${files.shown}`);
      return undefined;
  }
}

async function baseOf(
  host: CredentialHost,
  { name, files, region, seen }: ResolvingProfile,
  source: RoleSource,
): Promise<ExpiringAwsCredentials> {
  if (source.type === 'named') {
    const found = await namedSource(host, source.name);
    if (found === undefined)
      throw credentialError(`the AWS profile "${name}": credential_source ${source.name} has no credentials`);
    return found;
  }
  const profile = files.profiles[source.profile];
  if (profile === undefined)
    throw credentialError(`the AWS profile "${name}": its source_profile "${source.profile}" does not exist`);
  // A profile may be its own source, if it has keys as well.
  if (source.profile === name) {
    const { 'role_arn': _role, 'source_profile': _source, ...keys } = profile;
    return (await resolveProfile(host, { name, profile: keys, files, region, seen }, true)) as ExpiringAwsCredentials;
  }
  if (seen.includes(source.profile)) {
    throw credentialError(
      `the AWS profile "${name}": its source_profile leads back to "${source.profile}"; break the circle`,
    );
  }
  const next = { name: source.profile, profile, files, region, seen: [...seen, name] };
  return (await resolveProfile(host, next, true)) as ExpiringAwsCredentials;
}

export type RoleSource =
  | { readonly type: 'profile'; readonly profile: string }
  | { readonly type: 'named'; readonly name: string };

function namedSource(host: CredentialHost, name: string): Promise<ExpiringAwsCredentials | undefined> {
  if (name === 'Environment') return Promise.resolve(fromEnvironment(host));
  if (name === 'EcsContainer') return fromContainer(host);
  if (name === 'Ec2InstanceMetadata') return fromInstance(host);
  throw credentialError(`credential_source ${name} is unknown; use Environment, EcsContainer or Ec2InstanceMetadata`);
}

/** Metadata servers answer at once. A machine that has none must not delay the call for long. */
const metadataTimeout = 2000;

async function fromContainer(host: CredentialHost): Promise<ExpiringAwsCredentials | undefined> {
  const relative = host.variable('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const full = host.variable('AWS_CONTAINER_CREDENTIALS_FULL_URI');
  if (relative === undefined && full === undefined) return undefined;
  const url = relative === undefined ? checkContainerUrl(full ?? '') : `http://169.254.170.2${relative}`;
  const token = await containerToken(host);
  const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: token }) };
  const source = 'the AWS container credentials service';
  const response = await requestToken(
    host.direct,
    { method: 'GET', url, headers },
    { source, timeout: metadataTimeout },
  );
  const json = readTokenJson(response, source, 'check the role of the task or pod');
  return toCredentials(json, source);
}

/** The token is sent only to this machine, unless the connection is encrypted. */
function checkContainerUrl(full: string): string {
  const url = URL.parse(full);
  const isLocal = /^(?:localhost|127(?:\.\d+){3}|\[::1\]|169\.254\.170\.(?:2|23)|\[fd00:ec2::23\])$/.test(
    url?.hostname ?? '',
  );
  if (url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal))) return full;
  throw credentialError('AWS_CONTAINER_CREDENTIALS_FULL_URI must be an https URL or an http URL of this machine');
}

/** The file is rotated, so that it is read each time. */
async function containerToken(host: CredentialHost): Promise<string | undefined> {
  const file = host.variable('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  if (file === undefined) return host.variable('AWS_CONTAINER_AUTHORIZATION_TOKEN');
  const text = await host.readText(file);
  if (text === undefined) throw credentialError(`AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: file not found: ${file}`);
  return text.trim();
}

/** Version 2 of the metadata service: a token first, then the role, then its credentials. */
async function fromInstance(host: CredentialHost): Promise<ExpiringAwsCredentials | undefined> {
  if (host.variable('AWS_EC2_METADATA_DISABLED')?.toLowerCase() === 'true') return undefined;
  const origin = (host.variable('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? 'http://169.254.169.254').replace(/\/$/, '');
  const source = 'the EC2 metadata service';
  const limits = { source, timeout: metadataTimeout };
  const lifetime = { 'x-aws-ec2-metadata-token-ttl-seconds': '21600' };
  const token = await requestToken(
    host.direct,
    { method: 'PUT', url: `${origin}/latest/api/token`, headers: lifetime, body: '' },
    limits,
  ).catch(() => undefined);
  // The machine is not one of Amazon's.
  if (token === undefined || token.status !== 200) return undefined;
  const headers = { 'x-aws-ec2-metadata-token': token.text };
  const path = `${origin}/latest/meta-data/iam/security-credentials/`;
  const role = await requestToken(host.direct, { method: 'GET', url: path, headers }, limits);
  const [name = ''] = role.text.trim().split('\n', 1);
  if (role.status === 404 || name === '') return undefined;
  const response = await requestToken(
    host.direct,
    { method: 'GET', url: `${path}${encodeURIComponent(name)}`, headers },
    limits,
  );
  return toCredentials(readTokenJson(response, source, 'check the role of the instance'), source);
}

function toCredentials(json: Record<string, unknown>, source: string): ExpiringAwsCredentials {
  const {
    AccessKeyId: accessKeyId,
    SecretAccessKey: secretAccessKey,
    Token: sessionToken,
    Expiration: expiration,
  } = json;
  if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string') {
    throw credentialError(`${source} gave a response without a key; check its role`);
  }
  return omitUndefined({
    accessKeyId,
    secretAccessKey,
    sessionToken: typeof sessionToken === 'string' ? sessionToken : undefined,
    expiresAt: typeof expiration === 'string' ? Date.parse(expiration) : undefined,
  });
}
