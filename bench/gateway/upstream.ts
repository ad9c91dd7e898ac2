// The upstream process behind every gateway. It speaks both wires and always sends the same response. The model name
// selects the kind of stream: `paced-C-M` sends C chunks, one every M milliseconds; `idle` sends one chunk and stays open.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(8).trim();

const openaiBody = JSON.stringify({
  id: 'chatcmpl-0123456789abcdef',
  object: 'chat.completion',
  created: 1_760_000_000,
  model: 'bench',
  choices: [{ index: 0, message: { role: 'assistant', content: text, refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 110, completion_tokens: 90, total_tokens: 200 },
});

const anthropicBody = JSON.stringify({
  id: 'msg_0123456789abcdef',
  type: 'message',
  role: 'assistant',
  model: 'bench',
  content: [{ type: 'text', text }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 110, output_tokens: 90 },
});

interface Frames {
  readonly first: string;
  readonly chunk: string;
  readonly last: string;
}

const openaiFrames: Frames = {
  first: openaiChunk({ role: 'assistant', content: '' }, null),
  chunk: openaiChunk({ content: 'quick brown ' }, null),
  last: `${openaiChunk({}, 'stop')}data: [DONE]\n\n`,
};

const anthropicFrames: Frames = {
  first:
    anthropicEvent('message_start', {
      message: { ...(JSON.parse(anthropicBody) as object), content: [], stop_reason: null },
    }) + anthropicEvent('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  chunk: anthropicEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'quick brown ' } }),
  last:
    anthropicEvent('content_block_stop', { index: 0 }) +
    anthropicEvent('message_delta', {
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 90 },
    }) +
    anthropicEvent('message_stop', {}),
};

function openaiChunk(delta: object, reason: string | null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }];
  const frame = { id: 'chatcmpl-0123456789abcdef', object: 'chat.completion.chunk', created: 1_760_000_000 };
  return `data: ${JSON.stringify({ ...frame, model: 'bench', system_fingerprint: 'fp_0123456789', choices })}\n\n`;
}

function anthropicEvent(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
}

function respond(request: IncomingMessage, response: ServerResponse, body: string): void {
  if (request.method !== 'POST') return void response.writeHead(204).end();
  const isAnthropic = request.url === '/v1/messages';
  const { model, stream } = JSON.parse(body) as { model: string; stream?: boolean };
  if (stream === true) return sendStream(response, model, isAnthropic ? anthropicFrames : openaiFrames);
  const json = isAnthropic ? anthropicBody : openaiBody;
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(json) });
  response.end(json);
}

function sendStream(response: ServerResponse, model: string, { first, chunk, last }: Frames): void {
  const [, count = '1', interval = '0'] = /paced-(\d+)-(\d+)$/.exec(model) ?? [];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(first + chunk);
  if (model.endsWith('idle')) return;
  let left = Number(count) - 1;
  const timer = setInterval(() => {
    if (left-- > 0) return void response.write(chunk);
    clearInterval(timer);
    response.end(last);
  }, Number(interval));
  response.on('close', () => clearInterval(timer));
}

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (part: string) => (body += part));
  request.on('end', () => respond(request, response, body));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
