// The text and how much of it has "arrived". A text that is known plays at a chosen speed and can be scrubbed; the text of
// a model plays as it comes.

import { batch, computed, signal } from '@preact/signals';
import { engine } from './engine.ts';
import type { Healed } from './live-healer.ts';
import { schemaState } from './schema-source.ts';

/** Characters per second; undefined is everything at once. */
export const speeds = [
  { name: 'Slow motion', rate: 14 },
  { name: 'Reading speed', rate: 60 },
  { name: 'Fast', rate: 400 },
  { name: 'At once', rate: undefined },
] as const;

export const speed = signal<number | undefined>(60);
export const text = signal('');
/** How much of the text has arrived. */
export const position = signal(0);
export const isPlaying = signal(false);
/** More of the text may come from a model. */
export const isReceiving = signal(false);

export const isComplete = computed(() => !isReceiving.value && position.value >= text.value.length);

const healer = computed(() => {
  const { schema } = schemaState.value;
  return schema === undefined || engine.value === undefined ? undefined : new engine.value.LiveHealer(schema);
});

const nothing: Healed = { value: undefined, flags: [] };

export const healed = computed((): Healed => {
  if (healer.value === undefined || text.value === '' || position.value === 0) return nothing;
  return healer.value.show(text.value.slice(0, position.value), isComplete.value);
});

/** Replaces the text and shows all of it. */
export function showText(next: string): void {
  batch(() => {
    isPlaying.value = false;
    isReceiving.value = false;
    text.value = next;
    position.value = next.length;
  });
}

/** Plays the text from its beginning. */
export function playText(next: string): void {
  batch(() => {
    isReceiving.value = false;
    text.value = next;
    position.value = 0;
  });
  play();
}

/** Begins a text that a model sends. */
export function beginReceiving(): void {
  batch(() => {
    text.value = '';
    position.value = 0;
    isReceiving.value = true;
  });
  play();
}

export function receive(part: string): void {
  text.value += part;
}

export function endReceiving(): void {
  isReceiving.value = false;
}

export function play(): void {
  if (isComplete.value && !isReceiving.value) position.value = 0;
  isPlaying.value = true;
  lastFrame = undefined;
  owed = 0;
  requestAnimationFrame(advance);
}

export function pause(): void {
  isPlaying.value = false;
}

/** Moves to a place in the text, and stops there. */
export function seek(place: number): void {
  batch(() => {
    isPlaying.value = false;
    position.value = Math.max(0, Math.min(text.value.length, place));
  });
}

let lastFrame: number | undefined;
/** A fraction of a character. */
let owed = 0;

function advance(now: number): void {
  if (!isPlaying.value) return;
  const elapsed = Math.min(100, now - (lastFrame ?? now));
  lastFrame = now;
  owed += speed.value === undefined ? text.value.length : (speed.value * elapsed) / 1000;
  const whole = Math.floor(owed);
  owed -= whole;
  if (whole > 0) position.value = Math.min(text.value.length, position.value + whole);
  if (isComplete.value) isPlaying.value = false;
  else requestAnimationFrame(advance);
}
