// A real browser for tests of pages: Chromium, or an installed Chrome.

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

/** The caller closes it. */
export async function openBrowser(): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  // The browser's sandbox does not work as root, and the pages are trusted.
  return chromium.launch({ executablePath: executable ?? '', args: ['--no-sandbox'] });
}

function findBrowser(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return [...commands.flatMap((command) => folders.map((folder) => join(folder, command))), ...places].find(existsSync);
}
