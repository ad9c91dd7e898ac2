// `drop_fields`: fields that the models of a provider do not accept are left out and named, instead of an error.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';

import { parseConfig } from '../../src/config/file-tier.ts';
import { ask, startGateway, startSimulated } from '../support/gateway-server.ts';

const chat = '/v1/chat/completions';
const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

const types = {
  openai: { type: 'openai', path: '/v1' },
  responses: { type: 'openai', wire: 'openai-responses', path: '/v1' },
  anthropic: { type: 'anthropic', path: '' },
  google: { type: 'google', path: '' },
} as const;

async function start(context: TestContext, dropFields: readonly string[]) {
  const upstream = await startSimulated(context);
  const providers = Object.entries(types).map(([name, { path, ...type }]) => ({
    name,
    ...type,
    apiKey: 'k',
    baseUrl: upstream.url + path,
    dropFields,
  }));
  const aliases = { both: { targets: ['responses/simulated', 'openai/simulated'] } };
  return { upstream, ...(await startGateway(context, upstream.url, { gateway: { providers, aliases } })) };
}

const droppedBy = (response: Response): string | null => response.headers.get('x-simple-agents-dropped');

describe('fields that a provider drops', () => {
  for (const name of Object.keys(types)) {
    test(`do not reach ${name}, and are named`, async (context) => {
      const dropFields = ['stop', 'logprobs', 'top_logprobs', 'n', 'logit_bias', 'seed'];
      const { upstream, post } = await start(context, dropFields);
      const fields = { stop: ['END'], logprobs: true, top_logprobs: 5, n: 2, logit_bias: { '1': 1 }, seed: 7 };
      for (const stream of [false, true]) {
        const response = await post(chat, ask(`${name}/simulated`, 'Count to 5', { ...fields, stream }));
        assert.equal(response.status, 200, await response.text());
        assert.deepEqual(droppedBy(response)?.split(', ').toSorted(), [...dropFields].toSorted());
        const sent = JSON.stringify(upstream.requests.at(-1)?.body);
        assert.doesNotMatch(sent, /END|logprobs|logit_bias|seed|"n"/);
      }
    });
  }

  test('are refused without the setting', async (context) => {
    const { post } = await start(context, ['logit_bias']);
    for (const [model, fields] of [
      ['anthropic/simulated', { logprobs: true }],
      ['responses/simulated', { stop: ['END'] }],
    ] as const) {
      assert.equal((await post(chat, ask(model, 'Hello', fields))).status, 400);
    }
  });

  test('are named as in the format of the client, and only if they were set', async (context) => {
    const { post } = await start(context, ['stop', 'top_k', 'logprobs']);
    const body = ask('responses/simulated', 'Hello', { stop_sequences: ['END'], top_k: 3 });
    assert.deepEqual(
      droppedBy(await post('/v1/messages', body))
        ?.split(', ')
        .toSorted(),
      ['stop_sequences', 'top_k'],
    );
    assert.equal(droppedBy(await post(chat, ask('openai/simulated', 'Hello', { logprobs: false }))), null);
  });

  test('leave a response with a schema to healing', async (context) => {
    const { post } = await start(context, ['logprobs', 'top_logprobs']);
    const format = { type: 'json_schema', json_schema: { name: 'person', schema } };
    const asked = ask('anthropic/simulated', 'Invent a person', { response_format: format, logprobs: true });
    const response = await post(chat, asked);
    const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
    assert.equal(typeof JSON.parse(choices[0]?.message.content ?? '').name, 'string');
    assert.equal(droppedBy(response), 'logprobs');
  });

  test('do not make a target unable', async (context) => {
    const { post } = await start(context, ['stop']);
    const response = await post(chat, ask('both', 'Hello', { stop: ['END'] }));
    assert.equal(response.headers.get('x-simple-agents-target'), 'responses');
    assert.equal(droppedBy(response), 'stop');
  });
});

function settingsOf(fields: string): Promise<unknown> {
  return parseConfig(`[[providers]]\ntype = "ollama"\ndrop_fields = ${fields}\n`, 'simple-agents.toml');
}

test('the setting names a field that can be left out', async () => {
  await settingsOf('["stop", "logprobs", "top_logprobs", "suffix", "generationConfig.topK"]');
  await assert.rejects(settingsOf('["stopp"]'), { kind: 'configuration', message: /"stopp".*did you mean "stop"/ });
  await assert.rejects(settingsOf('["messages"]'), {
    kind: 'configuration',
    message: /not a field that can be left out/,
  });
});
