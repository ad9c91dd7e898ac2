// The signature of a call to Bedrock, checked by the official signer against what arrives: no transport may change a
// header, the path or the body after it was signed.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';

import { text } from '../../src/core/message.ts';
import { createGateway } from '../../src/node.ts';
import { createFetchTransport, type Transport } from '../../src/providers/remote.ts';
import { createUndiciTransport } from '../../src/transport/lazy-undici.ts';
import { cloudOracles } from '../support/cloud-oracles.ts';

const credentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
  sessionToken: 'IQoJb3JpZ2lu',
};

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

async function listen(context: TestContext, received: Received[]): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      received.push({ request, body });
      response.writeHead(200, { 'content-type': 'application/json' });
      const output = { message: { role: 'assistant', content: [{ text: 'Hi' }] } };
      response.end(JSON.stringify({ output, stopReason: 'end_turn', usage: { inputTokens: 1, outputTokens: 1 } }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** What the official signer makes of the request that arrived. */
async function officialSignature({ request, body }: Received): Promise<string | undefined> {
  const oracles = await cloudOracles();
  const { authorization = '', 'x-amz-date': stamp } = request.headers;
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const headers = Object.fromEntries(names.split(';').map((name) => [name, String(request.headers[name])]));
  const date = String(stamp).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const signer = new oracles.SignatureV4({
    credentials,
    region: 'us-west-2',
    service: 'bedrock',
    sha256: oracles.Sha256,
  });
  const signed = await signer.signRequest(
    { method: 'POST', protocol: 'http:', hostname: '127.0.0.1', path: request.url, query: {}, headers, body },
    { signingDate: new Date(date) },
  );
  return signed.headers['authorization'];
}

const transports: Readonly<Record<string, () => Transport>> = {
  undici: () => createUndiciTransport(),
  fetch: () => createFetchTransport(),
};

for (const [name, create] of Object.entries(transports)) {
  test(`over ${name}`, async (context) => {
    const received: Received[] = [];
    const baseUrl = await listen(context, received);
    const env: Record<string, string> = {
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
      AWS_SESSION_TOKEN: credentials.sessionToken,
    };
    const transport = create();
    const credentialHost = () => ({
      variable: (variable: string) => env[variable],
      readText: () => Promise.resolve(undefined),
      transport,
      direct: transport,
      now: () => Date.now(),
    });
    const provider = { name: 'bedrock', type: 'bedrock', baseUrl, region: 'us-west-2' };
    const gateway = createGateway({ providers: [provider], retry: false }, { transport, credentialHost });
    context.after(() => gateway.close());
    const models = ['amazon.nova-pro-v1:0', 'arn:aws:bedrock:us-west-2:1:inference-profile/us.x y(z)*'];
    for (const model of models) {
      for (const stream of [true, false]) {
        const messages = [{ role: 'user', content: [text('Grüße 😀')] }] as const;
        const answer = await gateway.open(
          { model: `bedrock/${model}`, messages, stream },
          new AbortController().signal,
        );
        for await (const event of answer) assert.ok(event.type);
      }
    }
    assert.equal(received.length, 4);
    for (const call of received) assert.equal(call.request.headers.authorization, await officialSignature(call));
  });
}
