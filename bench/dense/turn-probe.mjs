// Preloaded into a server to be measured: on SIGUSR2 it prints the most CPU time that one turn of the event loop has taken
// since the last signal, in milliseconds, and the memory of the process. It counts the CPU time of the main thread, so
// other work on the machine does not change it.

let before = process.threadCpuUsage();
let worst = 0;

function measure() {
  const now = process.threadCpuUsage();
  worst = Math.max(worst, now.user + now.system - before.user - before.system);
  before = now;
  setImmediate(measure).unref();
}

setImmediate(measure).unref();

process.on('SIGUSR2', () => {
  const { rss, heapUsed } = process.memoryUsage();
  process.stdout.write(`turn ${JSON.stringify({ worst: worst / 1000, rss, heapUsed })}\n`);
  worst = 0;
});
