// The gateways to compare. Each is a process in front of the same upstream, started as its users start it.

import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';

export interface Contender {
  readonly name: 'ours' | 'pipe' | 'lean' | 'portkey' | 'nginx';
  readonly headers: Readonly<Record<string, string>>;
  /** The gateway's name for a model of the upstream. */
  readonly model: (name: string) => string;
  start(): Promise<Running>;
}

export interface Running {
  readonly contender: Contender;
  readonly origin: string;
  readonly pid: number;
  stop(): Promise<void>;
}

const clientKey = 'bench-client-key';

/** Our gateway with a key and default settings: authentication, metrics, logs, prices and routing are on. */
export function ours(packed: string, folder: string, upstream: string): Contender {
  const digest = createHash('sha256').update(clientKey).digest('hex');
  return {
    name: 'ours',
    headers: { authorization: `Bearer ${clientKey}` },
    model: (name) => `bench/${name}`,
    async start() {
      const port = await freePort();
      const config = join(folder, `gateway-${port}.toml`);
      const provider = `type = "openai"\nname = "bench"\nbase_url = "${upstream}/v1"\napi_key_env = "BENCH_KEY"`;
      await writeFile(config, `[server]\nport = ${port}\nkeys = ["${digest}"]\n\n[[providers]]\n${provider}\n`);
      return run(this, port, [join(packed, 'bin/simple-agents'), 'serve', '--config', config]);
    },
  };
}

export function pipe(upstream: string, name: 'pipe' | 'lean' = 'pipe'): Contender {
  return {
    name,
    headers: {},
    model: (requested) => requested,
    async start() {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'pipe.ts'), upstream, name], { stdio: quiet });
      const [line] = (await once(child.stdout, 'data')) as [Buffer];
      return running(this, child, line.toString().trim());
    },
  };
}

/** `folder`: where `@portkey-ai/gateway` is installed. */
export function portkey(folder: string, upstream: string): Contender {
  return {
    name: 'portkey',
    headers: {
      'authorization': 'Bearer upstream-key',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `${upstream}/v1`,
    },
    model: (requested) => requested,
    async start() {
      const port = await freePort();
      const program = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');
      return run(this, port, [program, `--port=${port}`, '--headless']);
    },
  };
}

export function nginx(command: string, folder: string, upstream: string): Contender {
  return {
    name: 'nginx',
    headers: {},
    model: (requested) => requested,
    async start() {
      const port = await freePort();
      const config = join(folder, `nginx-${port}.conf`);
      await writeFile(config, nginxConfig(folder, port, upstream));
      const child = spawn(command, ['-p', folder, '-e', 'stderr', '-c', config], { stdio: quiet });
      return running(this, child, await waitForResponse(`http://127.0.0.1:${port}`));
    },
  };
}

function nginxConfig(folder: string, port: number, upstream: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${join(folder, kind)};`,
  );
  return `daemon off; worker_processes 1; worker_rlimit_nofile 20000; pid ${join(folder, 'nginx.pid')};
events { worker_connections 20000; }
http {
  access_log off; ${temporary.join(' ')}
  upstream model { server ${new URL(upstream).host}; keepalive 64; }
  server {
    listen 127.0.0.1:${port}; keepalive_requests 1000000;
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`;
}

const quiet: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];

async function run(contender: Contender, port: number, argv: readonly string[]): Promise<Running> {
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    BENCH_KEY: 'upstream-key',
    NODE_ENV: 'production',
  };
  const child = spawn(process.execPath, argv, { stdio: quiet, env });
  child.stdout.resume();
  return running(contender, child, await waitForResponse(`http://127.0.0.1:${port}`));
}

const started = new Set<ChildProcess>();
// A benchmark that fails must not leave processes running.
process.on('exit', () => started.forEach((child) => child.kill('SIGKILL')));

function running(contender: Contender, child: ChildProcess, origin: string): Running {
  started.add(child);
  child.once('exit', () => started.delete(child));
  child.stdout?.resume();
  return {
    contender,
    origin,
    pid: child.pid!,
    async stop() {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      // Do not wait for streams that are still open.
      const timer = setTimeout(() => child.kill('SIGKILL'), 500);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Resolves with the origin as soon as a server responds there. */
async function waitForResponse(origin: string): Promise<string> {
  const deadline = Date.now() + 20_000;
  for (;;) {
    try {
      await fetch(origin, { method: 'HEAD', signal: AbortSignal.timeout(1000) });
      return origin;
    } catch (error) {
      if (Date.now() > deadline) throw new Error(`no response from ${origin} within 20 s`, { cause: error });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
