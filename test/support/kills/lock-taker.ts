// Takes the lock of a session's folder when a file appears, reports the outcome, and holds it until standard input ends.

import { existsSync } from 'node:fs';
import { takeLock } from '../../../src/coder/session/lock.ts';

const [, , folder = '', start = ''] = process.argv;
process.stdout.write('ready\n');
while (!existsSync(start)) await new Promise(setImmediate);
const outcome = takeLock(folder);
process.stdout.write(`${outcome.kind}\n`);
process.stdin.resume();
