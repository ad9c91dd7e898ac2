// Takes the lock of a session's folder when a line arrives, reports the outcome, and holds the lock until standard input
// ends.

import { takeLock } from '../../../src/coder/session/lock.ts';

const [, , folder = ''] = process.argv;
process.stdin.on('end', () => process.exit());
process.stdin.once('data', () => process.stdout.write(`${takeLock(folder).kind}\n`));
process.stdout.write('ready\n');
