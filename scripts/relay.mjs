// Runs a program in place of this process: same terminal, same signals, same exit. A Node program also ends when this
// process is killed (see lifeline.cjs). Plain JavaScript for Node 18 and later, which cannot replace a process image.

import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const lifeline = fileURLToPath(new URL('lifeline.cjs', import.meta.url));
const lifelineDescriptor = 3;

/**
 * Runs a Node program in place of this process.
 * @param {string} node
 * @param {readonly string[]} argv
 * @param {NodeJS.ProcessEnv} [environment]
 */
export function relayNode(node, argv, environment = process.env) {
  relay(node, ['--require', lifeline, ...argv], {
    ...environment,
    SIMPLE_AGENTS_LIFELINE: String(lifelineDescriptor),
  });
}

/**
 * Ends this process with the exit code or signal of the program.
 * @param {string} command
 * @param {readonly string[]} argv
 * @param {NodeJS.ProcessEnv} [environment]
 */
export function relay(command, argv, environment = process.env) {
  const child = spawn(command, argv, { stdio: ['inherit', 'inherit', 'inherit', 'pipe'], env: environment });
  const stopForwarding = forwardSignals(child);
  child.on('error', (error) => {
    process.stderr.write(`Cannot run ${command}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (exitCode, signal) => {
    stopForwarding();
    if (signal === null) process.exitCode = exitCode ?? 1;
    else process.kill(process.pid, signal);
  });
}

/** @param {import('node:child_process').ChildProcess} child */
function forwardSignals(child) {
  // A terminal sends its signals to the complete process group, so the child already has them; forwarding would deliver
  // one Ctrl-C twice.
  const fromTerminal = hasTerminal() ? () => {} : (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  const fromElsewhere = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  const listeners = /** @type {const} */ ([
    ['SIGINT', fromTerminal],
    ['SIGQUIT', fromTerminal],
    ['SIGTERM', fromElsewhere],
    ['SIGHUP', fromElsewhere],
  ]);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

function hasTerminal() {
  try {
    closeSync(openSync('/dev/tty', 'r'));
    return true;
  } catch {
    return false;
  }
}
