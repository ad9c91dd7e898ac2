// Real calls to every provider whose key is set, and to the local ones SIMPLE_AGENTS_LIVE names (`ollama=llama3.2`,
// separated by commas). The others are listed with what they lack. Costs next to nothing, but not nothing.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createClient, SimpleAgentsError, type Client } from '../../src/index.ts';
import { vendors, type VendorRow } from '../../src/providers/vendors.ts';

const named = new Map(
  (process.env['SIMPLE_AGENTS_LIVE'] ?? '').split(',').map((entry): [name: string, model: string | undefined] => {
    const [name = '', model] = entry.trim().split('=');
    return [name, model];
  }),
);
const weather = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
/** 64 by 64 pixels, all red. */
const redSquare =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABAAQMAAACQp+OdAAAAA1BMVEX/AAAZ4gk3AAAAD0lEQVR42mNgGAWjgHwAAAJAAAHgTR1EAAAAAElFTkSuQmCC';
const maxTokens = 1000;

/** What is missing for a call to the vendor. */
function lackOf({ name, keyEnv, needsKey, baseUrl }: VendorRow): string | undefined {
  if (baseUrl === undefined) return 'has no address of its own';
  if (needsKey) return keyEnv !== undefined && process.env[keyEnv] ? undefined : `${keyEnv} is not set`;
  return named.has(name) ? undefined : `needs no key; run it and set SIMPLE_AGENTS_LIVE=${name}=MODEL`;
}

for (const vendor of vendors) {
  const { name, capabilities, needsKey } = vendor;
  const lack = lackOf(vendor);
  describe(vendor.label, { skip: lack ?? false, timeout: 120_000 }, () => exercise());

  function exercise(): void {
    const model = named.get(name) ?? vendor.testModel ?? '';
    const open = (options: object = {}): Client => createClient({ provider: name, model, maxTokens, ...options });

    test('answers', async () => {
      const { text, usage, stopReason } = await open().complete('Reply with the single word: ready');
      assert.match(text, /ready/i);
      assert.equal(stopReason, 'end');
      assert.ok(usage.output > 0);
    });

    test('streams', async () => {
      const stream = open().stream('Count from 1 to 20, separated by commas.');
      let deltas = 0;
      for await (const event of stream) if (event.type === 'text-delta') deltas++;
      assert.ok(deltas > 1);
      assert.match((await stream.final()).text, /19.*20/s);
    });

    test('calls a tool and reads its result', { skip: !capabilities.tools }, async () => {
      const client = open();
      const messages = [{ role: 'user' as const, content: 'What is the weather in Paris? Use the tool.' }];
      const asked = await client.complete({ messages, tools: [weather], toolChoice: 'required' });
      const [call] = asked.toolCalls;
      assert.equal(call?.name, 'get_weather');
      assert.match(JSON.stringify(call?.input), /Paris/);
      const result = [{ type: 'text' as const, text: 'Snow, -3 °C' }];
      const told = await client.complete({
        messages: [
          ...messages,
          { role: 'assistant', content: asked.message.content },
          { role: 'user', content: [{ type: 'tool-result', callId: call?.id ?? '', content: result }] },
        ],
        tools: [weather],
      });
      assert.match(told.text, /snow|3/i);
    });

    test('sees an image', { skip: !capabilities.images || !needsKey }, async () => {
      const source = { kind: 'base64' as const, mediaType: 'image/png', data: redSquare };
      const content = [
        { type: 'image' as const, source },
        { type: 'text' as const, text: 'Which colour is this? One word.' },
      ];
      // A simulated model counts what it is shown.
      assert.match((await open().complete([{ role: 'user', content }])).text, /red|simulated/i);
    });

    test('refuses a wrong key as auth', { skip: !needsKey }, async () => {
      const wrong = open({ apiKey: 'bad-key-0000000000000000' }).complete('hi');
      await assert.rejects(wrong, (error: unknown) => error instanceof SimpleAgentsError && error.kind === 'auth');
    });
  }
}
