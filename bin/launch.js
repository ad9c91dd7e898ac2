// Starts a program: checks that Node is recent enough, then runs the command line. Only `--version` is handled here, so that
// it loads nothing else. CommonJS (see package.json next to it), so that Node 18 and later can at least print what is
// wrong, and because an ES module entry takes 7 ms longer.
'use strict';

const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { engines, version } = require('../package.json');

const root = join(__dirname, '..');
// A checkout runs its sources directly; the published package has only the compiled files.
const isCheckout = existsSync(join(root, 'src'));

/**
 * @param {string} program its name for messages
 * @param {string} entry the file of its command line in src/cli, without extension
 * @param {string} built the same file in dist
 */
exports.launch = function launch(program, entry, built) {
  const argv = process.argv.slice(2);
  const reportSetupError = (reason, remedy) => {
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
    reportSetupError(
      'the dependencies of this checkout are not installed.',
      `Run \`npm run setup\` in ${root} and try again.`,
    );
  } else if (isSupported(process.versions.node)) {
    run(argv, { entry, built }, fail);
  } else {
    runWithPinnedNode([join(__dirname, program), ...argv], reportSetupError).catch(fail);
  }
};

/** The exit code if standard output cannot be written: the result is lost, even if the command succeeded. */
const outputExitCode = 9;

/** Failed writes to standard error are ignored, because the result is on standard output. */
function watchOutput(program) {
  process.stderr.on('error', () => {});
  process.stdout.on('error', (error) => {
    // The reader closed the pipe, as in `| head`.
    if (error.code === 'EPIPE') process.exit();
    const reason = error.message.replace(/, write$/, '');
    process.stderr.write(
      `${program}: standard output cannot be written (${reason})\nRedirect it to another file, or free disk space.\n`,
    );
    process.exit(outputExitCode);
  });
}

function run(argv, { entry, built }, fail) {
  // Without the compile cache, stripping types takes 50 ms at every start of a checkout.
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

async function runWithPinnedNode(argv, reportSetupError) {
  const remedy = isCheckout
    ? `Run \`npm run setup\` in ${root}: it installs its own Node.`
    : 'Install a newer Node from https://nodejs.org.';
  const pinnedNode = isCheckout && (await import('../scripts/pinned-node.mjs')).findPinnedNode();
  if (!pinnedNode)
    return reportSetupError(`Node ${process.versions.node} is too old; ${engines.node} is required.`, remedy);
  const { relayNode } = await import('../scripts/relay.mjs');
  relayNode(pinnedNode, argv);
}

function isSupported(current) {
  const [major, minor] = current.split('.').map(Number);
  const [, leastMajor, leastMinor] = /(\d+)\.(\d+)/.exec(engines.node).map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
