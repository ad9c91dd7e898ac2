// The simulated targets of the gateway, their faults, and traffic for them.

import { signal } from '@preact/signals';
import { call, postJson } from '../app/access.ts';
import { streamCompletion } from '../app/completion.ts';

export interface SimulatedTarget {
  readonly name: string;
  readonly fault: object;
}

interface Simulation {
  /** Null if the gateway has no simulated targets. */
  readonly model: string | null;
  readonly targets: readonly SimulatedTarget[];
}

/** Undefined until the gateway has answered. */
export const simulation = signal<Simulation | undefined>(undefined);
export const problem = signal('');
export const isRunning = signal(false);

export async function loadSimulation(): Promise<void> {
  await show(call('/api/simulation'));
}

export async function setFault(target: string, fault: object): Promise<void> {
  await show(postJson('/api/simulation', { target, fault }));
}

async function show(answering: Promise<Response>): Promise<void> {
  try {
    simulation.value = (await (await answering).json()) as Simulation;
    problem.value = '';
  } catch (error) {
    problem.value = (error as Error).message;
  }
}

/** Browsers open six connections to a gateway. One of them is the live feed. */
const mostOpen = 4;
const interval = 250;
/** Traffic stops by itself, in case the page is forgotten. */
const longestRun = 5 * 60_000;

const schema = {
  type: 'object',
  properties: { city: { type: 'string' }, degrees: { type: 'number' }, sunny: { type: 'boolean' } },
  required: ['city', 'degrees', 'sunny'],
  additionalProperties: false,
};

let stopping: AbortController | undefined;

export function stopTraffic(): void {
  stopping?.abort();
}

export function startTraffic(model: string): void {
  stopTraffic();
  const controller = new AbortController();
  stopping = controller;
  isRunning.value = true;
  let [open, count] = [0, 0];
  const timer = setInterval(() => {
    if (open >= mostOpen) return;
    open++;
    void send(toBody(model, count++), controller.signal).finally(() => open--);
  }, interval);
  const stop = setTimeout(() => controller.abort(), longestRun);
  controller.signal.addEventListener('abort', () => {
    clearInterval(timer);
    clearTimeout(stop);
    if (stopping === controller) isRunning.value = false;
  });
}

/** Text and JSON in turn, each a little different, so that no cache answers. */
function toBody(model: string, count: number): object {
  const isJson = count % 2 === 1;
  const content = isJson ? `The weather in town ${count}` : `Count to ${10 + (count % 30)}`;
  const format = { type: 'json_schema', json_schema: { name: 'weather', schema } };
  return { model, messages: [{ role: 'user', content }], ...(isJson && { response_format: format }) };
}

async function send(body: object, signalled: AbortSignal): Promise<void> {
  try {
    for await (const _event of streamCompletion(body, signalled));
  } catch {
    // The list of calls shows what failed.
  }
}
