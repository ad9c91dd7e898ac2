// A gateway process whose event-loop delay can be measured, its upstream, and a bystander: a client that requests
// `/health` every few milliseconds while another request is in progress.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, Agent, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bodyOf, framesOf, type Reply } from './reply.ts';

export interface Outcome {
  readonly status: number;
  readonly body: string;
}

/** In milliseconds. */
export interface Figures {
  /** The maximum event-loop delay. */
  readonly delay: number;
  /** The maximum CPU time of one event-loop turn: the delay on an otherwise idle machine. */
  readonly busy: number;
  /** The slowest response to the bystander. */
  readonly bystander: number;
  /** From the request to the end of its response. */
  readonly response: number;
}

const root = join(import.meta.dirname, '../..');
const probe = join(import.meta.dirname, 'loop-probe.mjs');
const bystanderPause = 5;
/** A server that takes longer is restarted. */
const patience = 10_000;

export class MeasuredGateway {
  /** What the upstream responds with. */
  reply: Reply = { kind: 'text', text: '' };
  readonly #folder = mkdtempSync(join(tmpdir(), 'simple-agents-hostile-'));
  readonly #agent = new Agent({ keepAlive: true });
  readonly #upstream = createServer((incoming, response) => this.#respond(incoming, response));
  #child: ChildProcess | undefined;
  #url = '';

  async start(): Promise<void> {
    this.#upstream.listen(0, '127.0.0.1');
    await once(this.#upstream, 'listening');
    await this.#startServer();
  }

  async #startServer(): Promise<void> {
    const { port } = this.#upstream.address() as AddressInfo;
    writeFileSync(join(this.#folder, 'gateway.toml'), configuration(port));
    const argv = [
      '--import',
      probe,
      join(root, 'bin/simple-agents'),
      'serve',
      '--port',
      '0',
      '--config',
      'gateway.toml',
    ];
    const child = spawn(process.execPath, [...argv, '--log-level', 'silent'], {
      cwd: this.#folder,
      env: { PATH: process.env['PATH'], HOME: this.#folder },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.#child = child;
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => (out += text));
    while (!/listening on \S+\n/.test(out)) await once(child.stdout ?? child, 'data');
    this.#url = /listening on (\S+)/.exec(out)?.[1] ?? '';
  }

  async close(): Promise<void> {
    this.#child?.kill('SIGKILL');
    this.#agent.destroy();
    this.#upstream.closeAllConnections();
    this.#upstream.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async measure(path: string, body: string): Promise<Outcome & Figures> {
    const timer = new AbortController();
    const stuck = sleep(patience, 'stuck' as const, { signal: timer.signal });
    const measured = this.#measure(path, body);
    measured.catch(() => undefined);
    stuck.catch(() => undefined);
    const result = await Promise.race([measured, stuck]);
    timer.abort();
    if (result !== 'stuck') return result;
    this.#child?.kill('SIGKILL');
    await this.#startServer();
    return { status: 0, body: '', response: patience, bystander: patience, delay: patience, busy: patience };
  }

  async #measure(path: string, body: string): Promise<Outcome & Figures> {
    await this.#takeDelay();
    const stop = new AbortController();
    const bystander = this.#requestHealth(stop.signal);
    const start = performance.now();
    const outcome = await this.#send('POST', path, body);
    const response = performance.now() - start;
    stop.abort();
    return { ...outcome, response, bystander: await bystander, ...(await this.#takeDelay()) };
  }

  async #takeDelay(): Promise<Pick<Figures, 'delay' | 'busy'>> {
    const child = this.#child as ChildProcess;
    const message = once(child, 'message');
    child.send('delay');
    const [figures] = (await message) as [Pick<Figures, 'delay' | 'busy'>];
    return figures;
  }

  async #requestHealth(stop: AbortSignal): Promise<number> {
    let worst = 0;
    while (!stop.aborted) {
      const start = performance.now();
      await this.#send('GET', '/health', '');
      worst = Math.max(worst, performance.now() - start);
      await sleep(bystanderPause);
    }
    return worst;
  }

  #send(method: string, path: string, body: string): Promise<Outcome> {
    const { promise, resolve, reject } = Promise.withResolvers<Outcome>();
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = httpRequest(this.#url + path, { method, agent: this.#agent, headers }, (response) => {
      let received = '';
      response.setEncoding('utf8').on('data', (text: string) => (received += text));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: received }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
    return promise;
  }

  #respond(incoming: IncomingMessage, response: ServerResponse): void {
    const parts: Buffer[] = [];
    incoming.on('data', (part: Buffer) => parts.push(part));
    incoming.on('end', () => {
      const isStream = Buffer.concat(parts).includes('"stream":true');
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      if (!isStream) return void response.end(bodyOf(this.reply));
      for (const frame of framesOf(this.reply)) response.write(frame);
      response.end();
    });
    response.on('error', () => undefined);
  }
}

function configuration(port: number): string {
  return `[[providers]]
name = "upstream"
type = "openai-compatible"
base_url = "http://127.0.0.1:${port}/v1"
model = "m"

[[providers]]
name = "simulated"
type = "simulated"
`;
}
