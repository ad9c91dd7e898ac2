// Preloaded into a process to be measured: at SIGUSR2 it collects what is no longer used and tells what is left.

process.on('SIGUSR2', () => {
  globalThis.gc?.();
  globalThis.gc?.();
  process.stdout.write(`memory ${JSON.stringify(process.memoryUsage())}\n`);
});
