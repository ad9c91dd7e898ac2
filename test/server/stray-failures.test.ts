// Uncaught failures in real processes: a rejection is logged and counted, and the server keeps running; an exception
// lets calls in progress finish and ends the process with a non-zero exit code.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

import { describeUncaught } from '../../src/core/uncaught-error.ts';
import { parseScript } from '../../src/testing/model/script.ts';
import { startCli, type CliProcess } from '../support/cli-process.ts';
import { ask, startSimulated } from '../support/gateway-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href;

/** A tool module that runs `statement` when it is loaded and `onCall` when the model calls its tool. */
const module = (onCall: string, statement = ''): string => `import { defineTool } from '${library}';
${statement}
export const tools = [
  defineTool({ name: 'clock', description: 'The time', effect: 'pure', run: () => { ${onCall}; return 'it is noon'; } }),
];
`;

async function serve(context: TestContext, tools: string, env: Record<string, string> = {}) {
  const { path: cwd } = temporaryFolder();
  writeFileSync(join(cwd, 'tools.ts'), tools);
  writeFileSync(
    join(cwd, 'simple-agents.toml'),
    '[chat]\ntools = ["./tools.ts"]\nmodel = "simulated"\nrate_limit = 0\n[[providers]]\ntype = "simulated"\n',
  );
  const cli = startCli(context, ['serve', '--port', '0'], { cwd, env });
  await cli.shows(/listening on .*\n/);
  return { cli, url: /listening on (\S+)/.exec(cli.out())?.[1] ?? '' };
}

const post = (url: string, body: object): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

const callTool = (url: string): Promise<Response> =>
  post(`${url}/api/chat/stream`, { messages: [{ role: 'user', content: 'What does the clock say?' }] });

function logs({ err }: CliProcess, pattern: RegExp): Promise<void> {
  return until(() => pattern.test(err()));
}

const metric = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

describe('an unhandled rejection', () => {
  const rejections: Readonly<Record<string, string>> = {
    'an error': `void Promise.reject(new Error('lost'))`,
    'text': `void Promise.reject('lost')`,
    'a value without a description': `void Promise.reject(Object.create(null))`,
    'an error whose stack throws': `void Promise.reject(Object.defineProperty(new Error(), 'stack', { get() { throw new Error() } }))`,
  };
  for (const [name, statement] of Object.entries(rejections)) {
    test(`of a tool does not end the gateway: ${name}`, { timeout: 60_000 }, async (context) => {
      const { cli, url } = await serve(context, module(statement));
      for (let count = 1; count <= 2; count++) {
        const answer = await (await callTool(url)).text();
        assert.match(answer, /noon/);
        assert.doesNotMatch(answer, /lost|tools\.ts/);
        await logs(cli, /"level":"error".*"type":"unhandled-rejection"/);
        while (!(await metric(url)).includes(`unhandled_failures_total{kind="rejection"} ${count}`)) {
          assert.equal(cli.child.exitCode, null);
          await sleep(10);
        }
      }
      if (name === 'an error') assert.match(cli.err(), /"error":"lost","stack":"Error: lost\\n +at .*tools\.ts/);
      cli.child.kill('SIGTERM');
      assert.equal(await cli.ended(), 0);
    });
  }

  test('of a module during loading does not prevent the start', async (context) => {
    const { cli, url } = await serve(context, module('', `void Promise.reject(new Error('lost'));`));
    await logs(cli, /"type":"unhandled-rejection".*lost/);
    assert.equal((await fetch(`${url}/health`)).status, 200);
  });
});

describe('an uncaught exception', () => {
  test('lets a stream in progress finish, accepts no other calls, and exits with code 1', async (context) => {
    const script = parseScript({ replies: [{ text: 'one two three four five six', fault: { slow: 60 } }] });
    const upstream = await startSimulated(context, { script });
    const tools = module(`setTimeout(() => { throw new Error('broken') }); setInterval(() => undefined, 1000)`);
    const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: `${upstream.url}/v1` };
    const { cli, url } = await serve(context, tools, env);
    const stream = await post(`${url}/v1/chat/completions`, ask('openai/m', 'go', { stream: true }));
    const reader = stream.text();
    await callTool(url);
    await logs(cli, /"level":"error".*"type":"unhandled-exception","error":"broken","stack":"Error: broken/);
    assert.match(await reader, /six[^]*\[DONE\]/);
    assert.equal(await cli.ended(), 1);
    await assert.rejects(fetch(`${url}/health`));
  });
});

test('any thrown value is described', () => {
  const hostile = new Proxy({}, { get: () => assert.fail('no') });
  for (const thrown of [undefined, null, 1, Symbol('s'), hostile, Object.create(null), () => 1]) {
    assert.equal(typeof describeUncaught(thrown).error, 'string');
  }
});

test('importing the package and creating a server installs no handler', async () => {
  const before = ['unhandledRejection', 'uncaughtException'].map((name) => process.listenerCount(name));
  await import('../../src/index.ts');
  const { createServer } = await import('../../src/server/server.ts');
  const { createSimulatedProvider } = await import('../../src/testing/model/provider.ts');
  const server = createServer({ provider: createSimulatedProvider(), port: 0 });
  await server.listen();
  const after = ['unhandledRejection', 'uncaughtException'].map((name) => process.listenerCount(name));
  await server.close();
  assert.deepEqual(after, before);
});
