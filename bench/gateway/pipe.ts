// A minimal proxy process on node:http and undici that only forwards bytes. By default it uses undici's `request` and
// `pipe`, the usual way. With `lean` it uses undici's dispatch handlers, which are faster than any stream. At
// `/v1/messages` it does a minimal translation: it parses each frame of an OpenAI stream and encodes it for Anthropic's
// wire, without any checks. Arguments: the upstream's origin, then optionally `lean`.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

import { Pool, type Dispatcher } from 'undici';

const isLean = process.argv[3] === 'lean';
const upstream = new Pool(process.argv[2] ?? '', { connections: 16_384, headersTimeout: 0, bodyTimeout: 0 });

const options = {
  path: '/v1/chat/completions',
  method: 'POST',
  headers: { 'content-type': 'application/json', 'authorization': 'Bearer upstream-key' },
} as const;

function forward(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const translates = request.url === '/v1/messages';
  if (!isLean && !translates) return void pipe(response, body).catch(() => response.destroy());
  const handler = translates ? new TranslateHandler(response) : new ForwardHandler(response);
  upstream.dispatch({ ...options, body }, handler);
  response.on('close', () => handler.abort());
}

async function pipe(response: ServerResponse, body: Buffer): Promise<void> {
  const { statusCode, headers, body: incoming } = await upstream.request({ ...options, body });
  response.writeHead(statusCode, toHeaders(headers));
  response.on('close', () => incoming.destroy());
  incoming.on('error', () => response.destroy());
  incoming.pipe(response);
}

function toHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const { 'content-type': type = '', 'content-length': length } = headers as Record<string, string | undefined>;
  return { 'content-type': type, ...(length === undefined ? {} : { 'content-length': length }) };
}

class ForwardHandler implements Dispatcher.DispatchHandler {
  protected readonly response: ServerResponse;
  #controller: Dispatcher.DispatchController | undefined;
  #hasEnded = false;

  constructor(response: ServerResponse) {
    this.response = response;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    this.response.writeHead(status, toHeaders(headers));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    if (this.response.write(chunk)) return;
    controller.pause();
    this.response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#hasEnded = true;
    this.response.end();
  }

  onResponseError(): void {
    this.#hasEnded = true;
    this.response.destroy();
  }

  abort(): void {
    if (!this.#hasEnded) this.#controller?.abort(new Error('the client closed the connection'));
  }
}

interface OpenAiChunk {
  readonly id: string;
  readonly model: string;
  readonly choices: readonly { readonly delta: { readonly content?: string }; readonly finish_reason: string | null }[];
}

class TranslateHandler extends ForwardHandler {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #hasStarted = false;

  override onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const frames = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n\n');
    this.#rest = frames.pop() ?? '';
    const text = frames.map((frame) => this.#translate(frame.slice('data: '.length))).join('');
    if (text !== '') super.onResponseData(controller, Buffer.from(text));
  }

  #translate(data: string): string {
    if (data === '[DONE]') return event('message_stop', {});
    const { id, model, choices } = JSON.parse(data) as OpenAiChunk;
    let text = '';
    if (!this.#hasStarted) {
      this.#hasStarted = true;
      const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage: {} };
      text += event('message_start', { message });
      text += event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
    }
    const [choice] = choices;
    if (choice?.delta.content) {
      text += event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: choice.delta.content } });
    }
    if (choice?.finish_reason) {
      text += event('content_block_stop', { index: 0 });
      text += event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: {} });
    }
    return text;
  }
}

function event(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => forward(request, response, Buffer.concat(chunks)));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
