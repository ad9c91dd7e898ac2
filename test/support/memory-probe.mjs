// Preloaded into a process to be measured: on SIGUSR2 it collects garbage and prints its memory usage.

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  process.stdout.write(`memory ${JSON.stringify(process.memoryUsage())}\n`);
});
