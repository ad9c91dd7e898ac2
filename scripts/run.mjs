// `node scripts/run.mjs COMMAND [ARGUMENT …]` makes the checkout ready, then runs a command of its dependencies;
// the command `node` is the pinned Node, or the one SIMPLE_AGENTS_NODE names. Plain JavaScript for Node 18 and
// later. The path is set here because npm resolved its own before anything was installed.

import { delimiter, join } from 'node:path';
import { relay, relayNode } from './relay.mjs';
import { modulesFolder, pinnedNode, setUp } from './setup.mjs';

const [command, ...argv] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write('Usage: node scripts/run.mjs COMMAND [ARGUMENT …]\n');
  process.exitCode = 2;
} else {
  await run(command);
}

/** @param {string} name */
async function run(name) {
  try {
    await setUp();
    const binaries = join(modulesFolder, '.bin');
    const environment = { ...process.env, PATH: `${binaries}${delimiter}${process.env['PATH']}` };
    if (name === 'node') relayNode(process.env['SIMPLE_AGENTS_NODE'] ?? pinnedNode, argv, environment);
    else relay(join(binaries, name), argv, environment);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
