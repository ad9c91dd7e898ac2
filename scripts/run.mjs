// `node scripts/run.mjs [--for PURPOSE] COMMAND [ARGUMENT …]` sets up the checkout for a purpose of setup.mjs (`develop` by
// default), then runs a command from its dependencies. The command `node` is the pinned Node, or the one in
// SIMPLE_AGENTS_NODE; it is also first on the PATH. Plain JavaScript for Node 18 and later.

import { delimiter, dirname, join } from 'node:path';
import { modulesFolder } from './pinned-node.mjs';
import { relay, relayNode } from './relay.mjs';
import { chosenNode, purposes, setUp, toPurpose } from './setup.mjs';

const argv = process.argv.slice(2);
const purpose = argv[0] === '--for' ? argv.splice(0, 2)[1] : 'develop';
const [command, ...rest] = argv;
if (command === undefined || purpose === undefined) {
  process.stderr.write(`Usage: node scripts/run.mjs [--for ${purposes.join('|')}] COMMAND [ARGUMENT …]\n`);
  process.exitCode = 2;
} else {
  try {
    await setUp(toPurpose(purpose));
    run(command, chosenNode() ?? process.execPath);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/**
 * @param {string} name
 * @param {string} node
 */
function run(name, node) {
  // npm set its PATH before the packages were installed.
  const binaries = join(modulesFolder, '.bin');
  const path = [dirname(node), binaries, process.env['PATH']].join(delimiter);
  const environment = { ...process.env, PATH: path };
  if (name === 'node') relayNode(node, rest, environment);
  else relay(join(binaries, name), rest, environment);
}
