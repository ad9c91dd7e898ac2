// A client whose file is edited during calls, over real HTTP: no call is lost, and an invalid file changes nothing.

import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SimpleAgentsError } from '../../src/core/error.ts';
import { createClient, type Client, type ClientOptions } from '../../src/index.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { failsWith } from '../support/fails-with.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const slow = { match: { contains: 'slow' }, text: 'one two three four five six', fault: { slow: 40 } };

async function answers(client: Client, model: string): Promise<void> {
  while ((await client.complete('Hello')).model !== model) await sleep(10);
}

const keyVariable = 'RELOAD_TEST_KEY';

describe('a file that changes', () => {
  let server: SimulateServer;
  before(
    async () => (server = await createSimulateServer({ port: 0, script: { otherwise: 'reply', replies: [slow] } })),
  );
  before(() => (process.env[keyVariable] = 'any'));
  after(() => delete process.env[keyVariable]);
  after(() => server.close());

  const textFor = (model: string) =>
    `[client]\ndefault_model = "here/${model}"\n[[providers]]\nname = "here"\ntype = "openai-compatible"\nbase_url = "${server.url}/v1"\napi_key_env = "${keyVariable}"\n`;

  function start(context: TestContext, options: ClientOptions = {}) {
    const config = join(temporaryFolder().path, 'f.toml');
    writeFileSync(config, textFor('first'));
    const client = createClient({ config, ...options });
    context.after(() => client.close());
    return { client, config };
  }

  test('applies to the next call, and calls in progress keep the old settings', async (context) => {
    const { client, config } = start(context, { watch: true });
    const stream = client.stream('slow please');
    const events = stream[Symbol.asyncIterator]();
    await events.next();
    writeFileSync(config, textFor('second'));
    await answers(client, 'second');
    const completion = await stream.final();
    assert.deepEqual([completion.model, completion.text], ['first', slow.text]);
  });

  test('is reported to the watch function, with the line of an error', async (context) => {
    const told: (SimpleAgentsError | undefined)[] = [];
    const { client, config } = start(context, { watch: (error) => told.push(error) });
    await answers(client, 'first');
    writeFileSync(config, `${textFor('second')}timeuot = "3s"\n`);
    while (told.length === 0) await sleep(5);
    assert.match(told[0]?.message ?? '', /f\.toml:8: \[\[providers\]\] timeuot: unknown key; did you mean "timeout"\?/);
    assert.equal((await client.complete('Hello')).model, 'first');
    writeFileSync(config, textFor('third'));
    while (told.length === 1) await sleep(5);
    assert.equal(told[1], undefined);
    assert.equal((await client.complete('Hello')).model, 'third');
  });

  test('can be reloaded explicitly, without watching', async (context) => {
    const { client, config } = start(context);
    await client.reload();
    await answers(client, 'first');
    writeFileSync(config, textFor('second'));
    assert.equal((await client.complete('Hello')).model, 'first');
    await client.reload();
    assert.equal((await client.complete('Hello')).model, 'second');
    writeFileSync(config, '[client');
    await assert.rejects(client.reload(), failsWith('configuration', /f\.toml:1:\d+: not valid TOML/));
    assert.equal((await client.complete('Hello')).model, 'second');
  });

  test('a hundred times, broken every third time, loses no call', async (context) => {
    const { client, config } = start(context, { watch: true });
    const editing = new AbortController();
    const call = async () => {
      const completion = await client.complete('Count to 3');
      assert.equal(completion.text, '1, 2, 3');
      assert.notEqual(completion.model, 'broken');
    };
    const stream = async () => assert.equal((await client.stream('slow').final()).text, slow.text);
    const worker = async (work: () => Promise<void>) => {
      let calls = 0;
      for (; !editing.signal.aborted; calls++) await work();
      return calls;
    };
    // Otherwise, on a busy machine, the file would be invalid before its first read.
    await call();
    const workers = [call, call, call, stream, stream].map(worker);
    for (let edit = 1; edit <= 100; edit++) {
      const isBroken = edit % 3 === 0;
      const text = isBroken ? `${textFor('broken')}[oops` : textFor(`model-${edit}`);
      if (edit % 2 === 0) {
        writeFileSync(`${config}.new`, text);
        renameSync(`${config}.new`, config);
      } else {
        writeFileSync(config, text);
      }
      if (edit % 10 === 0 && !isBroken) await answers(client, `model-${edit}`);
      else await sleep(5);
    }
    editing.abort();
    const calls = await Promise.all(workers);
    assert.ok(calls.every((count) => count > 0));
  });

  test('keeps responses that are cached in memory', async (context) => {
    const seen: string[] = [];
    const { client, config } = start(context, { cache: true, observer: ({ type }) => seen.push(type) });
    const first = await client.complete('Tell me something');
    writeFileSync(config, `${textFor('first')}[timeouts]\nidle = "9s"\n`);
    await client.reload();
    assert.ok(!seen.includes('cache-hit'));
    assert.equal((await client.complete('Tell me something')).text, first.text);
    assert.ok(seen.includes('cache-hit'), seen.join());
  });

  test('cannot be watched if there is none', () => {
    assert.throws(() => createClient({ watch: true }), failsWith('configuration', /watch: needs a file to watch/));
  });
});
