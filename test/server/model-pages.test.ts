// The list of models in pages, as the official clients of Anthropic and Google read it.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { startGateway } from '../support/gateway-server.ts';

const names = ['a', 'b', 'c', 'd', 'e'];
const version = { 'anthropic-version': '2023-06-01' };

interface Body extends Readonly<Record<string, unknown>> {
  readonly data?: readonly { readonly id: string }[];
  readonly models?: readonly { readonly displayName: string }[];
  readonly nextPageToken?: string;
  readonly error?: { readonly param: string };
}

/** A gateway with five models. */
async function start(context: TestContext) {
  const models = names.map((name) => ({ id: `p/m-${name}`, provider: 'p' }));
  const gateway = await startGateway(context, 'http://127.0.0.1:9', { models: () => Promise.resolve(models) });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(gateway.url + path, { headers });
    return { status: response.status, body: (await response.json()) as Body };
  };
  return { ...gateway, get };
}

const ids = ({ data = [] }: Body): string => data.map(({ id }) => id.slice(-1)).join('');

describe('the list of models', () => {
  test('is read in pages by the client of Anthropic', async (context) => {
    const { anthropic } = await start(context);
    for (const limit of [1, 2, 3, 5, 9]) {
      const found: string[] = [];
      let pages = 0;
      let page = await anthropic.models.list({ limit });
      for (;;) {
        pages++;
        found.push(...page.data.map(({ id }) => id.slice(-1)));
        if (!page.hasNextPage()) break;
        page = await page.getNextPage();
      }
      assert.deepEqual(found, names);
      assert.equal(pages, Math.ceil(names.length / limit));
    }
  });

  test('is read backwards with `before_id`', async (context) => {
    const { get } = await start(context);
    const read = async (query: string) => {
      const { body } = await get(`/v1/models?${query}`, version);
      return [ids(body), body['has_more'], body['first_id'], body['last_id']];
    };
    assert.deepEqual(await read('before_id=p/m-d&limit=2'), ['bc', true, 'p/m-b', 'p/m-c']);
    assert.deepEqual(await read('before_id=p/m-b&limit=2'), ['a', false, 'p/m-a', 'p/m-a']);
    assert.deepEqual(await read('after_id=p/m-e'), ['', false, null, null]);
    assert.deepEqual(await read(''), ['abcde', false, 'p/m-a', 'p/m-e']);
  });

  test('is read in pages by clients of Google', async (context) => {
    const { get } = await start(context);
    const found: string[] = [];
    let token: string | undefined = '';
    for (let pages = 0; token !== undefined; pages++) {
      assert.ok(pages < names.length);
      const { body } = await get(`/v1beta/models?pageSize=2&pageToken=${encodeURIComponent(token)}`);
      found.push(...(body.models ?? []).map(({ displayName }) => displayName.slice(-1)));
      token = body.nextPageToken;
    }
    assert.deepEqual(found, names);
    const all = await get('/v1beta/models?pageSize=0');
    assert.deepEqual([all.body.models?.length, all.body.nextPageToken], [names.length, undefined]);
    assert.equal((await get('/v1beta/models?pageSize=5000')).body.models?.length, names.length);
  });

  test('is limited for clients of OpenAI too', async (context) => {
    const { get } = await start(context);
    const { body } = await get('/v1/models?limit=2');
    assert.deepEqual([ids(body), body['has_more']], ['ab', true]);
  });

  test('is refused with the name of a wrong parameter', async (context) => {
    const { get } = await start(context);
    for (const query of ['limit=0', 'limit=x', 'limit=1001', 'limit=-1', 'limit=', 'after_id=nobody', 'before_id=x']) {
      const { status, body } = await get(`/v1/models?${query}`);
      assert.deepEqual([status, body.error?.param], [400, query.split('=')[0]], query);
    }
    assert.equal((await get('/v1beta/models?pageToken=nobody')).status, 400);
    assert.equal((await get('/v1beta/models?pageSize=many')).status, 400);
  });
});
