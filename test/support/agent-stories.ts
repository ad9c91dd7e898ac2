// Plays many stories, in a thread of its own: the test runner's watch over promises would more than double the time.

import { workerData } from 'node:worker_threads';
import * as fc from 'fast-check';
import { play, story } from './agent-world.ts';

await fc.assert(
  fc.asyncProperty(story, (told) => play(told)),
  workerData as { numRuns: number; seed: number },
);
