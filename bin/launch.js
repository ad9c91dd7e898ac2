// Starts a command line: makes sure of a Node that is new enough, then hands over. It knows no command; only `--version`
// is answered here, so that asking for it loads nothing. Plain CommonJS (see package.json beside it), so that every Node
// back to 18 gets far enough to say what is wrong, and because an ES module entry costs 7 ms more.
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { engines, version } = require('../package.json');

const root = join(__dirname, '..');
// A checkout runs its sources as they are; the published package has only the compiled files.
const isCheckout = existsSync(join(root, 'src'));

/**
 * @param {string} program its name, for what it says
 * @param {string} entry the file of its command line in src/cli, without ending
 * @param {string} built the same in dist, as the build made it
 */
exports.launch = function launch(program, entry, built) {
  const argv = process.argv.slice(2);
  const refuse = (reason, remedy) => {
    process.stderr.write(`${program}: ${reason}\n${remedy}\n`);
    process.exitCode = 1;
  };
  const fail = (error) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${program}: internal error: ${message}\n`);
    if (process.env.SIMPLE_AGENTS_DEBUG === '1' && error instanceof Error) process.stderr.write(`${error.stack}\n`);
    process.exit(1);
  };
  watchOutput(program);
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${version}\n`);
  } else if (isCheckout && !existsSync(join(root, 'node_modules'))) {
    refuse('the dependencies of this checkout are not installed.', `Run \`npm run setup\` in ${root} and try again.`);
  } else if (isSupported(process.versions.node)) {
    run(argv, { entry, built }, fail);
  } else {
    runWithPinnedNode([join(__dirname, program), ...argv], refuse).catch(fail);
  }
};

/** The exit code when standard output cannot be written: the result is lost, whatever the command did. */
const outputExitCode = 9;

/** What cannot be written to standard error is lost without harm: the result is on standard output. */
function watchOutput(program) {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    // The reader has what it wanted, as in `| head`.
    if (error.code === 'EPIPE') process.exit();
    const reason = error.message.replace(/, write$/, '');
    process.stderr.write(
      `${program}: standard output cannot be written (${reason})\nSend it elsewhere, or make room there.\n`,
    );
    process.exit(outputExitCode);
  });
}

function run(argv, { entry, built }, fail) {
  // Without the cache, stripping types costs a checkout 50 ms at every start.
  require('node:module').enableCompileCache();
  // A server has its own listener, which lets calls in progress finish first.
  process.on('uncaughtException', (error) => {
    if (process.listenerCount('uncaughtException') === 1) fail(error);
  });
  const file = join(root, isCheckout ? `src/cli/${entry}.ts` : `dist/${built}.js`);
  void import(require('node:url').pathToFileURL(file).href)
    .then(({ main }) => main(argv))
    .then((exitCode) => {
      process.exitCode = exitCode;
    })
    .catch(fail);
}

async function runWithPinnedNode(argv, refuse) {
  const remedy = isCheckout
    ? `Run \`npm run setup\` in ${root}: it installs a Node of its own.`
    : 'Install a newer Node from https://nodejs.org.';
  const pinnedNode = isCheckout && (await import('../scripts/pinned-node.mjs')).findPinnedNode();
  if (!pinnedNode) return refuse(`Node ${process.versions.node} is too old; ${engines.node} is needed.`, remedy);
  const { relayNode } = await import('../scripts/relay.mjs');
  relayNode(pinnedNode, argv);
}

function isSupported(current) {
  const [major, minor] = current.split('.').map(Number);
  const [, leastMajor, leastMinor] = /(\d+)\.(\d+)/.exec(engines.node).map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
