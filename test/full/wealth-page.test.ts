// The page of the finance assistant in a real browser, at the width of a desktop and of a phone: what a user types and
// sees. A relay between browser and server can drop the connection.

import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { openDatabase } from '../../examples/wealth/database.ts';
import { Ledger } from '../../examples/wealth/ledger.ts';
import { createScript } from '../../examples/wealth/script.ts';
import { createWealthServer } from '../../examples/wealth/server.ts';
import { createSimulatedProvider, type SimulatedOptions } from '../../src/testing/model/provider.ts';
import { browserPart, openBrowser } from '../support/browser.ts';
import { skipWithout } from '../support/requirement.ts';
import { startSocketServer } from '../support/server.ts';
import { until } from '../support/until.ts';

const skip = skipWithout(browserPart);
const desk = { width: 1200, height: 800 };
const phone = { width: 390, height: 844 };

const money = (amount: number): string =>
  new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' }).format(amount);

describe('the page', { skip, timeout: 120_000 }, () => {
  let browser: Browser;
  before(async () => (browser = await openBrowser()));
  after(() => browser.close());

  async function open(context: TestContext, viewport: typeof desk, pace: SimulatedOptions = {}) {
    const database = openDatabase();
    const provider = createSimulatedProvider({ script: createScript(database), ...pace });
    const server = createWealthServer({ database, provider, port: 0 });
    const { port } = new URL(await server.listen());
    const pairs = new Set<Socket>();
    const relay = await startSocketServer(context, (client) => {
      const upstream = connect(Number(port), '127.0.0.1');
      upstream.on('error', () => client.destroy());
      client.on('close', () => upstream.destroy());
      upstream.on('close', () => client.destroy());
      client.pipe(upstream).pipe(client);
      pairs.add(client);
      client.once('close', () => pairs.delete(client));
    });
    const page = await browser.newPage({ viewport });
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    context.after(async () => {
      await page.close();
      await server.close({ drain: 0 });
      database.close();
    });
    await page.goto(relay.origin);
    await page.waitForSelector('#accounts li');
    const cut = (): void => pairs.forEach((socket) => socket.destroy());
    return { page, cut, complaints, ledger: new Ledger(database, 'ada') };
  }

  for (const [where, viewport] of [
    ['a desk', desk],
    ['a phone', phone],
  ] as const) {
    test(`on ${where} shows balances, spending with its chart, a greeting, and a tool that failed`, async (context) => {
      const { page, complaints, ledger } = await open(context, viewport);
      assert.equal(await page.textContent('#total'), money(ledger.balances().total));

      await ask(page, "What's my account balance?");
      assert.match(await lastAnswer(page), new RegExp(`Balances \\d+ ms.*You have ${money(ledger.balances().total)}`));
      for (const { name, balance } of ledger.balances().accounts) {
        assert.ok((await lastAnswer(page)).includes(`${name}: ${money(balance)}`));
      }

      await ask(page, 'Show spending for November');
      const { total, categories } = ledger.spending('2026-11');
      assert.match(await lastAnswer(page), new RegExp(`Spending \\d+ ms.*In November 2026 you spent ${money(total)}`));
      await page.waitForSelector('figure svg');
      assert.equal(await page.locator('figure svg .bar').count(), categories.length);
      const label = (await page.getAttribute('figure svg', 'aria-label')) ?? '';
      for (const { category, spent } of categories) assert.ok(label.includes(`${category} ${money(spent)}`), label);
      assert.ok(!(await lastAnswer(page)).includes('[chart'), 'the chart stands in the place of its line');
      await until(async () => Number(await page.evaluate('document.querySelector("#log").scrollTop')) > 100);

      await ask(page, 'Hello');
      assert.match(await lastAnswer(page), /^Hello! I can tell you/);

      await ask(page, 'Show spending for March');
      assert.match(await lastAnswer(page), /Spending no result.*I have no records for that month/);
      assert.equal(await page.locator('.tool.failed').count(), 1);

      const overflow = 'document.scrollingElement.scrollWidth - window.innerWidth';
      assert.ok(Number(await page.evaluate(overflow)) <= 0, 'nothing stands beyond the edge');
      assert.deepEqual(complaints, []);
    });
  }

  test('shows that the connection was lost, and retries', async (context) => {
    const { page, cut } = await open(context, desk, { tokensPerSecond: 40 });
    await page.fill('#question', 'Hello');
    await page.press('#question', 'Enter');
    await until(async () => (await lastAnswer(page)).length > 10);
    cut();
    await page.waitForSelector('.problem');
    assert.match(await lastAnswer(page), /^Hello! .*The connection was lost before the answer was complete\./);
    await page.click('.problem button');
    await page.waitForSelector('#send:not([hidden])');
    assert.match(await lastAnswer(page), /^Hello! I can tell you .*What would you like to know\?$/);
    assert.equal(await page.locator('.message.user').count(), 1);
    assert.equal(await page.locator('.problem').count(), 0);
  });

  test('can be stopped, and continues with the next question', async (context) => {
    const { page } = await open(context, phone, { tokensPerSecond: 40 });
    await page.fill('#question', 'Hello');
    await page.press('#question', 'Enter');
    await until(async () => (await lastAnswer(page)).length > 10);
    await page.click('#stop');
    await page.waitForSelector('#send:not([hidden])');
    assert.match(await lastAnswer(page), /Stopped\.$/);
    await ask(page, "What's my account balance?");
    assert.match(await lastAnswer(page), /You have €/);
  });

  test('shows another user different data', async (context) => {
    const { page, ledger } = await open(context, desk);
    await page.selectOption('#who', 'grace');
    await until(async () => (await page.textContent('.hello')) === 'Hello, Grace.');
    assert.notEqual(await page.textContent('#total'), money(ledger.balances().total));
  });

  test('shows any output of a model as text', async (context) => {
    const words = '<img src=x onerror=alert(1)> **<b>bold</b>** [chart: spending 2026-11] [x](javascript:alert(1))';
    const { page, complaints } = await open(context, desk, {
      script: { replies: [{ match: { contains: '' }, text: words }] },
    });
    await ask(page, 'Hello');
    assert.match(await lastAnswer(page), /<img src=x onerror=alert\(1\)> <b>bold<\/b> \[chart: spending/);
    assert.equal(await page.locator('.message img, .message b, .message a').count(), 0);
    assert.deepEqual(complaints, []);
  });
});

async function ask(page: Page, words: string): Promise<void> {
  const answers = page.locator('.message.assistant');
  const count = await answers.count();
  await page.fill('#question', words);
  await page.press('#question', 'Enter');
  await until(async () => (await answers.count()) > count && (await page.locator('#send').isVisible()));
}

async function lastAnswer(page: Page): Promise<string> {
  const text = (await page.locator('.message.assistant').last().textContent()) ?? '';
  return text.replaceAll(/\s+/g, ' ').trim();
}
