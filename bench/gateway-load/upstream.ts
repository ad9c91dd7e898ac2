// The upstream process for load tests. The model name selects the response. Prints its port.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const chunk = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const end = `${chunk('', 'stop')}data: [DONE]\n\n`;
const plainBody = JSON.stringify({
  id: 'c',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'word '.repeat(100) }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 100, total_tokens: 109 },
});

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (text: string) => (body += text));
  request.on('end', () => respond((JSON.parse(body) as { model: string }).model, response));
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));

/**
 * `paced-COUNT-MILLISECONDS` streams COUNT words at that interval, `idle` streams one word and stays open, and any other
 * name gets a response that is not streamed.
 */
function respond(model: string, response: ServerResponse): void {
  const [form = '', count = '0', pause = '0'] = model.split('-');
  if (form !== 'paced' && form !== 'idle') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(plainBody);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(chunk('0 '));
  if (form === 'idle') return;
  let sent = 1;
  const timer = setInterval(() => {
    if (sent < Number(count)) response.write(chunk(`${sent++} `));
    else {
      clearInterval(timer);
      response.end(end);
    }
  }, Number(pause));
  response.on('close', () => clearInterval(timer));
}
