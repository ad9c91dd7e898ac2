// A minimal gateway process: node:http receives a request, undici forwards it, and the response is piped back. Argument:
// the upstream's origin. Prints its port.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent, stream } from 'undici';

const [, , origin = ''] = process.argv;
const dispatcher = new Agent({ headersTimeout: 0, bodyTimeout: 0 });

const server = createServer((request, response) => {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  const { method = 'POST', url = '/' } = request;
  const options = {
    dispatcher,
    signal: controller.signal,
    method: method as 'POST',
    headers: { 'content-type': 'application/json' },
    body: request,
  };
  stream(origin + url, options, ({ statusCode, headers }) => response.writeHead(statusCode, headers)).catch(() =>
    response.destroy(),
  );
});
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
