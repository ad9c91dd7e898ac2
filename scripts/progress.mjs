// What a set-up says while it works, on stderr: each step, and every few seconds that it is still under way. Plain
// JavaScript for Node 18 and later.

const heartbeatMs = 5_000;
const shownLines = 30;

/** @param {string} line */
export function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Says what begins and, when it succeeded, how long it took.
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
 * Waits for a program, keeping the end of what it writes.
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
