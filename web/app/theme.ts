// Light or dark: as the system is set, unless the user chose one on this page.

import { effect, signal } from '@preact/signals';
import { readStored, store } from '../kit/storage.ts';

export type Theme = 'system' | 'light' | 'dark';

const key = 'theme';

export const theme = signal<Theme>(toTheme(readStored(key)));

effect(() => {
  if (theme.value === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme.value;
  store(key, theme.value);
});

function toTheme(stored: unknown): Theme {
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}
