// The gateway's page in a real browser: everything that test/web/page.test.ts leaves out, on a desktop and on a phone, in
// light and dark, with the keyboard only, and with long answers.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { browserPart, openBrowser } from '../support/browser.ts';
import { skipWithout } from '../support/requirement.ts';
import { axeViolations, desk, openWebPage, overflow, phone, say } from '../support/web-page.ts';

const skip = skipWithout(browserPart);

/** Code, a table and a word that are wider than a phone. */
const wide = `\`\`\`ts\n${'const a = 1; '.repeat(40)}\n\`\`\`\n\n|${'a long head|'.repeat(20)}\n|${'---|'.repeat(20)}\n\n${'x'.repeat(500)}`;

describe('the whole page', { skip, timeout: 600_000 }, () => {
  let browser: Browser;
  before(async () => (browser = await openBrowser()));
  after(() => browser.close());

  test('healing: scrubs through the text, points at repairs, and copies the value', async (context) => {
    const { page } = await openWebPage(context, browser);
    await page.getByLabel('Speed').selectOption('At once');
    await page.getByRole('button', { name: 'Watch it heal' }).last().click();
    await page.getByText('% confident').waitFor();
    await page.getByRole('button', { name: 'Copy JSON' }).click();
    await page.getByText('Copied').waitFor();
    const copied = JSON.parse(String(await page.evaluate('navigator.clipboard.readText()'))) as {
      inventory: unknown[];
    };
    assert.equal(copied.inventory.length, 3);
    await page.getByRole('button', { name: /^Key put in quotes name/ }).focus();
    assert.equal(await page.locator('.raw .mark.pointed').textContent(), 'name');
    const slider = page.getByRole('slider');
    await slider.focus();
    await page.keyboard.press('Home');
    await page.getByText('waiting for the value').waitFor();
    await slider.fill('90');
    await page.getByText('so far').waitFor();
    assert.match((await page.locator('.raw').textContent()) ?? '', /"Fighter"/);
    await page.keyboard.press('End');
    await page.getByText('% confident').waitFor();
  });

  test('healing: names the line of a schema error, and continues when it is fixed', async (context) => {
    const { page } = await openWebPage(context, browser);
    const editor = page.getByLabel('JSON Schema');
    await editor.fill('{\n  "type": "object",\n}');
    await page.getByText('Line 3: expected a key in double quotes').waitFor();
    assert.equal(await page.locator('.gutter .bad').textContent(), '3');
    assert.ok(await page.getByRole('button', { name: 'Watch it heal' }).last().isDisabled());
    await editor.fill('{"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}');
    await page.getByLabel('Speed').selectOption('At once');
    await page.getByRole('button', { name: 'Watch it heal' }).last().click();
    await page.getByText('confident').waitFor();
  });

  test('healing: damages the answer of the simulated model, asks a model, and takes pasted text', async (context) => {
    const { page, complaints } = await openWebPage(context, browser);
    await page.getByLabel('Speed').selectOption('At once');
    const damage = page.getByRole('combobox', { name: 'Damage' });
    await page.locator('optgroup').first().waitFor({ state: 'attached' });
    await damage.selectOption('single-quotes');
    await page.getByText('Quotes replaced').first().waitFor();
    const first = await page.locator('.raw').textContent();
    assert.match(first ?? '', /'name': 'Brunna Ironvein'/);
    await page.getByLabel('Ask a model').check();
    await page.getByRole('button', { name: 'Ask and heal' }).click();
    await page.getByText('valid as it was').waitFor();
    await page.locator('h2', { hasText: 'What you get' }).click();
    await page.evaluate(`(() => {
      const data = new DataTransfer();
      data.setData('text/plain', "{name: 'Pasted', class: 'rogue', level: '3', inventory: []}");
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }));
    })()`);
    await page.locator('.tree', { hasText: 'Pasted' }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('healing: says why a text cannot be healed', async (context) => {
    const { page } = await openWebPage(context, browser);
    await page.getByLabel('Your text').first().check();
    await page.locator('textarea.raw').fill('{"name": "Ada"}');
    await page.getByText('Not healed').waitFor();
    await page.locator('.verdict', { hasText: 'class' }).waitFor();
  });

  test('healing: hostile text is shown as text, also a very long line', async (context) => {
    const { page, complaints } = await openWebPage(context, browser);
    await page.getByLabel('JSON Schema').fill('{"type": "object", "additionalProperties": {"type": "string"}}');
    await page.getByLabel('Your text').first().check();
    const hostile = `{<b>key</b>: '<img src=x onerror="window.hacked = 1">', 'bidi': '\u202eoverridden \u001b[31m'}`;
    await page.locator('textarea.raw').fill(hostile);
    await page.getByLabel('Speed').selectOption('At once');
    await page.getByRole('button', { name: 'Heal' }).first().click();
    await page.getByText('confident').waitFor();
    for (const place of ['.tree', '.value-pane']) {
      const shown = (await page.locator(place).textContent()) ?? '';
      for (const part of ['[U+202E]overridden', '␛[31m', '<img src=x'])
        assert.ok(shown.includes(part), `${place} ${part}`);
    }
    assert.equal(await page.locator('.panes :is(img, script)').count(), 0);
    await page.locator('textarea.raw').fill(`{"a": "${'x'.repeat(1_000_000)}"}`);
    await page.getByText('valid as it was').waitFor();
    assert.equal(await page.evaluate('window.hacked'), undefined);
    assert.deepEqual(complaints, []);
  });

  test('chat: stops, edits and sends again', async (context) => {
    const { page } = await openWebPage(context, browser, { view: 'chat', simulated: { tokensPerSecond: 30 } });
    await say(page, 'Count to 100');
    await page.locator('.markdown', { hasText: '1, 2' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped.').waitFor();
    await page.locator('.user').hover();
    await page.getByRole('button', { name: 'Edit and send again' }).click();
    await page.getByLabel('Your message').fill('Count to 2');
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.locator('.figures').waitFor();
    assert.equal(await page.locator('.turn').count(), 1);
    assert.equal(await page.locator('.markdown').textContent(), '1, 2');
  });

  test('chat: shows reasoning apart, tool calls, and sends their results', async (context) => {
    const { page } = await openWebPage(context, browser, { view: 'chat' });
    await page.getByRole('button', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Insert an example tool' }).click();
    await page.getByLabel('Reasoning').selectOption('Low');
    await say(page, 'What is the weather in Lisbon?');
    const tool = page.getByLabel('Call of the tool get_weather');
    await tool.waitFor();
    assert.match((await tool.textContent()) ?? '', /"city": "Lisbon"/);
    assert.match((await page.locator('.reasoning').textContent()) ?? '', /This thought is simulated/);
    await page.getByLabel('Result').fill('21 degrees');
    await page.getByRole('button', { name: 'Send the results' }).click();
    await page.getByText('get_weather answered: 21 degrees').waitFor();
  });

  test('chat: a failed answer says why and can be tried again; pictures are sent', async (context) => {
    const script = { replies: [{ fault: { status: 500, message: 'broken today' } }], otherwise: 'reply' as const };
    const { page } = await openWebPage(context, browser, { view: 'chat', simulated: { script }, expects: /500/ });
    const picture = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    await page.locator('input[type=file]').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: picture });
    await page.locator('.attachments img').waitFor();
    await say(page, 'Look');
    await page.getByText('broken today').waitFor();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('You attached 1: image (image/png)').waitFor();
  });

  for (const [where, viewport, colorScheme] of [
    ['a desktop in light', desk, 'light'],
    ['a desktop in dark', desk, 'dark'],
    ['a phone in light', phone, 'light'],
    ['a phone in dark', phone, 'dark'],
  ] as const) {
    test(`has no accessibility violations and no overflow on ${where}`, async (context) => {
      const script = { replies: [{ match: { contains: 'wide' }, text: wide }], otherwise: 'reply' as const };
      const { page } = await openWebPage(context, browser, { viewport, colorScheme, simulated: { script } });
      await page.getByLabel('Speed').selectOption('At once');
      await page.getByRole('button', { name: 'Watch it heal' }).last().click();
      await page.getByText('% confident').waitFor();
      await isClean(page, 'healing');
      await page.getByRole('link', { name: 'Chat' }).click();
      await page.getByRole('button', { name: 'Settings' }).click();
      await say(page, 'Something wide');
      await page.locator('.figures').waitFor();
      await isClean(page, 'chat');
      await page.getByRole('link', { name: 'Live' }).click();
      await page.locator('.call-row').first().click();
      await isClean(page, 'live');
      await page.getByRole('link', { name: 'Simulate' }).click();
      await page.getByText('Break a target').waitFor();
      await isClean(page, 'simulate');
      await page.getByRole('link', { name: 'Connect' }).click();
      await page.getByText('Connect a client').waitFor();
      await isClean(page, 'connect');
    });
  }

  test('every view can be used with the keyboard only', async (context) => {
    const { page } = await openWebPage(context, browser);
    await press(page, 'Watch it heal');
    await page.getByText('confident').waitFor({ timeout: 20_000 });
    await press(page, 'Chat');
    await page.getByText('Talk to any model').waitFor();
    await press(page, 'Count to 20');
    await page.keyboard.press('Enter');
    await page.locator('.figures').waitFor();
    await press(page, 'Live');
    await press(page, 'Send 20 calls');
    await page.locator('.call-row').first().waitFor();
    await press(page, 'Simulate');
    await press(page, 'Send traffic');
    await press(page, 'Stop traffic');
    await press(page, 'Connect');
    await press(page, 'Claude Codeshell');
    await page.getByText('ANTHROPIC_MODEL').waitFor();
  });
});

async function isClean(page: Page, view: string): Promise<void> {
  assert.deepEqual(await axeViolations(page), [], view);
  assert.ok((await overflow(page)) <= 0, `${view} is wider than the window`);
}

/** Moves the focus with the Tab key to the element with this text, and presses Enter. */
async function press(page: Page, text: string): Promise<void> {
  for (let count = 0; count < 80; count++) {
    await page.keyboard.press('Tab');
    const focused = String(await page.evaluate('document.activeElement?.textContent ?? ""'));
    if (focused.trim() === text) return page.keyboard.press('Enter');
  }
  assert.fail(`the Tab key does not reach "${text}"`);
}
