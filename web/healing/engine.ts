// Healing itself, which is most of the page's code. It is loaded after the first paint.

import { signal } from '@preact/signals';
import type { checkSchema, LiveHealer } from './live-healer.ts';

interface Engine {
  readonly LiveHealer: typeof LiveHealer;
  readonly checkSchema: typeof checkSchema;
}

export const engine = signal<Engine | undefined>(undefined);

export async function loadEngine(): Promise<void> {
  engine.value ??= await import('./live-healer.ts');
}
