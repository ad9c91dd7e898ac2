// Access tokens of Microsoft Entra for Azure: from the secret of an application, from a workload identity in a file, or from
// the managed identity of the machine.

import { SimpleAgentsError } from '../../core/error.ts';
import { credentialError, readTokenJson, requestToken, type CredentialHost } from './credential-host.ts';
import { exchange, formRequest, toToken, type AccessToken } from './google-credentials.ts';

const resource = 'https://cognitiveservices.azure.com';

export async function loadEntraToken(host: CredentialHost): Promise<AccessToken> {
  const tenant = host.variable('AZURE_TENANT_ID');
  const client = host.variable('AZURE_CLIENT_ID');
  const secret = host.variable('AZURE_CLIENT_SECRET');
  const tokenFile = host.variable('AZURE_FEDERATED_TOKEN_FILE');
  if (tenant !== undefined && client !== undefined && tokenFile !== undefined) {
    return fromApplication(host, { tenant, client, proof: await assertionOf(host, tokenFile) });
  }
  if (secret !== undefined) {
    const missing = [tenant === undefined && 'AZURE_TENANT_ID', client === undefined && 'AZURE_CLIENT_ID'].filter(
      Boolean,
    );
    if (tenant === undefined || client === undefined) {
      throw credentialError(`Azure credentials in the environment are incomplete: set ${missing.join(' and ')}`);
    }
    return fromApplication(host, { tenant, client, proof: { 'client_secret': secret } });
  }
  return fromManagedIdentity(host, client);
}

interface Application {
  readonly tenant: string;
  readonly client: string;
  readonly proof: Readonly<Record<string, string>>;
}

/** The file is rotated, so that it is read each time. */
async function assertionOf(host: CredentialHost, file: string): Promise<Application['proof']> {
  const assertion = (await host.readText(file))?.trim();
  if (assertion === undefined) throw credentialError(`AZURE_FEDERATED_TOKEN_FILE: file not found: ${file}`);
  const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  return { 'client_assertion_type': type, 'client_assertion': assertion };
}

function fromApplication(host: CredentialHost, { tenant, client, proof }: Application): Promise<AccessToken> {
  const authority = (host.variable('AZURE_AUTHORITY_HOST') ?? 'https://login.microsoftonline.com').replace(/\/+$/, '');
  const fields = { 'grant_type': 'client_credentials', 'client_id': client, 'scope': `${resource}/.default`, ...proof };
  const request = formRequest(`${authority}/${encodeURIComponent(tenant)}/oauth2/v2.0/token`, fields);
  const advice = 'check AZURE_TENANT_ID, AZURE_CLIENT_ID and the secret of the application';
  return exchange(host, { request, source: 'Microsoft Entra', advice });
}

/** `client`: the identity to use, if the machine has several. */
async function fromManagedIdentity(host: CredentialHost, client: string | undefined): Promise<AccessToken> {
  const endpoint = host.variable('IDENTITY_ENDPOINT');
  const header = host.variable('IDENTITY_HEADER');
  const own = endpoint !== undefined && header !== undefined;
  const origin = host.variable('AZURE_POD_IDENTITY_AUTHORITY_HOST') ?? 'http://169.254.169.254';
  const url = new URL(own ? endpoint : `${origin}/metadata/identity/oauth2/token`);
  url.searchParams.set('api-version', own ? '2019-08-01' : '2018-02-01');
  url.searchParams.set('resource', resource);
  if (client !== undefined) url.searchParams.set('client_id', client);
  const headers: Record<string, string> = own ? { 'x-identity-header': header } : { metadata: 'true' };
  const source = 'the managed identity of Azure';
  const request = { method: 'GET', url: url.href, headers } as const;
  const response = await requestToken(host.direct, request, { source, timeout: 3000 }).catch((error: unknown) => {
    const advice = 'set AZURE_OPENAI_API_KEY, or AZURE_TENANT_ID, AZURE_CLIENT_ID and AZURE_CLIENT_SECRET';
    throw new SimpleAgentsError('auth', `no Azure credentials found; ${advice}`, { cause: error });
  });
  return toToken(readTokenJson(response, source, 'assign an identity to the machine'), source, host.now());
}
