// The repair that the user points at: in the text, in the list or in the value.

import { signal } from '@preact/signals';

/** Its index in the flags. */
export const pointed = signal<number | undefined>(undefined);

export function point(flag: number | undefined): void {
  pointed.value = flag;
}
