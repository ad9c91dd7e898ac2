// Which view is shown: the fragment of the address, so that every view has a link and the back button works.

import { signal } from '@preact/signals';

export const viewNames = ['healing', 'chat', 'live', 'simulate', 'connect'] as const;
export type ViewName = (typeof viewNames)[number];

export const view = signal<ViewName>(read());

addEventListener('hashchange', () => {
  view.value = read();
});

export function linkTo(name: ViewName): string {
  return `#${name}`;
}

function read(): ViewName {
  const name = location.hash.slice(1);
  return viewNames.find((known) => known === name) ?? 'healing';
}
