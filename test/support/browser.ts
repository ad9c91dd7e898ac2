// A real browser for the tests of pages: Chromium, or Chrome where there is one already.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Browser } from 'playwright-core';
import type { Part } from './requirement.ts';

const commands = ['chromium', 'chromium-browser', 'google-chrome'];
const places = ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'];

const executable = findBrowser();

export const browserPart: Part = {
  name: 'a browser',
  isPresent: executable !== undefined,
  remedy: 'install it (Debian: apt-get install chromium)',
};

/** Whoever opens it closes it. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  // Root may not have the browser's own sandbox, and the pages are ours.
  return chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'] });
}

function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...commands.flatMap((command) => folders.map((folder) => join(folder, command))), ...places].find(existsSync);
}
