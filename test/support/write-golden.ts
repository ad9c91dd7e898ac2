// Writes `events.jsonl` for every cassette that has none yet. Existing ones are never overwritten: delete the
// file to write it again, then review the difference.

import { existsSync, writeFileSync } from 'node:fs';

import { decodeChunks, goldenPath, loadCassettes, openDecoder } from './cassette.ts';

for (const cassette of loadCassettes()) {
  if (existsSync(goldenPath(cassette))) continue;
  const { events, failure } = decodeChunks(openDecoder(cassette.wire.client), [cassette.bytes]);
  const lines: unknown[] = failure === undefined ? [...events] : [...events, { failure }];
  writeFileSync(goldenPath(cassette), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  console.log(`wrote ${cassette.name}`);
}
