// Our signatures, tokens and event streams are those of the official packages, on 10,000 generated inputs each.

import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, test } from 'node:test';
import { createAssertion } from '../../src/providers/auth/google-credentials.ts';
import { signRequest } from '../../src/providers/auth/signature-v4.ts';
import {
  decodeMessage,
  encodeMessage,
  EventStreamDecoder,
  type EventStreamHeader,
} from '../../src/wire/aws-event-stream.ts';
import { cloudOracles, type CloudOracles } from '../support/cloud-oracles.ts';
import { createSource, type InputSource } from '../support/input-source.ts';

const runs = 10_000;
let oracles: CloudOracles;
before(async () => {
  oracles = await cloudOracles();
});

function randomRequest(source: InputSource) {
  const segments = Array.from({ length: source.below(5) }, () => encodeURIComponent(source.text(12)));
  const end = segments.length > 0 && source.below(4) === 0 ? '/' : '';
  const query = Array.from({ length: source.below(4) }, () => [source.text(6) || 'a', source.text(8)] as const);
  const headers: Record<string, string> = { 'content-type': 'application/json', 'User-Agent': source.text(5) };
  for (let count = source.below(5); count > 0; count--) {
    const name = source.pick(['x-amz-meta', 'X-Custom', 'accept', 'sec-x', 'proxy-x', 'x-amzn-trace-id', 'Te']);
    headers[name] = source.pick(['', ' ', '  ']) + source.text(10).replaceAll('\0', '') + source.pick(['', '  ', '\t']);
  }
  return {
    method: source.pick(['GET', 'POST', 'PUT'] as const),
    path: `/${segments.join('/')}${end}`,
    query,
    headers,
    body: source.below(5) === 0 ? undefined : source.text(200),
  };
}

test('signatures of Amazon', { timeout: 300_000 }, async () => {
  const source = createSource(24);
  for (let run = 0; run < runs; run++) {
    const { method, path, query, headers, body } = randomRequest(source);
    const credentials = {
      accessKeyId: `AKIA${source.below(1e9)}`,
      secretAccessKey: source.text(40),
      ...(source.below(2) === 0 ? {} : { sessionToken: source.text(60).replaceAll(/[\s\0]/g, '') || 'token' }),
    };
    const region = source.pick(['us-east-1', 'eu-central-1', 'cn-north-1']);
    const service = source.pick(['bedrock', 'sts']);
    const date = new Date(source.below(4_000_000_000) * 1000 + source.below(1000));
    const host = source.pick(['bedrock-runtime.us-east-1.amazonaws.com', '127.0.0.1:8443']);
    const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
    const url = `https://${host}${path}${search === '' ? '' : `?${search}`}`;
    const ours = await signRequest(
      { method, url, headers, ...(body === undefined ? {} : { body }) },
      { credentials, region, service, date },
    );
    const grouped: Record<string, string[]> = {};
    for (const [name, value] of query) (grouped[name] ??= []).push(value);
    const signer = new oracles.SignatureV4({ credentials, region, service, sha256: oracles.Sha256 });
    const theirs = await signer.signRequest(
      {
        method,
        protocol: 'https:',
        hostname: host,
        path: new URL(url).pathname,
        query: grouped,
        headers: { ...headers, host },
        body,
      },
      { signingDate: date },
    );
    assert.deepEqual(ours, theirs.headers, `run ${run}: ${method} ${url}`);
  }
});

function randomHeader(source: InputSource): EventStreamHeader {
  const bytes = source.bytes(source.below(40));
  switch (source.below(9)) {
    case 0:
      return { type: 'boolean', value: source.below(2) === 0 };
    case 1:
      return { type: 'byte', value: source.below(256) - 128 };
    case 2:
      return { type: 'short', value: source.below(65_536) - 32_768 };
    case 3:
      return { type: 'integer', value: source.below(4_294_967_296) - 2_147_483_648 };
    case 4:
      return { type: 'long', value: new DataView(source.bytes(8).buffer).getBigInt64(0) };
    case 5:
      return { type: 'binary', value: bytes };
    case 6:
      return { type: 'timestamp', value: new Date(source.below(4_000_000_000) * 1000) };
    case 7:
      return { type: 'uuid', value: toUuid(source.bytes(16)) };
    default:
      return { type: 'string', value: source.text(30) };
  }
}

function toUuid(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** The official packages have a class for 64-bit numbers. */
function toOfficial(header: EventStreamHeader): object {
  if (header.type !== 'long') return header;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, header.value);
  return { type: 'long', value: new oracles.Int64(new Uint8Array(view.buffer)) };
}

test('event streams of Amazon, in both directions and cut anywhere', { timeout: 300_000 }, () => {
  const source = createSource(25);
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const codec = new oracles.EventStreamCodec(
    (bytes) => decoder.decode(bytes),
    (text) => encoder.encode(text),
  );
  for (let run = 0; run < runs; run++) {
    const headers = Object.fromEntries(
      Array.from({ length: source.below(6) }, (_, index) => [`${source.text(8)}${index}`, randomHeader(source)]),
    );
    const payload = source.bytes(source.below(300));
    const official = Object.fromEntries(Object.entries(headers).map(([name, header]) => [name, toOfficial(header)]));
    const theirs = codec.encode({ headers: official, body: payload });
    const ours = encodeMessage({ headers, payload });
    assert.deepEqual(Buffer.from(ours), Buffer.from(theirs), `run ${run}`);
    assert.deepEqual(decodeMessage(theirs), { headers, payload });
    const back = codec.decode(ours);
    assert.deepEqual(Buffer.from(back.body), Buffer.from(payload));
    assert.deepEqual(Object.keys(back.headers), Object.keys(headers));
    const machine = new EventStreamDecoder();
    const cut = source.below(ours.length + 1);
    const read = [...machine.push(ours.subarray(0, cut)), ...machine.push(ours.subarray(cut))];
    assert.deepEqual(read, [{ headers, payload }]);
    assert.equal(machine.isCut, false);
  }
});

test('statements of service accounts of Google', { timeout: 300_000 }, async (context) => {
  const source = createSource(26);
  const keys = Array.from(
    { length: 4 },
    () =>
      generateKeyPairSync('rsa', {
        modulusLength: 2048,
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
        publicKeyEncoding: { type: 'spki', format: 'pem' },
      }).privateKey,
  );
  context.mock.timers.enable({ apis: ['Date'], now: 0 });
  for (let run = 0; run < runs; run++) {
    const now = source.below(4_000_000_000) * 1000 + source.below(1000);
    context.mock.timers.setTime(now);
    const key = source.pick(keys);
    const issuer = source.text(30);
    const scope = source.text(40);
    const theirs = oracles.getJwsSign({ iss: issuer, scope, key });
    const ours = await createAssertion({ issuer, scope, key, now, audience: 'https://oauth2.googleapis.com/token' });
    assert.equal(ours, theirs, `run ${run}`);
  }
});
