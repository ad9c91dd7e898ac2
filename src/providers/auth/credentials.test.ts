// Cloud credentials: every source, what is reported when one is missing or wrong, and how credentials are renewed.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, test } from 'node:test';
import { failsWith } from '../../../test/support/fails-with.ts';
import { fakeCredentialHost } from '../../../test/support/credential-host.ts';
import { loadAwsCredentials } from './aws-credentials.ts';
import { loadAwsRegion } from './aws-region.ts';
import { CredentialCache } from './credential-cache.ts';
import { loadEntraToken } from './entra-credentials.ts';
import { loadGoogleToken } from './google-credentials.ts';
import { createSigner } from './request-signer.ts';

const region = 'eu-central-1';
const keys = { accessKeyId: 'AKIA', secretAccessKey: 'secret' };
const tick = () => new Promise((resolve) => void setImmediate(resolve));

describe('a cached credential', () => {
  const start = 1_000_000;
  function cacheOf(lifetime = 3_600_000) {
    const state = { now: start, loads: 0, failure: undefined as Error | undefined, gate: Promise.resolve() };
    const cache = new CredentialCache(
      async () => {
        state.loads++;
        await state.gate;
        if (state.failure !== undefined) throw state.failure;
        return { id: state.loads, expiresAt: state.now + lifetime };
      },
      { now: () => state.now },
    );
    return { state, cache };
  }

  test('is loaded once for many calls', async () => {
    const { state, cache } = cacheOf();
    const all = await Promise.all(Array.from({ length: 1000 }, () => cache.get()));
    assert.equal(state.loads, 1);
    assert.ok(all.every(({ id }) => id === 1));
  });

  test('is renewed ahead of its end, while calls use the old one', async () => {
    const { state, cache } = cacheOf();
    await cache.get();
    state.now += 3_600_000 - 299_000;
    const gate = Promise.withResolvers<void>();
    state.gate = gate.promise;
    const all = await Promise.all(Array.from({ length: 100 }, () => cache.get()));
    assert.ok(all.every(({ id }) => id === 1));
    assert.equal(state.loads, 2);
    gate.resolve();
    await tick();
    assert.equal((await cache.get()).id, 2);
  });

  test('is used to its end when its source fails, and the source is not asked at every call', async () => {
    const { state, cache } = cacheOf();
    await cache.get();
    state.failure = new Error('source is down');
    state.now += 3_600_000 - 200_000;
    for (let call = 0; call < 50; call++) {
      assert.equal((await cache.get()).id, 1);
      await tick();
      state.now += 1000;
    }
    assert.equal(state.loads, 3);
    state.now += 200_000;
    await assert.rejects(cache.get(), /source is down/);
    state.failure = undefined;
    assert.equal((await cache.get()).id, state.loads);
  });

  test('that looks expired when it is loaded is used, because the clock may be wrong', async () => {
    const { state, cache } = cacheOf(-7_200_000);
    assert.equal((await cache.get()).id, 1);
    state.now += 1000;
    assert.equal((await cache.get()).id, 1);
  });

  test('is replaced after a refusal, unless another call has done so', async () => {
    const { state, cache } = cacheOf();
    const refused = await cache.get();
    assert.equal(await cache.replace(refused), false);
    assert.equal(state.loads, 1);
    state.now += 10_000;
    assert.deepEqual(await Promise.all([cache.replace(refused), cache.replace(refused)]), [true, true]);
    assert.equal(state.loads, 2);
    assert.equal(await cache.replace(refused), true);
    assert.equal(state.loads, 2);
  });
});

/** The file of keys, with what else may be in it. */
const keyFile = (key: string) =>
  `# keys\n[default]\naws_access_key_id=no\n\n[work]\naws_access_key_id = ${key}\r\naws_secret_access_key=secret ; mine\n`;

describe('AWS credentials', () => {
  test('come from the environment', async () => {
    const host = fakeCredentialHost({
      AWS_ACCESS_KEY_ID: 'AKIA',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_SESSION_TOKEN: 't',
    });
    assert.deepEqual(await loadAwsCredentials(host, { region }), { ...keys, sessionToken: 't' });
    delete host.env['AWS_SECRET_ACCESS_KEY'];
    await assert.rejects(
      loadAwsCredentials(host, { region }),
      failsWith('auth', /incomplete: set AWS_SECRET_ACCESS_KEY/),
    );
  });

  test('come from a profile, whose files are read again', async () => {
    const host = fakeCredentialHost({ AWS_PROFILE: 'work' });
    host.files['/home/u/.aws/credentials'] = keyFile('AKIA');
    host.files['/home/u/.aws/config'] =
      '[profile work]\nregion = us-west-2\ns3 =\n  max = 1\n[sso-session x]\nregion = no\n';
    assert.deepEqual(await loadAwsCredentials(host, { region }), keys);
    assert.equal(await loadAwsRegion(host), 'us-west-2');
    host.files['/home/u/.aws/credentials'] = keyFile('NEW');
    assert.equal((await loadAwsCredentials(host, { region })).accessKeyId, 'NEW');
    host.env['AWS_PROFILE'] = 'wrk';
    const message =
      /the AWS profile "wrk" is not in \/home\/u\/\.aws\/credentials and .*; the profiles are: work, default/;
    await assert.rejects(loadAwsCredentials(host, { region }), failsWith('auth', message));
  });

  test('come from a role of a source profile, in a chain', async () => {
    const host = fakeCredentialHost({ AWS_PROFILE: 'top', AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:1' });
    host.files['/home/u/.aws/config'] = `[profile top]\nrole_arn = arn:top\nsource_profile = middle\nexternal_id = e\n
[profile middle]\nrole_arn = arn:middle\nsource_profile = base\n[profile base]\naws_access_key_id=AKIA\naws_secret_access_key=secret`;
    host.respond = ({ body = '' }) => {
      const role = new URLSearchParams(body).get('RoleArn');
      return {
        body: `<R><Credentials><AccessKeyId>${role}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken><Expiration>2026-11-18T01:00:00Z</Expiration></Credentials></R>`,
      };
    };
    const found = await loadAwsCredentials(host, { region });
    assert.deepEqual(found, {
      accessKeyId: 'arn:top',
      secretAccessKey: 's',
      sessionToken: 't',
      expiresAt: Date.UTC(2026, 10, 18, 1),
    });
    assert.match(host.requests[0]?.headers['authorization'] ?? '', /Credential=AKIA\/20261118\/eu-central-1\/sts/);
    assert.match(host.requests[1]?.headers['authorization'] ?? '', /Credential=arn:middle\//);
    assert.match(host.requests[1]?.body ?? '', /ExternalId=e/);
    host.respond = () => ({
      status: 403,
      body: '<Error><Code>AccessDenied</Code><Message>no &amp; never</Message></Error>',
    });
    await assert.rejects(
      loadAwsCredentials(host, { region }),
      failsWith('auth', /for arn:middle \(status 403, AccessDenied, no & never\); check the trust/),
    );
    host.files['/home/u/.aws/config'] =
      '[profile top]\nrole_arn=a\nsource_profile=b\n[profile b]\nrole_arn=b\nsource_profile=top';
    await assert.rejects(
      loadAwsCredentials(host, { region }),
      failsWith('auth', /leads back to "top"; break the circle/),
    );
  });

  test('of a kind that is not supported say what to do', async () => {
    for (const setting of ['credential_process = /bin/x', 'sso_session = s', 'sso_start_url = s']) {
      const host = fakeCredentialHost();
      host.files['/home/u/.aws/config'] = `[default]\n${setting}`;
      await assert.rejects(
        loadAwsCredentials(host, { region }),
        failsWith('auth', /not supported; run eval "\$\(aws configure export-credentials/),
      );
    }
  });

  test('come from a web identity, whose file is read again', async () => {
    const host = fakeCredentialHost({
      AWS_WEB_IDENTITY_TOKEN_FILE: '/token',
      AWS_ROLE_ARN: 'arn:r',
      AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:1',
    });
    await assert.rejects(loadAwsCredentials(host, { region }), failsWith('auth', /does not exist: \/token/));
    host.respond = ({ body = '', headers }) => {
      assert.equal(headers['authorization'], undefined);
      const token = new URLSearchParams(body).get('WebIdentityToken');
      return {
        body: `<AccessKeyId>${token}</AccessKeyId><SecretAccessKey>s</SecretAccessKey><SessionToken>t</SessionToken>`,
      };
    };
    for (const token of ['one', 'two']) {
      host.files['/token'] = `${token}\n`;
      assert.equal((await loadAwsCredentials(host, { region })).accessKeyId, token);
    }
  });

  test('come from the container, and its token goes nowhere else', async () => {
    const host = fakeCredentialHost({
      AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:1/c',
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/t',
    });
    host.files['/t'] = 'first\n';
    host.respond = ({ headers }) => ({
      body: {
        AccessKeyId: headers['authorization'],
        SecretAccessKey: 's',
        Token: 't',
        Expiration: '2026-11-18T06:00:00Z',
      },
    });
    assert.deepEqual(await loadAwsCredentials(host, { region }), {
      accessKeyId: 'first',
      secretAccessKey: 's',
      sessionToken: 't',
      expiresAt: Date.UTC(2026, 10, 18, 6),
    });
    host.env['AWS_CONTAINER_CREDENTIALS_FULL_URI'] = 'http://evil.example/c';
    await assert.rejects(
      loadAwsCredentials(host, { region }),
      failsWith('auth', /must be an https URL or an http URL of this machine/),
    );
    assert.equal(host.requests.length, 1);
  });

  test('come from the machine, with version 2 of its metadata', async () => {
    const host = fakeCredentialHost({ AWS_EC2_METADATA_SERVICE_ENDPOINT: 'http://127.0.0.1:1' });
    host.respond = ({ method, url, headers }) => {
      if (method === 'PUT') return { body: 'metadata-token' };
      assert.equal(headers['x-aws-ec2-metadata-token'], 'metadata-token');
      return {
        body: url.endsWith('/security-credentials/')
          ? 'my-role\n'
          : { AccessKeyId: 'AKIA', SecretAccessKey: 'secret', Token: 't' },
      };
    };
    assert.deepEqual(await loadAwsCredentials(host, { region }), { ...keys, sessionToken: 't' });
    assert.match(host.requests[2]?.url ?? '', /security-credentials\/my-role$/);
    host.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    await assert.rejects(
      loadAwsCredentials(host, { region }),
      failsWith('auth', /^no AWS credentials found; set AWS_ACCESS_KEY_ID/),
    );
  });
});

const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  publicKeyEncoding: { type: 'spki', format: 'pem' },
});
const account = {
  type: 'service_account',
  client_email: 'a@b.example',
  private_key: privateKey,
  token_uri: 'http://127.0.0.1:1/token',
};

function claimsOf(body = ''): { iat: number; exp: number; iss: string; aud: string } {
  const [, payload = ''] = new URLSearchParams(body).get('assertion')?.split('.') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as ReturnType<typeof claimsOf>;
}

describe('Google tokens', () => {
  const env = { GOOGLE_APPLICATION_CREDENTIALS: '/key.json' };

  test('come from the key of a service account', async () => {
    const host = fakeCredentialHost(env, () => ({ body: { access_token: 'ya29', expires_in: 3599 } }));
    host.files['/key.json'] = JSON.stringify(account);
    assert.deepEqual(await loadGoogleToken(host), { token: 'ya29', expiresAt: host.date + 3_599_000 });
    const { iat, exp, iss, aud } = claimsOf(host.requests[0]?.body);
    assert.deepEqual(
      [iat, exp, iss, aud],
      [host.date / 1000, host.date / 1000 + 3600, 'a@b.example', account.token_uri],
    );
  });

  test('are requested again with the date of the server if the clock is wrong', async () => {
    const right = Date.UTC(2026, 10, 18, 12);
    const host = fakeCredentialHost(env, ({ body }) => {
      if (claimsOf(body).iat * 1000 === right) return { body: { access_token: 'ya29', expires_in: 3600 } };
      return {
        status: 400,
        headers: { date: new Date(right).toUTCString() },
        body: { error: 'invalid_grant', error_description: 'Token must be a short-lived token' },
      };
    });
    host.files['/key.json'] = JSON.stringify(account);
    assert.equal((await loadGoogleToken(host)).token, 'ya29');
  });

  test('that are refused name the reason, and never the key', async () => {
    const host = fakeCredentialHost(env, () => ({
      status: 400,
      body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
    }));
    host.files['/key.json'] = JSON.stringify(account);
    await assert.rejects(
      loadGoogleToken(host),
      failsWith(
        'auth',
        /\(a@b\.example\) gave no credential \(status 400, invalid_grant, Invalid JWT Signature\.\); check that the key exists/,
      ),
    );
    host.respond = () => ({ status: 503, body: '' });
    await assert.rejects(loadGoogleToken(host), failsWith('upstream', /status 503/));
    host.respond = () => undefined;
    await assert.rejects(loadGoogleToken(host), failsWith('network', /cannot be reached: connection refused/));
    const wrong: readonly (readonly [string | undefined, RegExp])[] = [
      [undefined, /GOOGLE_APPLICATION_CREDENTIALS: file not found: \/key\.json/],
      ['{', /\/key\.json: is not JSON/],
      ['{"type":"gdch"}', /type "gdch" are not supported/],
      ['{"type":"service_account"}', /has no client_email/],
      [JSON.stringify({ ...account, private_key: 'SECRET' }), /the private_key cannot be used: is not a PKCS #8 key/],
    ];
    for (const [text, message] of wrong) {
      if (text === undefined) delete host.files['/key.json'];
      else host.files['/key.json'] = text;
      await assert.rejects(loadGoogleToken(host), (error: unknown) => {
        assert.doesNotMatch(String(error), /SECRET|-----/);
        return failsWith('auth', message)(error);
      });
    }
  });

  test('come from a workload identity in a file, with an account to act as', async () => {
    const host = fakeCredentialHost(env, ({ url, body = '', headers }) => {
      if (url.endsWith('/sts')) {
        const form = new URLSearchParams(body);
        assert.equal(form.get('grant_type'), 'urn:ietf:params:oauth:grant-type:token-exchange');
        return { body: { access_token: `fed-${form.get('subject_token')}`, expires_in: 600 } };
      }
      return { body: { accessToken: `as-${headers['authorization']}`, expireTime: '2026-11-18T01:00:00Z' } };
    });
    const identity = {
      type: 'external_account',
      audience: '//iam',
      subject_token_type: 'urn:jwt',
      token_url: 'http://127.0.0.1:1/sts',
      credential_source: { file: '/t' },
    };
    host.files['/key.json'] = JSON.stringify(identity);
    host.files['/t'] = 'one\n';
    assert.equal((await loadGoogleToken(host)).token, 'fed-one');
    host.files['/t'] = '{"id":"two"}';
    const source = { file: '/t', format: { type: 'json', subject_token_field_name: 'id' } };
    host.files['/key.json'] = JSON.stringify({
      ...identity,
      credential_source: source,
      service_account_impersonation_url: 'http://127.0.0.1:1/as',
    });
    assert.deepEqual(await loadGoogleToken(host), { token: 'as-Bearer fed-two', expiresAt: Date.UTC(2026, 10, 18, 1) });
  });

  test('come from a login, else from the metadata server', async () => {
    const host = fakeCredentialHost({}, ({ url, headers }) => {
      const isMetadata = headers['metadata-flavor'] === 'Google';
      return { body: { access_token: isMetadata ? url : 'user', expires_in: 100 } };
    });
    host.env['GCE_METADATA_HOST'] = '127.0.0.1:1';
    assert.match(
      (await loadGoogleToken(host)).token,
      /^http:\/\/127\.0\.0\.1:1\/computeMetadata\/v1\/instance\/service-accounts\/default\/token$/,
    );
    host.files['/home/u/.config/gcloud/application_default_credentials.json'] = JSON.stringify({
      type: 'authorized_user',
      client_id: 'c',
      client_secret: 's',
      refresh_token: 'r',
    });
    assert.equal((await loadGoogleToken(host)).token, 'user');
    const empty = fakeCredentialHost();
    await assert.rejects(
      loadGoogleToken(empty),
      failsWith('auth', /^no Google credentials found; set GOOGLE_APPLICATION_CREDENTIALS/),
    );
  });
});

describe('Entra tokens', () => {
  const application = {
    AZURE_TENANT_ID: 'tenant',
    AZURE_CLIENT_ID: 'client',
    AZURE_AUTHORITY_HOST: 'http://127.0.0.1:1/',
  };

  test('come from the secret of an application', async () => {
    const host = fakeCredentialHost({ ...application, AZURE_CLIENT_SECRET: 'secret' }, ({ url, body = '' }) => {
      assert.equal(url, 'http://127.0.0.1:1/tenant/oauth2/v2.0/token');
      assert.equal(new URLSearchParams(body).get('scope'), 'https://cognitiveservices.azure.com/.default');
      return { body: { access_token: 'eyJ', expires_in: 3600 } };
    });
    assert.deepEqual(await loadEntraToken(host), { token: 'eyJ', expiresAt: host.date + 3_600_000 });
    host.respond = () => ({
      status: 401,
      body: { error: 'invalid_client', error_description: 'AADSTS7000222: expired' },
    });
    await assert.rejects(
      loadEntraToken(host),
      failsWith(
        'auth',
        /Microsoft Entra gave no credential \(status 401, invalid_client, AADSTS7000222: expired\); check AZURE/,
      ),
    );
    delete host.env['AZURE_TENANT_ID'];
    await assert.rejects(loadEntraToken(host), failsWith('auth', /incomplete: set AZURE_TENANT_ID/));
  });

  test('come from a workload identity, whose file is read again', async () => {
    const host = fakeCredentialHost({ ...application, AZURE_FEDERATED_TOKEN_FILE: '/t' }, ({ body = '' }) => ({
      body: { access_token: new URLSearchParams(body).get('client_assertion'), expires_in: 10 },
    }));
    for (const token of ['one', 'two']) {
      host.files['/t'] = token;
      assert.equal((await loadEntraToken(host)).token, token);
    }
  });

  test('come from the managed identity', async () => {
    const host = fakeCredentialHost(
      { AZURE_POD_IDENTITY_AUTHORITY_HOST: 'http://127.0.0.1:1' },
      ({ url, headers }) => ({
        body: { access_token: `${headers['metadata'] ?? headers['x-identity-header']} ${url}`, expires_in: '86399' },
      }),
    );
    const { token, expiresAt } = await loadEntraToken(host);
    assert.match(
      token,
      /^true http:\/\/127\.0\.0\.1:1\/metadata\/identity\/oauth2\/token\?api-version=2018-02-01&resource=/,
    );
    assert.equal(expiresAt, host.date + 86_399_000);
    Object.assign(host.env, {
      IDENTITY_ENDPOINT: 'http://127.0.0.1:1/msi',
      IDENTITY_HEADER: 'h',
      AZURE_CLIENT_ID: 'c',
    });
    assert.match(
      (await loadEntraToken(host)).token,
      /^h http:\/\/127\.0\.0\.1:1\/msi\?api-version=2019-08-01&.*client_id=c$/,
    );
    await assert.rejects(
      loadEntraToken(fakeCredentialHost()),
      failsWith('auth', /^no Azure credentials found; set AZURE_OPENAI_API_KEY/),
    );
  });
});

describe('a signer', () => {
  const request = { method: 'POST', url: 'http://127.0.0.1:1/m', headers: { accept: '*/*' }, body: '{}' } as const;
  const env = { AWS_ACCESS_KEY_ID: 'AKIA', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: region };

  test('corrects a wrong clock from the date of a refusal', async () => {
    const host = fakeCredentialHost(env);
    const signer = createSigner('aws', host);
    assert.equal((await signer.sign(request))['x-amz-date'], '20261118T000000Z');
    const refusal = { status: 403, headers: { date: 'Wed, 18 Nov 2026 03:00:00 GMT' } };
    assert.equal(await signer.renew(refusal), true);
    assert.equal((await signer.sign(request))['x-amz-date'], '20261118T030000Z');
    assert.equal(await signer.renew(refusal), false);
    assert.equal(await signer.renew({ status: 429, headers: {} }), false);
  });

  test('uses rotated keys after a refusal', async () => {
    const host = fakeCredentialHost(env);
    const signer = createSigner('aws', host);
    await signer.sign(request);
    assert.equal(await signer.renew({ status: 403, headers: {} }), false);
    host.env['AWS_ACCESS_KEY_ID'] = 'NEW';
    host.date += 10_000;
    assert.equal(await signer.renew({ status: 403, headers: {} }), true);
    assert.match((await signer.sign(request))['authorization'] ?? '', /Credential=NEW\//);
  });

  test('needs a region', async () => {
    const { AWS_REGION: _region, ...without } = env;
    await assert.rejects(
      createSigner('aws', fakeCredentialHost(without)).sign(request),
      failsWith('configuration', /no AWS region found; set AWS_REGION/),
    );
  });
});
