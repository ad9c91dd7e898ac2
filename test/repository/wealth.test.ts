// The finance assistant of the examples: its data is deterministic, its tools read the data of the signed-in user, with both
// wires over real HTTP, and it runs as described in its README.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, test, type TestContext } from 'node:test';
import { openDatabase } from '../../examples/wealth/database.ts';
import { Ledger } from '../../examples/wealth/ledger.ts';
import { createScript } from '../../examples/wealth/script.ts';
import { months } from '../../examples/wealth/seed.ts';
import { createWealthServer } from '../../examples/wealth/server.ts';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';
import { anthropicMessagesServer } from '../../src/wire/anthropic-messages/server.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { inBothWires, linesOf, type WireName } from '../support/agent-model.ts';
import { readAnswer } from '../support/chat-server.ts';
import { createGateway } from '../../src/node.ts';

const root = join(import.meta.dirname, '../..');

describe('the data', () => {
  test('is deterministic and consistent', () => {
    const [one, two] = [openDatabase(), openDatabase()];
    for (const user of ['ada', 'grace']) {
      const ledger = new Ledger(one, user);
      assert.deepEqual(ledger.balances(), new Ledger(two, user).balances());
      const trend = ledger.trend().months;
      assert.deepEqual(
        trend.map(({ month }) => month),
        months,
      );
      for (const { month, spent } of trend) {
        const { total, categories } = ledger.spending(month);
        assert.equal(total, spent);
        assert.equal(cents(categories.map((each) => each.spent)), cents([total]));
        const all = ledger.transactions({ month, limit: 50 });
        const left = all.filter(({ amount, category }) => amount < 0 && category !== 'Transfer');
        assert.equal(-cents(left.map(({ amount }) => amount)), cents([total]));
      }
    }
    assert.notEqual(new Ledger(one, 'ada').balances().total, new Ledger(one, 'grace').balances().total);
    one.close();
    two.close();
  });

  test('reports what it does not contain', () => {
    const database = openDatabase();
    const ledger = new Ledger(database, 'ada');
    assert.throws(
      () => ledger.spending('2025-01'),
      /no data for 2025-01\. Data is available from 2026-06 to 2026-11\./,
    );
    assert.throws(() => ledger.balances('Pension'), /no account "Pension"\. There are: Everyday, Savings/);
    assert.deepEqual(ledger.transactions({ payee: "'; DROP TABLE users; --" }), []);
    assert.equal(ledger.balances('everyday').accounts.length, 1);
    database.close();
  });
});

function cents(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + Math.round(amount * 100), 0);
}

async function startWealth(context: TestContext, wire: WireName) {
  const database = openDatabase();
  const model = await createSimulateServer({ script: createScript(database) });
  const baseUrl = wire === 'openai' ? `${model.url}/v1` : model.url;
  const gateway = createGateway({ providers: [{ name: wire, type: wire, model: 'm', apiKey: 'k', baseUrl }] });
  const server = createWealthServer({ database, provider: gateway, port: 0 });
  const url = await server.listen();
  context.after(async () => {
    await server.close({ drain: 0 });
    await gateway.close();
    await model.close();
    database.close();
  });
  const post = (path: string, body: object, cookie = '') =>
    fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const signIn = async (user: string) =>
    (await post('/api/session', { user })).headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const decode = wire === 'openai' ? openaiChatServer : anthropicMessagesServer;
  return {
    database,
    url,
    post,
    signIn,
    ask: async (content: string, cookie: string) =>
      readAnswer(await post('/api/chat/stream', { messages: [{ role: 'user', content }] }, cookie)),
    /** The last tool results that the model received. */
    results: () => {
      const body = model.requests.at(-1)?.body;
      return decode
        .decodeRequest(body)
        .messages.flatMap(linesOf)
        .filter((line) => line.includes('→'));
    },
  };
}

describe('the assistant', () => {
  inBothWires('answers from the accounts of the signed-in user', async (context, wire) => {
    const { ask, signIn, results, database } = await startWealth(context, wire);
    for (const user of ['ada', 'grace']) {
      const ledger = new Ledger(database, user);
      const cookie = await signIn(user);
      const balance = await ask("What's my account balance?", cookie);
      assert.ok(results()[0]?.endsWith(`→ ${JSON.stringify(ledger.balances())}`));
      assert.ok(balance.text.includes(ledger.balances().total.toLocaleString('en-IE')), balance.text);
      const november = await ask('Show spending for November', cookie);
      assert.ok(results()[0]?.endsWith(`→ ${JSON.stringify(ledger.spending('2026-11'))}`));
      assert.match(november.text, /^Let me look at November\.\n\n.*\n\n\[chart: spending 2026-11\]$/);
      assert.deepEqual(
        november.tools.map(({ name, status, isError }) => [name, status, isError]),
        [
          ['get_spending', 'start', undefined],
          ['get_spending', 'end', undefined],
        ],
      );
    }
  });

  inBothWires('greets, fails kindly, and knows the other questions', async (context, wire) => {
    const { ask, signIn } = await startWealth(context, wire);
    const cookie = await signIn('ada');
    const hello = await ask('Hello', cookie);
    assert.match(hello.text, /^Hello! I can tell you/);
    assert.deepEqual(hello.tools, []);
    const march = await ask('Show spending for March', cookie);
    assert.deepEqual([march.tools[1]?.['isError'], march.errors], [true, []]);
    assert.match(march.text, /no records for that month/);
    assert.match((await ask('How is my pension?', cookie)).text, /could not find such an account/);
    assert.match((await ask('My budgets', cookie)).text, /over\*\*/);
    assert.match((await ask('Latest transactions', cookie)).text, /2026-11-26/);
    assert.match((await ask('Spending over time', cookie)).text, /\[chart: months\]$/);
    assert.match((await ask('What is love?', cookie)).text, /a script that replaces a model/);
  });

  test('requires a signed-in user, and so does its data', async (context) => {
    const { url, post, signIn } = await startWealth(context, 'openai');
    for (const path of ['/api/overview', '/api/spending?month=2026-11', '/api/months']) {
      assert.equal((await fetch(url + path)).status, 401);
    }
    assert.equal((await post('/api/chat/stream', { messages: [{ role: 'user', content: 'Hi' }] })).status, 401);
    assert.equal((await post('/api/session', { user: 'mallory' })).status, 404);
    assert.equal((await fetch(`${url}/api/overview`, { headers: { cookie: 'wealth_session=guess' } })).status, 401);
    const cookie = await signIn('grace');
    const missing = await fetch(`${url}/api/spending?month=1999-01`, { headers: { cookie } });
    assert.deepEqual([missing.status, /no data for 1999-01/.test(await missing.text())], [404, true]);
    const overview = (await (await fetch(`${url}/api/overview`, { headers: { cookie } })).json()) as { user: object };
    assert.deepEqual(overview.user, { id: 'grace', name: 'Grace' });
    assert.match((await fetch(url)).headers.get('content-security-policy') ?? '', /default-src 'none'/);
  });
});

test('it starts as its README says, without a key, and ends at SIGTERM', async (context) => {
  const readme = readFileSync(join(root, 'examples/wealth/README.md'), 'utf8');
  assert.match(readme, /^npm run wealth$/m);
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { wealth: string } };
  assert.equal(scripts.wealth, 'sh scripts/node.sh scripts/run.mjs --for run node examples/wealth/main.ts');
  const child = spawn(process.execPath, [join(root, 'examples/wealth/main.ts')], {
    env: { PATH: process.env['PATH'], PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  context.after(() => child.kill('SIGKILL'));
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  while (!out.includes('replies')) await once(child.stdout, 'data');
  const [, address = ''] =
    /^listening on (\S+)\nNo API key found; using scripted replies instead of a model\.\n$/.exec(out) ?? [];
  assert.equal((await fetch(address)).status, 200);
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
});
