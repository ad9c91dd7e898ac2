// Reports the progress of the setup on stderr: each step, and a line every few seconds while it runs. Plain JavaScript for
// Node 18 and later.

const heartbeatMs = 5_000;
const shownLines = 30;

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Reports the start of a step and, if it succeeds, its duration.
 * @param {string} what
 * @param {() => Promise<void>} work
 */
export async function step(what, work) {
  say(`${what} …`);
  const started = Date.now();
  await work();
  say(`Done in ${secondsSince(started)} s.`);
}

/**
 * Waits for a program and returns the end of its output.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<{ exitCode: number, output: string }>}
 */
export async function withHeartbeat(child) {
  const started = Date.now();
  const heartbeat = setInterval(() => say(`  … ${secondsSince(started)} s`), heartbeatMs);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += String(chunk)));
  try {
    const exitCode = await new Promise((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code) => resolve(code ?? 1));
    });
    return { exitCode, output: output.trim().split('\n').slice(-shownLines).join('\n') };
  } catch (error) {
    return {
      exitCode: 1,
      output: `${child.spawnfile} cannot be run: ${error instanceof Error ? error.message : String(error)}`,
    };
  } finally {
    clearInterval(heartbeat);
  }
}

/** @param {number} started */
function secondsSince(started) {
  return Math.round((Date.now() - started) / 1000);
}
