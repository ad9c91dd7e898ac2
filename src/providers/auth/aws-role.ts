// Credentials of a role, from Amazon's Security Token Service: for other credentials, or for the token of a web identity.

import type { ExpiringAwsCredentials } from './aws-credentials.ts';
import { credentialError, requestToken, type CredentialHost, type TokenResponse } from './credential-host.ts';
import { signRequest, type AwsCredentials } from './signature-v4.ts';

export interface RoleRequest {
  readonly roleArn: string;
  readonly region: string;
  readonly session?: string | undefined;
  readonly externalId?: string;
  /** In seconds. */
  readonly duration?: string;
}

export async function assumeRole(
  host: CredentialHost,
  { credentials, ...role }: RoleRequest & { readonly credentials: AwsCredentials },
): Promise<ExpiringAwsCredentials> {
  const request = requestFor(host, 'AssumeRole', role, {});
  const date = new Date(host.now());
  const headers = await signRequest(request, { credentials, region: role.region, service: 'sts', date });
  const { host: _host, ...sent } = headers;
  return readRole(await requestToken(host.transport, { ...request, headers: sent }, { source }), role.roleArn);
}

/** The file is rotated, so that it is read each time. */
export async function assumeRoleWithWebIdentity(
  host: CredentialHost,
  { tokenFile, ...role }: RoleRequest & { readonly tokenFile: string },
): Promise<ExpiringAwsCredentials> {
  const token = (await host.readText(tokenFile))?.trim();
  if (token === undefined) throw credentialError(`the file with the web identity token does not exist: ${tokenFile}`);
  const request = requestFor(host, 'AssumeRoleWithWebIdentity', role, { WebIdentityToken: token });
  return readRole(await requestToken(host.transport, request, { source }), role.roleArn);
}

const source = 'the AWS Security Token Service';

function requestFor(
  host: CredentialHost,
  action: string,
  { roleArn, region, session = 'simple-agents', externalId, duration }: RoleRequest,
  more: Readonly<Record<string, string>>,
) {
  const fields = {
    Action: action,
    Version: '2011-06-15',
    RoleArn: roleArn,
    RoleSessionName: session,
    ...(externalId === undefined ? {} : { ExternalId: externalId }),
    ...(duration === undefined ? {} : { DurationSeconds: duration }),
    ...more,
  };
  const url = host.variable('AWS_ENDPOINT_URL_STS') ?? `https://sts.${region}.${domainOf(region)}`;
  return {
    method: 'POST',
    url: new URL('/', url).href,
    headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'accept': 'text/xml' },
    body: new URLSearchParams(fields).toString(),
  } as const;
}

export function domainOf(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

function readRole({ status, text }: TokenResponse, roleArn: string): ExpiringAwsCredentials {
  const accessKeyId = element(text, 'AccessKeyId');
  const secretAccessKey = element(text, 'SecretAccessKey');
  const sessionToken = element(text, 'SessionToken');
  if (status === 200 && accessKeyId !== undefined && secretAccessKey !== undefined && sessionToken !== undefined) {
    const expiration = element(text, 'Expiration');
    return {
      accessKeyId,
      secretAccessKey,
      sessionToken,
      ...(expiration === undefined ? {} : { expiresAt: Date.parse(expiration) }),
    };
  }
  const reason = [`status ${status}`, element(text, 'Code'), element(text, 'Message')].filter(
    (part) => part !== undefined,
  );
  const advice = 'check the trust policy of the role';
  throw credentialError(`${source} gave no credentials for ${roleArn} (${reason.join(', ')}); ${advice}`, status);
}

/** The text of the first element with this name. The values are keys and dates, which contain only simple escapes. */
function element(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text
    ?.replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim();
}
