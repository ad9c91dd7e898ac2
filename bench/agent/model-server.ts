// The model server of the benchmark. It speaks Anthropic's wire, calls the tool that reads a file a few times, then ends
// the turn. It records when each request arrives, and the CPU time and memory that the agent has used by then.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpuOf } from '../gateway/process-meter.ts';

export interface Sample {
  /** Milliseconds of CPU time until the first request arrived. */
  cpuMs: number;
  /** Peak resident memory in megabytes. */
  peakMb: number;
  /** Milliseconds from the end of each response to the next request. */
  readonly gapsMs: number[];
}

export interface ModelServer {
  readonly url: string;
  /** Starts a sample for the process that sends the next requests. */
  watch(pid: () => number): Sample;
  close(): void;
}

/** How many times the file is read before the final response. */
export const rounds = 12;

interface Body {
  readonly tools?: readonly { readonly name: string; readonly input_schema: { readonly properties?: object } }[];
}

export async function startModelServer(file: string): Promise<ModelServer> {
  const watcher = new Watcher();
  const server = createServer((request, response) => {
    void watcher.serve(request, response, file);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    watch: (pid) => watcher.begin(pid),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

class Watcher {
  #pid: (() => number) | undefined;
  #sample: Sample = { cpuMs: 0, peakMb: 0, gapsMs: [] };
  #requests = 0;
  #ended = 0;

  begin(pid: () => number): Sample {
    this.#pid = pid;
    this.#requests = 0;
    this.#sample = { cpuMs: 0, peakMb: 0, gapsMs: [] };
    return this.#sample;
  }

  async serve(request: IncomingMessage, response: ServerResponse, file: string): Promise<void> {
    this.#record(performance.now());
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
    // Without this pause, work that the agent does after sending a request would count as part of the gap.
    await new Promise((resolve) => setTimeout(resolve, 25));
    respond(response, this.#requests > rounds ? undefined : toCall(body, file));
    this.#ended = performance.now();
  }

  #record(arrived: number): void {
    const pid = this.#pid?.() ?? process.pid;
    this.#requests += 1;
    if (this.#requests === 1) this.#sample.cpuMs = cpuOf(pid) / 1000;
    else this.#sample.gapsMs.push(arrived - this.#ended);
    this.#sample.peakMb = Math.max(this.#sample.peakMb, peakOf(pid));
  }
}

interface Call {
  readonly name: string;
  readonly input: object;
}

/** Finds the agent's own name for the tool that reads a file, and for its path parameter. */
function toCall({ tools = [] }: Body, file: string): Call {
  const tool = tools.find(({ name }) => name.toLowerCase() === 'read');
  if (tool === undefined) throw new Error('the agent has no tool that reads a file');
  const key = Object.keys(tool.input_schema.properties ?? {}).find((name) => name.includes('path')) ?? 'path';
  return { name: tool.name, input: { [key]: file } };
}

let ids = 0;

function respond(response: ServerResponse, call: Call | undefined): void {
  ids += 1;
  const block = call
    ? { type: 'tool_use', id: `toolu_${ids}`, name: call.name, input: {} }
    : { type: 'text', text: '' };
  const delta = call
    ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) }
    : { type: 'text_delta', text: 'Done.' };
  const usage = { input_tokens: 100, output_tokens: 20 };
  const message = {
    id: `msg_${ids}`,
    type: 'message',
    role: 'assistant',
    model: 'claude-opus-4-6',
    content: [],
    usage,
  };
  const events: readonly (readonly [string, object])[] = [
    ['message_start', { message: { ...message, stop_reason: null, stop_sequence: null } }],
    ['content_block_start', { index: 0, content_block: block }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null }, usage }],
    ['message_stop', {}],
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join(''));
}

function peakOf(pid: number): number {
  const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}
