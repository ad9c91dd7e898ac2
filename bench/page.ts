// The gateway's page in Chromium: compressed size, first paint on loopback, and long tasks of long and of fast answers.
// Timings need a quiet machine. `--check` exits with 1 if a bar is missed.

import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { withObservation } from '../src/gateway/observe/observe.ts';
import { createServer } from '../src/server/server.ts';
import { createSimulatedProvider, type SimulatedOptions } from '../src/testing/model/provider.ts';
import { openBrowser } from '../test/support/browser.ts';

const bars = { firstViewKilobytes: 80, firstPaint: 200, longTask: 50 };
const firstPaints = 9;
const firstPaint = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`;

const manyLines = Array.from({ length: 10_000 }, (_, line) => {
  if (line % 40 === 0) return `\n## Part ${line}\n`;
  return line % 7 === 0 ? `- item **${line}** with \`code\`` : `Line ${line}, with *emphasis* and more words.`;
}).join('\n');

const answers: Readonly<Record<string, string>> = {
  'ten thousand lines': manyLines,
  'a paragraph of 1 MB': 'All of this is one paragraph that does not end. '.repeat(21_000),
  'a word of 1 MB': 'x'.repeat(1_000_000),
  'ten thousand lines of code': `\`\`\`ts\n${'const answer = 42;\n'.repeat(10_000)}\`\`\``,
  'a table of ten thousand rows': `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(10_000)}`,
};
const replies = Object.entries(answers).map(([contains, text]) => ({ match: { contains }, text }));

const isChecking = process.argv.includes('--check');

function report(name: string, value: number, unit: string, bar?: number): void {
  const isMissed = bar !== undefined && value > bar;
  const shown = `${name.padEnd(58)}${value.toFixed(unit === 'KB' ? 1 : 0).padStart(7)} ${unit}`;
  process.stdout.write(`${shown}${bar === undefined ? '' : `  bar ${bar}${isMissed ? ' MISSED' : ''}`}\n`);
  if (isMissed && isChecking) process.exitCode = 1;
}

const models = () => ['simulated', 'b', 'c', 'd'].map((id) => ({ id, provider: 'simulated' }));

interface OpenedPage {
  readonly page: Page;
  readonly bodies: Promise<readonly [path: string, size: number]>[];
}

async function withPage(view: string, simulated: SimulatedOptions, use: (opened: OpenedPage) => Promise<void>) {
  const provider = withObservation(createSimulatedProvider({ script: { replies, otherwise: 'reply' }, ...simulated }));
  const server = createServer({ port: 0, drain: 0, models, provider });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  try {
    const page = await context.newPage();
    const bodies: OpenedPage['bodies'] = [];
    page.on('response', (response) => {
      const path = new URL(response.url()).pathname;
      if (path === '/' || path.startsWith('/assets/'))
        bodies.push(response.body().then((body) => [path, gzipSync(body).length] as const));
    });
    await page.goto(`${await server.listen()}/#${view}`);
    await use({ page, bodies });
  } finally {
    await context.close();
    await server.close();
  }
}

/** What the browser itself needs on this machine, for a page without styles and scripts. */
async function measureEmptyPage(): Promise<void> {
  const server = createHttpServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<!doctype html><p>Empty');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const paints: number[] = [];
  for (let round = 0; round < firstPaints; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await page.waitForTimeout(500);
    paints.push(Number(await page.evaluate(firstPaint)));
    await context.close();
  }
  server.close();
  report('first contentful paint of an empty page', median(paints), 'ms');
}

async function measureOpening(): Promise<void> {
  const paints: number[] = [];
  let sizes: readonly (readonly [string, number])[] = [];
  for (let round = 0; round < firstPaints; round += 1) {
    await withPage('healing', {}, async ({ page, bodies }) => {
      await page.getByRole('button', { name: 'Watch it heal' }).first().waitFor();
      await page.waitForTimeout(500);
      paints.push(Number(await page.evaluate(firstPaint)));
      sizes = await Promise.all(bodies);
    });
  }
  const total = (isEngine: boolean): number =>
    sizes.reduce((sum, [path, size]) => sum + (path.includes('live-healer') === isEngine ? size : 0), 0) / 1024;
  report('first view, gzip', total(false), 'KB', bars.firstViewKilobytes);
  report('healing, loaded after the first paint, gzip', total(true), 'KB');
  report(`first contentful paint, median of ${firstPaints}`, median(paints), 'ms', bars.firstPaint);
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;
}

const observeLongTasks = `window.longTasks = [];
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration)))
    .observe({ type: 'longtask' })`;

async function ask(page: Page, text: string): Promise<void> {
  await page.waitForTimeout(500);
  await page.evaluate(observeLongTasks);
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

async function reportLongTasks(page: Page, name: string): Promise<void> {
  const tasks = (await page.evaluate('longTasks')) as number[];
  report(`${name}: longest task (${tasks.length} over 50 ms)`, Math.max(0, ...tasks), 'ms', bars.longTask);
}

async function measureAnswer(name: string): Promise<void> {
  await withPage('chat', {}, async ({ page }) => {
    await page.getByText('Talk to any model').waitFor();
    await ask(page, name);
    await page.locator('.figures').waitFor({ timeout: 120_000 });
    await page.waitForTimeout(6000);
    for (let turn = 0; turn < 10; turn += 1) {
      await page.mouse.move(700, 400);
      await page.mouse.wheel(0, -4000);
      await page.waitForTimeout(50);
    }
    await reportLongTasks(page, name);
  });
}

async function measureColumns(): Promise<void> {
  await withPage('chat', { tokensPerSecond: 100 }, async ({ page }) => {
    await page.getByText('Talk to any model').waitFor();
    for (let count = 0; count < 3; count += 1) await page.getByRole('button', { name: 'Compare' }).click();
    await ask(page, 'ten thousand lines');
    await page.waitForTimeout(20_000);
    await reportLongTasks(page, 'four columns, 100 tokens/s, 20 s');
  });
}

const browser = await openBrowser();
try {
  await measureEmptyPage();
  await measureOpening();
  for (const name of Object.keys(answers)) await measureAnswer(name);
  await measureColumns();
} finally {
  await browser.close();
}
