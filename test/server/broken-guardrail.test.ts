// A guardrail with a defect, at a server: the client gets no text, and the log says which guardrail failed.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Guardrail } from '../../src/gateway/guardrail/guardrail.ts';
import type { Logger } from '../../src/server/logger.ts';
import { ask, startBoth } from '../support/gateway-server.ts';

const guardrail: Guardrail = {
  name: 'pii',
  filter: { window: 5, find: () => [{ start: 5, end: 2, replacement: '' }] },
};

for (const model of ['openai/m', 'anthropic/m']) {
  for (const stream of [true, false]) {
    test(`${model}, ${stream ? 'a stream' : 'a document'}`, async (context) => {
      const records: object[] = [];
      const called = Promise.withResolvers<void>();
      const log = (record: object): void => {
        records.push(record);
        if ('type' in record && record.type === 'call') called.resolve();
      };
      const logger: Logger = { debug: log, info: log, warn: log, error: log };
      const script = { replies: [{ text: 'the secret text' }] };
      const { post } = await startBoth(context, script, { gateway: { guardrails: [guardrail] }, logger });
      const response = await post('/v1/chat/completions', ask(model, 'go', { stream }));
      const body = await response.text();
      // The beginning of a stream has no text, and is sent at once.
      assert.equal(response.status, stream ? 200 : 500);
      assert.ok(!body.includes('secret') && body.includes('internal error; see the log'), body);
      await called.promise;
      const text = JSON.stringify(records);
      assert.match(text, /"type":"defect".*the guardrail \\"pii\\" returned an invalid result: the start and end/);
      assert.match(text, /"type":"call".*"outcome":"failed".*"kind":"internal"/);
      assert.ok(!text.includes('secret'), text);
    });
  }
}
