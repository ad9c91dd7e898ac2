// What the gateway offers: its models, its version, and whether it can be reached.

import { computed, signal } from '@preact/signals';
import { call, CallError, onKey } from './access.ts';

export interface Model {
  readonly id: string;
  readonly provider: string;
  readonly contextWindow?: number;
  /** US dollars for a million tokens. */
  readonly price?: { readonly input: number; readonly output: number };
}

export type Connection = 'connecting' | 'connected' | 'offline' | 'locked';

export const connection = signal<Connection>('connecting');
export const models = signal<readonly Model[]>([]);
export const version = signal('');
/** What the gateway says about itself: which models it uses, and why. */
export const note = document.querySelector<HTMLMetaElement>('meta[name=note]')?.content ?? '';

/** Whether the gateway has only the simulated model. */
export const isSimulated = computed(
  () => models.value.length > 0 && models.value.every(({ provider }) => /^simulated(?:-\d)?$/.test(provider)),
);

const retryDelay = 2000;
let timer: ReturnType<typeof setTimeout> | undefined;

export async function loadGateway(): Promise<void> {
  clearTimeout(timer);
  try {
    const health = (await (await call('/health')).json()) as { version: string };
    version.value = health.version;
    const { data } = (await (await call('/v1/models')).json()) as { data: readonly ListedModel[] };
    models.value = data.map(toModel);
    connection.value = 'connected';
  } catch (error) {
    fail(error);
  }
}

/** A view noticed that the gateway does not answer. */
export function fail(error: unknown): void {
  const isLocked = error instanceof CallError && error.status === 401;
  connection.value = isLocked ? 'locked' : 'offline';
  if (isLocked) onKey(() => void loadGateway());
  else timer = setTimeout(() => void loadGateway(), retryDelay);
}

interface ListedModel {
  readonly id: string;
  readonly owned_by: string;
  readonly context_window?: number;
  readonly price?: Model['price'];
}

function toModel({ id, owned_by: provider, context_window: contextWindow, price }: ListedModel): Model {
  return { id, provider, ...(contextWindow && { contextWindow }), ...(price && { price }) };
}
