// The gateway's page in a real browser: what a user does in each view, and that nothing a model writes leaves its place.
// test/full/web-page.test.ts has the rest.

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { browserPart, openBrowser } from '../support/browser.ts';
import { skipWithout } from '../support/requirement.ts';
import { axeViolations, openWebPage, overflow, say } from '../support/web-page.ts';

const skip = skipWithout(browserPart);

describe('the page', { skip, timeout: 120_000, concurrency: 4 }, () => {
  let browser: Browser;
  before(async () => (browser = await openBrowser()));
  after(() => browser.close());

  test('one click shows a damaged answer heal into a typed value', async (context) => {
    const { page, complaints } = await openWebPage(context, browser);
    await page.getByLabel('Speed').selectOption('Fast');
    await page.getByRole('button', { name: 'Watch it heal' }).last().click();
    await page.getByText('% confident').waitFor();
    assert.equal(await page.locator('.tree .row', { hasText: 'level' }).textContent(), 'level7');
    assert.ok((await page.locator('.repair').count()) > 10);
    const marks = await page.locator('.raw .mark').allTextContents();
    for (const expected of ['name', `'Brunna Ironvein'`, '// as requested', ',', '}'])
      assert.ok(marks.includes(expected));
    const outside = await page.locator('.raw .outside').allTextContents();
    assert.match(outside.join(''), /^Sure! Here is your character:[^]*backstory!$/);
    assert.deepEqual(await axeViolations(page), []);
    assert.deepEqual(complaints, []);
  });

  test('chat: two models side by side, with figures, kept in the browser', async (context) => {
    const { page, complaints } = await openWebPage(context, browser, { view: 'chat' });
    await page.getByRole('button', { name: 'Compare' }).click();
    await say(page, 'Count to 5');
    await page.locator('.figures').nth(1).waitFor();
    for (const column of [0, 1]) {
      assert.match(
        (await page.locator('.column').nth(column).textContent()) ?? '',
        /1, 2, 3, 4, 5.*First token.*Tokens/,
      );
    }
    await page.getByRole('link', { name: 'Timeline' }).first().click();
    await page.getByLabel('Timeline of the call').getByText('Streams the answer').waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.reload();
    await page.locator('.column', { hasText: '1, 2, 3, 4, 5' }).first().waitFor();
    await page.getByRole('button', { name: 'Conversations' }).click();
    await page.getByRole('button', { name: 'Delete Count to 5' }).click();
    await page.getByText('Talk to any model').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('chat: hostile output is text, and nothing else is loaded', async (context) => {
    const hostile = [
      '<script>window.hacked = 1</script>',
      '<img src=x onerror="window.hacked = 1"> ![p](https://evil.example/p.png)',
      '[link](javascript:alert(1)) [data](data:text/html,<b>x</b>) <svg onload="window.hacked = 1"></svg>',
      `\u001b[31mred \u202eoverridden ${'x'.repeat(20_000)}`,
    ].join('\n\n');
    const script = { replies: [{ match: { contains: '' }, text: hostile }] };
    const { page, complaints } = await openWebPage(context, browser, { view: 'chat', simulated: { script } });
    await say(page, 'Hello');
    await page.locator('.figures').waitFor();
    const shown = (await page.locator('.markdown').textContent()) ?? '';
    for (const part of ['<script>window.hacked', 'onerror=', 'javascript:alert(1)', '<svg onload', '␛[31m', '[U+202E]'])
      assert.ok(shown.includes(part), part);
    assert.equal(await page.locator('.markdown :is(img, svg, script, a)').count(), 0);
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.ok((await overflow(page)) <= 0);
    assert.deepEqual(complaints, []);
  });

  test('chat: answers that nest without end are shown, also after a reload', async (context) => {
    const nested = [
      '>'.repeat(1000),
      '- '.repeat(1000),
      `${'*'.repeat(999)}x${'*'.repeat(999)}`,
      `${'['.repeat(900)}x${'](https://a.example)'.repeat(100)}`,
    ];
    const script = { replies: nested.map((text) => ({ text })) };
    const { page, complaints } = await openWebPage(context, browser, { view: 'chat', simulated: { script } });
    for (const [index] of nested.entries()) {
      await say(page, `Question ${index}`);
      await page.locator('.figures').nth(index).waitFor();
    }
    assert.equal(await page.locator('.markdown').count(), nested.length);
    await page.reload();
    await page
      .locator('.figures')
      .nth(nested.length - 1)
      .waitFor();
    assert.equal(await page.locator('.markdown').count(), nested.length);
    assert.equal(await page.locator('.problem').count(), 0);
    assert.deepEqual(complaints, []);
  });

  test('chat: a message that cannot be shown leaves the others, and the page, as they are', async (context) => {
    const script = {
      replies: [{ text: 'the first answer' }, { text: 'cannot be shown' }, { text: 'the third answer' }],
    };
    const options = { view: 'chat', simulated: { script }, expects: /broken on purpose/ };
    const { page, complaints } = await openWebPage(context, browser, options);
    // Everything that is shown passes through `replaceAll`.
    await page.addInitScript(`
      const { replaceAll } = String.prototype;
      String.prototype.replaceAll = function (...given) {
        if (this.includes('cannot be shown')) throw new RangeError('broken on purpose');
        return replaceAll.apply(this, given);
      };`);
    await page.reload();
    for (const text of ['One', 'Two', 'Three']) {
      await say(page, text);
      await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'hidden' });
    }
    for (const _again of ['at once', 'after a reload']) {
      await page.getByText('the third answer').waitFor();
      await page.getByText('the first answer').waitFor();
      await page.getByText('This message could not be shown').waitFor();
      await page.reload();
    }
    assert.deepEqual(complaints, []);
  });

  test('chat: stored values that are no conversations are left out', async (context) => {
    const { page, complaints } = await openWebPage(context, browser, { view: 'chat' });
    await say(page, 'Count to 5');
    await page.locator('.figures').waitFor();
    await page.evaluate(() => {
      const key = 'simple-agents.conversations';
      const [good] = JSON.parse(localStorage.getItem(key) ?? '[]') as [object];
      const bad = [null, 1, {}, { ...good, turns: [null] }, { ...good, models: [{}] }, { ...good, settings: null }];
      localStorage.setItem(key, JSON.stringify([...bad, good]));
    });
    await page.reload();
    await page.locator('.figures').waitFor();
    await page.getByRole('button', { name: 'Conversations' }).click();
    assert.equal(await page.locator('.history li').count(), 1);
    assert.deepEqual(complaints, []);
  });

  test('live: calls appear with their figures and a timeline', async (context) => {
    const { page, complaints } = await openWebPage(context, browser, { view: 'live' });
    await page.getByText('No calls yet').waitFor();
    await page.getByRole('button', { name: 'Send 20 calls' }).click();
    await page.locator('.call-row').nth(3).waitFor();
    await page.locator('.call-row').first().click();
    await page.getByLabel('Timeline of the call').getByText('Streams the answer').waitFor();
    await page.locator('.targets', { hasText: 'closed' }).waitFor();
    assert.equal(await page.locator('.chart canvas').count(), 6);
    assert.deepEqual(complaints, []);
  });

  test('simulate: a stalled target opens its breaker, and the next one answers with healed JSON', async (context) => {
    const { page, complaints } = await openWebPage(context, browser, { view: 'simulate' });
    const fault = (target: string) => page.getByLabel(target, { exact: true }).getByLabel('Fault');
    await fault('simulated-1').selectOption('Stall');
    await fault('simulated-2').selectOption('Damaged JSON');
    await page.getByRole('button', { name: 'Send traffic' }).click();
    await page.getByLabel('simulated-1', { exact: true }).getByText('breaker open', { exact: true }).waitFor();
    const healed = page.locator('.call-row', { hasText: 'simulated-2' }).filter({ hasText: 'healed' });
    await healed.first().click();
    await page.getByLabel('Timeline of the call').getByText('unquoted-key').waitFor();
    await page.getByRole('button', { name: 'Stop traffic' }).click();
    assert.deepEqual(complaints, []);
  });

  test('connect: every client has lines with the real address, and the first call is received', async (context) => {
    const { page, url } = await openWebPage(context, browser, { view: 'connect' });
    await page.getByText('Waiting for the first call').waitFor();
    for (const button of await page.locator('.clients button').all()) {
      await button.click();
      assert.ok((await page.locator('.lines pre').last().textContent())?.includes(url));
    }
    const body = JSON.stringify({ model: 'simulated', messages: [{ role: 'user', content: 'Count to 3' }] });
    await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    await page.getByText('Received.').waitFor();
  });

  test('with keys it asks for one, and a reload forgets it', async (context) => {
    const keys = [hash('sha256', 'right')];
    const { page } = await openWebPage(context, browser, { keys, view: 'chat', expects: /401/ });
    await page.getByLabel('Key', { exact: true }).fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('the key is not valid').waitFor();
    await page.getByLabel('Key', { exact: true }).fill('right');
    await page.keyboard.press('Enter');
    await page.getByText('Simulated model').waitFor();
    await say(page, 'Count to 3');
    await page.locator('.markdown', { hasText: '1, 2, 3' }).waitFor();
    const stored = String(
      await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])'),
    );
    assert.ok(!stored.includes('right'));
    await page.reload();
    await page.getByText('This gateway needs a key').waitFor();
  });

  test('without its gateway it says so, and healing still works', async (context) => {
    const { page, stop } = await openWebPage(context, browser, { expects: /ERR_|Failed to load/ });
    // Everything that was opened once keeps working.
    await page.getByRole('button', { name: 'Watch it heal' }).last().click();
    await page.locator('.raw .outside').first().waitFor();
    await page.getByRole('link', { name: 'Chat' }).click();
    await page.getByText('Talk to any model').waitFor();
    await stop();
    await page.getByRole('alert').filter({ hasText: 'The gateway cannot be reached' }).waitFor();
    await say(page, 'Hello');
    await page.getByText('The gateway cannot be reached. Check that it is running.').waitFor();
    await page.getByRole('link', { name: 'Healing' }).click();
    await page.getByLabel('Speed').selectOption('At once');
    await page.getByRole('button', { name: 'Watch it heal' }).last().click();
    await page.getByText('% confident').waitFor();
  });
});
