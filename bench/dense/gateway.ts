// A gateway as a separate process with a small heap, and an upstream in this process that reads every body and answers with
// a small response of the wire, after the time that a fast model takes.

import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { WebSocket } from 'ws';

const root = join(import.meta.dirname, '../..');

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
const message = { role: 'assistant', content: 'ok' };
const choices = [{ index: 0, message, finish_reason: 'stop' }];

/** By the end of the path. */
const responses: readonly (readonly [path: string, body: object])[] = [
  ['/embeddings', { object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], usage }],
  ['', { id: 'c', object: 'chat.completion', model: 'm', choices, usage }],
];

export interface Turn {
  /** Milliseconds of CPU time. */
  readonly worst: number;
  readonly rss: number;
}

export interface DenseGateway {
  readonly isOver: () => boolean;
  /** Of the event loop, since the last call. */
  readonly worstTurn: () => Promise<Turn>;
  /** Resolves with the status, or with what happened instead. A path may begin with `ws:`. */
  readonly send: (path: string, body: Buffer, key?: string) => Promise<string>;
  readonly close: () => void;
}

export interface DenseOptions {
  /** Megabytes. */
  readonly heap: number;
  /** Milliseconds. */
  readonly delay: number;
  readonly keys: readonly string[];
}

export async function startDenseGateway({ heap, delay, keys }: DenseOptions): Promise<DenseGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'simple-agents-dense-'));
  const upstream = createServer((request, response) => {
    const [, body] = responses.find(([path]) => request.url?.endsWith(path)) ?? [];
    const answer = (): void => void response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    request.resume().on('end', () => setTimeout(answer, delay));
  });
  await once(upstream.listen(0, '127.0.0.1'), 'listening');
  const { port } = upstream.address() as AddressInfo;
  writeFileSync(join(folder, 'simple-agents.toml'), toConfiguration(port, keys));
  const probe = ['--import', join(root, 'bench/dense/turn-probe.mjs'), `--max-old-space-size=${heap}`];
  const serve = [join(root, 'bin/simple-agents'), 'serve', '--port', '0', '--log-level', 'silent'];
  const gateway = spawn(process.execPath, [...probe, ...serve], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, OPENAI_API_KEY: 'k' },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let out = '';
  let isOver = false;
  gateway.on('exit', () => (isOver = true));
  gateway.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
  const close = (): void => {
    gateway.kill('SIGKILL');
    upstream.closeAllConnections();
    upstream.close();
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', close);
  process.on('SIGTERM', () => process.exit(143));
  while (!/listening on \S+\n/.test(out)) await once(gateway.stdout, 'data');
  const url = /listening on (\S+)/.exec(out)?.[1] ?? '';
  return {
    close,
    isOver: () => isOver,
    worstTurn: async () => {
      const before = out.length;
      gateway.kill('SIGUSR2');
      for (;;) {
        const printed = /^turn (\{.*\})$/m.exec(out.slice(before))?.[1];
        if (printed !== undefined) return JSON.parse(printed) as Turn;
        await once(gateway.stdout, 'data');
      }
    },
    send: (path, body, key = keys[0] ?? '') =>
      path.startsWith('ws:') ? sendFrame(url + path.slice(3), body, key) : post(url + path, body, key),
  };
}

function toConfiguration(port: number, keys: readonly string[]): string {
  const provider = `[[providers]]\ntype = "openai"\nbase_url = "http://127.0.0.1:${port}/v1"\nmodel = "m"\n`;
  const entries = keys.map((key) => {
    return `[[server.keys]]\nname = "${key}"\nhash = "${hash('sha256', key, 'hex')}"\nscopes = ["call"]\n`;
  });
  return [provider, ...entries].join('\n');
}

function post(url: string, body: Buffer, key: string): Promise<string> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'authorization': `Bearer ${key}`,
    };
    const sent = httpRequest(url, { method: 'POST', headers }, (response) => {
      response.resume().on('end', () => resolve(String(response.statusCode)));
      response.on('error', () => resolve('cut'));
    });
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    sent.end(body);
  });
}

function sendFrame(url: string, body: Buffer, key: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url.replace('http', 'ws'), { headers: { authorization: `Bearer ${key}` } });
    socket.on('open', () => socket.send(`{"type":"response.create",${body.toString().slice(1)}`));
    socket.on('message', (data: Buffer) => {
      const { type, status } = JSON.parse(data.toString()) as { type: string; status?: number };
      if (!/^error$|completed|failed|incomplete/.test(type)) return;
      socket.terminate();
      resolve(String(status ?? 200));
    });
    socket.on('close', (code) => resolve(`close ${code}`));
    socket.on('error', (error) => resolve(error.message));
  });
}
