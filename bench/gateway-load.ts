// The gateway under load: 2,000 concurrent streams, memory of an idle stream compared with a bare pipe, and memory over
// 100,000 requests. Options: `--streams 2000`, `--seconds 60`, `--requests 100000`. `--check` exits with 1 if a bar is
// missed.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '2000' },
    seconds: { type: 'string', default: '60' },
    requests: { type: 'string', default: '100000' },
    check: { type: 'boolean', default: false },
  },
});
const root = join(import.meta.dirname, '..');
const probe = ['--expose-gc', '--import', join(root, 'test/support/memory-probe.mjs')];
const folder = mkdtempSync(join(tmpdir(), 'simple-agents-load-'));
const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const children: ChildProcess[] = [];
let isMissed = false;

interface Started {
  readonly child: ChildProcess;
  readonly url: string;
  readonly out: () => string;
}

async function start(argv: readonly string[], pattern: RegExp, env: Record<string, string> = {}): Promise<Started> {
  const child = spawn(process.execPath, [...probe, ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let out = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
  while (!pattern.test(out)) await once(child.stdout ?? child, 'data');
  const found = pattern.exec(out)?.[1] ?? '';
  return { child, url: found.startsWith('http') ? found : `http://127.0.0.1:${found}`, out: () => out };
}

/** Memory of a process in bytes, after garbage collection. */
async function memoryOf({ child, out }: Started): Promise<{ rss: number; used: number }> {
  const before = out().length;
  child.kill('SIGUSR2');
  for (;;) {
    const printed = /^memory (\{.*\})$/m.exec(out().slice(before))?.[1];
    if (printed !== undefined) {
      const { rss, heapUsed, arrayBuffers } = JSON.parse(printed) as NodeJS.MemoryUsage;
      return { rss, used: heapUsed + arrayBuffers };
    }
    await sleep(20);
  }
}

interface PendingResponse {
  readonly text: Promise<string>;
  /** Resolves when the first bytes arrive. */
  readonly started: Promise<unknown>;
  readonly abort: () => void;
}

function send(url: string, model: string, stream: boolean): PendingResponse {
  const started = Promise.withResolvers<unknown>();
  const text = Promise.withResolvers<string>();
  text.promise.catch(() => undefined);
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'go' }] });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const sent = httpRequest(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
    let received = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      received += part;
      started.resolve(undefined);
    });
    response.on('end', () => text.resolve(received));
    response.on('error', (error) => text.reject(error));
  });
  sent.on('error', (error) => {
    started.reject(error);
    text.reject(error);
  });
  sent.end(body);
  return { text: text.promise, started: started.promise, abort: () => void sent.destroy() };
}

function report(what: string, isMet: boolean, figures: string): void {
  if (!isMet) isMissed = true;
  console.log(`${isMet ? 'ok    ' : 'MISSED'} ${what}: ${figures}`);
}

const kibibytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KiB`;
const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

async function manyStreams(gateway: Started): Promise<void> {
  const count = Number(values.streams);
  const events = Number(values.seconds);
  const expected = Array.from({ length: events }, (_, index) => `${index} `).join('');
  const checks: Promise<boolean>[] = [];
  for (let index = 0; index < count; index++) {
    const { text } = send(gateway.url, `openai/paced-${events}-1000`, true);
    checks.push(text.then((received) => wordsOf(received) === expected && received.endsWith('data: [DONE]\n\n')));
    // Without this pause the server's accept queue overflows.
    if (index % 50 === 49) await sleep(20);
  }
  const results = await Promise.allSettled(checks);
  const complete = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  report(`${count} streams for ${events} s`, complete === count, `${complete} complete`);
}

function wordsOf(text: string): string {
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, word]) => word).join('');
}

async function idleStream(server: Started, model: string): Promise<{ rss: number; used: number }> {
  const count = 2000;
  const round = async (streams: number): Promise<() => Promise<void>> => {
    const pending: PendingResponse[] = [];
    for (let index = 0; index < streams; index += 50) {
      const some = Array.from({ length: 50 }, () => send(server.url, model, true));
      await Promise.all(some.map(({ started }) => started));
      pending.push(...some);
    }
    return async () => {
      for (const { abort } of pending) abort();
      await sleep(1000);
    };
  };
  // The first streams pay for memory that stays allocated, mostly compiled code. With more of them, the measured streams
  // would reuse freed pages.
  await (
    await round(100)
  )();
  const before = await memoryOf(server);
  const close = await round(count);
  const after = await memoryOf(server);
  await close();
  return { rss: (after.rss - before.rss) / count, used: (after.used - before.used) / count };
}

async function manyRequests(gateway: Started): Promise<void> {
  const total = Number(values.requests);
  const marks = 10;
  const memory: { rss: number; used: number }[] = [];
  let failed = 0;
  for (let mark = 0; mark < marks; mark++) {
    let left = total / marks;
    const worker = async (): Promise<void> => {
      while (left-- > 0) {
        const text = await send(gateway.url, 'openai/plain', false).text.catch(() => '');
        if (!text.includes('"finish_reason":"stop"')) failed++;
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    memory.push(await memoryOf(gateway));
  }
  const [, second, ...rest] = memory;
  const last = rest.at(-1);
  const growth = (last?.used ?? 0) / (second?.used ?? 1);
  const line = memory.map(({ rss, used }) => `${mebibytes(rss)} (${mebibytes(used)} used)`).join(', ');
  report(`memory over ${total} requests`, growth <= 1.1 && failed === 0, `${failed} failed; ${line}`);
}

try {
  const upstream = await start([join(root, 'bench/gateway-load/upstream.ts')], /^(\d+)\n/m);
  const env = { OPENAI_API_KEY: 'key-of-the-bench', OPENAI_BASE_URL: `${upstream.url}/v1` };
  const serve = [join(root, 'bin/simple-agents'), 'serve', '--port', '0', '--log-level', 'error'];
  const gateway = await start(serve, /listening on (\S+)\n/, env);
  const pipe = await start([join(root, 'bench/gateway-load/pipe.ts'), upstream.url], /^(\d+)\n/m);
  console.log(
    `idle: gateway ${mebibytes((await memoryOf(gateway)).rss)}, pipe ${mebibytes((await memoryOf(pipe)).rss)}`,
  );
  const ours = await idleStream(gateway, 'openai/idle');
  const bare = await idleStream(pipe, 'idle');
  report(
    'memory of an idle stream, bar 1.5 × the bare pipe',
    ours.rss <= 1.5 * bare.rss,
    `RSS ${kibibytes(ours.rss)}, pipe ${kibibytes(bare.rss)} (${(ours.rss / bare.rss).toFixed(2)} ×); in use ${kibibytes(ours.used)}, pipe ${kibibytes(bare.used)} (${(ours.used / bare.used).toFixed(2)} ×)`,
  );
  await manyRequests(gateway);
  await manyStreams(gateway);
} finally {
  agent.destroy();
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isMissed && values.check ? 1 : 0;
