// An observer: adds a line to .forgeflare/audit.jsonl for every call, result and end of a turn. Of a result it keeps the
// size, for it may be long and private.

import { appendFileSync, readFileSync } from 'node:fs';

const { cwd: _cwd, result, ...told } = JSON.parse(readFileSync(0, 'utf8'));
const size = result === undefined ? {} : { bytes: Buffer.byteLength(result) };
const line = { time: new Date().toISOString(), ...told, ...size };
// One write for the whole line, so that two agents do not mix theirs.
appendFileSync('.forgeflare/audit.jsonl', `${JSON.stringify(line)}\n`);
process.stdout.write('{"action":"continue"}\n');
