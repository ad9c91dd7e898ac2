// An observer: adds a line to .forgeflare/audit.jsonl for every call, result and end of a turn. It logs only the size of a
// result, because results may be long and private.

import { appendFileSync, readFileSync } from 'node:fs';

const { cwd: _cwd, result, ...event } = JSON.parse(readFileSync(0, 'utf8'));
const size = result === undefined ? {} : { bytes: Buffer.byteLength(result) };
const line = { time: new Date().toISOString(), ...event, ...size };
// One write per line, so that lines of two agents do not mix.
appendFileSync('.forgeflare/audit.jsonl', `${JSON.stringify(line)}\n`);
process.stdout.write('{"action":"continue"}\n');
