// Writes convergence.json as fast as possible, until it kills itself at a given moment.

import { writeSync } from 'node:fs';
import { Convergence } from '../../../src/coder/hooks/convergence.ts';

const [, , path = '', lifetime = '0'] = process.argv;
const convergence = new Convergence(path, (line) => void writeSync(2, `${line}\n`));
await convergence.clear();
setTimeout(() => process.kill(process.pid, 'SIGKILL'), Number(lifetime));
for (let iterations = 0; ; iterations++) {
  const reason = 'x'.repeat(2 ** (iterations % 17));
  await convergence.append([{ signal: `s${iterations}`, reason, iterations }]);
  if (iterations % 3 === 0) await convergence.finish({ reason: 'end_turn', iterations, totalTokens: iterations });
  if (iterations % 20 === 19) await convergence.clear();
}
