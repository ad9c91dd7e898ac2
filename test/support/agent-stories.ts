// Runs many random stories in a separate thread, because the test runner's promise tracking would more than double the
// time.

import { workerData } from 'node:worker_threads';
import * as fc from 'fast-check';
import { play, story } from './agent-simulation.ts';

await fc.assert(
  fc.asyncProperty(story, (told) => play(told)),
  workerData as { numRuns: number; seed: number },
);
