// The gateway under load: 2,000 streams at once, an idle stream's memory beside a bare pipe's, memory after 10^5 requests.
// Options: `--streams 2000`, `--seconds 60`, `--requests 100000`. `--check` exits with 1 on a miss.

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

/** The memory of a process after garbage collection, in bytes. */
async function memoryOf({ child, out }: Started): Promise<{ rss: number; used: number }> {
  const before = out().length;
  child.kill('SIGUSR2');
  for (;;) {
    const told = /^memory (\{.*\})$/m.exec(out().slice(before))?.[1];
    if (told !== undefined) {
      const { rss, heapUsed, arrayBuffers } = JSON.parse(told) as NodeJS.MemoryUsage;
      return { rss, used: heapUsed + arrayBuffers };
    }
    await sleep(20);
  }
}

interface Answer {
  readonly text: Promise<string>;
  /** Resolves with the first bytes. */
  readonly begun: Promise<unknown>;
  readonly leave: () => void;
}

function ask(url: string, model: string, stream: boolean): Answer {
  const begun = Promise.withResolvers<unknown>();
  const text = Promise.withResolvers<string>();
  text.promise.catch(() => undefined);
  const body = JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'go' }] });
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const sent = httpRequest(`${url}/v1/chat/completions`, { method: 'POST', agent, headers }, (response) => {
    let received = '';
    response.setEncoding('utf8').on('data', (part: string) => {
      received += part;
      begun.resolve(undefined);
    });
    response.on('end', () => text.resolve(received));
    response.on('error', (error) => text.reject(error));
  });
  sent.on('error', (error) => {
    begun.reject(error);
    text.reject(error);
  });
  sent.end(body);
  return { text: text.promise, begun: begun.promise, leave: () => void sent.destroy() };
}

function tell(what: string, isMet: boolean, figures: string): void {
  if (!isMet) isMissed = true;
  console.log(`${isMet ? 'ok    ' : 'MISSED'} ${what}: ${figures}`);
}

const kibibytes = (bytes: number) => `${(bytes / 1024).toFixed(0)} KiB`;
const mebibytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;

async function manyStreams(gateway: Started): Promise<void> {
  const count = Number(values.streams);
  const events = Number(values.seconds);
  const expected = Array.from({ length: events }, (_, index) => `${index} `).join('');
  const answers: Promise<boolean>[] = [];
  for (let index = 0; index < count; index++) {
    const { text } = ask(gateway.url, `openai/paced-${events}-1000`, true);
    answers.push(text.then((received) => wordsOf(received) === expected && received.endsWith('data: [DONE]\n\n')));
    // Otherwise the queue of connections to accept overflows.
    if (index % 50 === 49) await sleep(20);
  }
  const results = await Promise.allSettled(answers);
  const whole = results.filter((result) => result.status === 'fulfilled' && result.value).length;
  tell(`${count} streams for ${events} s`, whole === count, `${whole} whole`);
}

function wordsOf(text: string): string {
  return [...text.matchAll(/"content":"([^"]*)"/g)].map(([, word]) => word).join('');
}

async function idleStream(server: Started, model: string): Promise<{ rss: number; used: number }> {
  const count = 2000;
  const round = async (streams: number): Promise<() => Promise<void>> => {
    const answers: Answer[] = [];
    for (let index = 0; index < streams; index += 50) {
      const some = Array.from({ length: 50 }, () => ask(server.url, model, true));
      await Promise.all(some.map(({ begun }) => begun));
      answers.push(...some);
    }
    return async () => {
      for (const { leave } of answers) leave();
      await sleep(1000);
    };
  };
  // The first ones include permanent memory, mainly compiled code; more would leave free pages to the others.
  await (
    await round(100)
  )();
  const before = await memoryOf(server);
  const leave = await round(count);
  const after = await memoryOf(server);
  await leave();
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
        const text = await ask(gateway.url, 'openai/plain', false).text.catch(() => '');
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
  tell(`memory over ${total} requests`, growth <= 1.1 && failed === 0, `${failed} failed; ${line}`);
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
  tell(
    'memory of an idle stream, at most 1.5 × the bare pipe’s',
    ours.rss <= 1.5 * bare.rss,
    `RSS ${kibibytes(ours.rss)} beside ${kibibytes(bare.rss)} (${(ours.rss / bare.rss).toFixed(2)} ×); in use ${kibibytes(ours.used)} beside ${kibibytes(bare.used)} (${(ours.used / bare.used).toFixed(2)} ×)`,
  );
  await manyRequests(gateway);
  await manyStreams(gateway);
} finally {
  agent.destroy();
  for (const child of children) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = isMissed && values.check ? 1 : 0;
