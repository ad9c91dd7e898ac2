// The gateway's page in a real browser, with a real server and the simulated model. Everything closes with its test.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import type { TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { withObservation } from '../../src/gateway/observe/observe.ts';
import { createServer, type ServerOptions } from '../../src/server/server.ts';
import { createSimulatedProvider, type SimulatedOptions } from '../../src/testing/model/provider.ts';
import { SimulatedTargets } from '../../src/cli/simple-agents/serve/simulated-targets.ts';
import { loadSettings } from '../../src/config/load.ts';
import { createGateway, createSimulated } from '../../src/node.ts';

export const desk = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

export interface WebPageOptions extends Partial<Omit<ServerOptions, 'provider'>> {
  readonly view?: string;
  readonly viewport?: typeof desk;
  readonly colorScheme?: 'light' | 'dark';
  /** Replaces the gateway's own simulated model. */
  readonly simulated?: SimulatedOptions;
  /** Errors on the console that the test expects. */
  readonly expects?: RegExp;
}

const models = () => [
  { id: 'simulated', provider: 'simulated' },
  { id: 'other', provider: 'simulated' },
];

export interface WebPage {
  readonly page: Page;
  readonly url: string;
  /** Errors and requests to other places. */
  readonly complaints: string[];
  readonly stop: () => Promise<void>;
}

export async function openWebPage(
  context: TestContext,
  browser: Browser,
  options: WebPageOptions = {},
): Promise<WebPage> {
  const { view = 'healing', viewport = desk, colorScheme = 'light', simulated, expects, ...settings } = options;
  const served =
    simulated === undefined ? await createServed() : { provider: withObservation(createSimulatedProvider(simulated)) };
  const server = createServer({ port: 0, drain: 0, models, ...settings, ...served });
  const url = await server.listen();
  const browsing = await browser.newContext({
    viewport,
    colorScheme,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.after(async () => {
    await browsing.close();
    await server.close();
  });
  const page = await browsing.newPage();
  page.setDefaultTimeout(30_000);
  const complaints = complaintsOf(page, url, expects);
  await page.goto(`${url}/#${view}`);
  return { page, url, complaints, stop: () => server.close() };
}

/** The gateway of `serve` without a configuration. */
async function createServed(): Promise<Pick<ServerOptions, 'provider' | 'simulation'>> {
  const targets = new SimulatedTargets();
  const settings = targets.addTo(await loadSettings({ cwd: tmpdir(), env: {} }));
  const provider = createGateway(settings, {
    simulated: (one) => (targets.has(one.name, settings) ? targets.create(one.name) : createSimulated(one)),
  });
  return { provider, simulation: () => targets.simulationOf(settings) };
}

function complaintsOf(page: Page, url: string, expected = /^$/): string[] {
  const complaints: string[] = [];
  const add = (complaint: string): void => {
    if (!expected.test(complaint)) complaints.push(complaint);
  };
  page.on('pageerror', (error) => add(error.message));
  page.on('console', (message) => message.type() === 'error' && add(message.text()));
  page.on('request', (request) => {
    const address = request.url();
    if (!address.startsWith(url) && !address.startsWith('data:')) add(`asked for ${address}`);
  });
  return complaints;
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Something that fades in has its colours at the end. */
const animationsEnded = `Promise.allSettled(document.getAnimations()
  .filter((animation) => animation.effect.getComputedTiming().endTime !== Infinity)
  .map((animation) => animation.finished))`;

/** What axe-core finds, as lines. Evaluated through the debugger, because the policy of the page allows no other script. */
export async function axeViolations(page: Page): Promise<string[]> {
  await page.evaluate(animationsEnded);
  await page.evaluate(axe);
  const found = (await page.evaluate(`axe.run(document, { resultTypes: ['violations'] })`)) as {
    violations: { id: string; help: string; nodes: { html: string }[] }[];
  };
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 160)}`),
  );
}

/** By how many pixels the content is wider than the window, or than a part of the page that should not scroll sideways. */
export async function overflow(page: Page): Promise<number> {
  const widest = `Math.max(document.scrollingElement.scrollWidth - window.innerWidth,
    ...[...document.querySelectorAll('main, .card, .log, .scroll, .column, .toolbar')]
      .map((element) => element.scrollWidth - element.clientWidth))`;
  return Number(await page.evaluate(widest));
}

/** Sends a message in the chat. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}
