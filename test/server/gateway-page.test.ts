// The gateway's page in a real browser: complete commands at every width, in light and dark, and a button that copies them.

import assert from 'node:assert/strict';
import { after, before, describe, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { browserPart, openBrowser } from '../support/browser.ts';
import { startBoth } from '../support/gateway-server.ts';
import { skipWithout } from '../support/requirement.ts';

const widths = [320, 768, 1200];
const models = () => [{ id: 'openai/m', provider: 'openai', contextWindow: 128_000, price: { input: 1, output: 2 } }];

/** The contrast of an element's text with its background, as defined by WCAG. Runs in the page. */
const contrastOf = `(selector) => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const linear = (share) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  const luminance = (color) => {
    const [red, green, blue] = channels(color).map((channel) => linear(channel / 255));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const element = document.querySelector(selector);
  let behind = element;
  while (channels(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
  const text = luminance(getComputedStyle(element).color);
  const back = luminance(getComputedStyle(behind).backgroundColor);
  return (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
}`;

describe('the gateway’s page', { skip: skipWithout(browserPart), timeout: 120_000 }, () => {
  let browser: Browser;
  before(async () => (browser = await openBrowser()));
  after(() => browser.close());

  async function open(context: TestContext, width: number): Promise<{ page: Page; complaints: string[] }> {
    const { url } = await startBoth(context, undefined, { models });
    const browsing = await browser.newContext({
      viewport: { width, height: 800 },
      permissions: ['clipboard-read', 'clipboard-write'],
    });
    context.after(() => browsing.close());
    const page = await browsing.newPage();
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('request', (request) => request.url() !== `${url}/` && complaints.push(`asked for ${request.url()}`));
    await page.goto(url);
    return { page, complaints };
  }

  for (const width of widths) {
    test(`shows every command completely at ${width} pixels`, async (context) => {
      const { page, complaints } = await open(context, width);
      const hidden = await page.evaluate(
        `[document.documentElement, ...document.querySelectorAll('pre, table')]
          .filter((element) => element.scrollWidth > element.clientWidth + 1)
          .map((element) => element.tagName + ' ' + element.scrollWidth + ' > ' + element.clientWidth)`,
      );
      assert.deepEqual(hidden, []);
      assert.deepEqual(complaints, []);
    });
  }

  test('copies each command exactly', async (context) => {
    const { page, complaints } = await open(context, 1200);
    const boxes = await page.locator('.command').all();
    assert.ok(boxes.length >= 11);
    for (const box of boxes) {
      await box.getByRole('button', { name: 'Copy' }).click();
      await box.getByText('Copied').waitFor();
      const copied = await page.evaluate('navigator.clipboard.readText()');
      assert.equal(copied, await box.locator('pre').textContent());
    }
    assert.deepEqual(complaints, []);
  });

  test('copies also without a clipboard API, as at an http address of another machine', async (context) => {
    const { page } = await open(context, 1200);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    const box = page.locator('.command').first();
    await box.getByRole('button', { name: 'Copy' }).click();
    await box.getByText('Copied').waitFor();
    const selected = await page.evaluate('String(getSelection())');
    assert.equal(selected, await box.locator('pre').textContent());
  });

  test('is readable in light and in dark', async (context) => {
    const { page } = await open(context, 768);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const selector of ['body', 'small', 'pre', 'button']) {
        const contrast = Number(await page.evaluate(`(${contrastOf})(${JSON.stringify(selector)})`));
        assert.ok(contrast >= 4.5, `${selector} in ${colorScheme}: ${contrast.toFixed(1)}`);
      }
    }
  });
});
