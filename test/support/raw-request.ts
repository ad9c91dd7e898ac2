// A GET request whose path and headers are sent as they are, and the undecoded response.

import { request, type IncomingHttpHeaders } from 'node:http';

export interface RawResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export function sendRaw(url: string, headers: Readonly<Record<string, string>>): Promise<RawResponse> {
  const [, host = '', path = '/'] = /^http:\/\/([^/]+)(\/.*)$/.exec(url) ?? [];
  const [hostname = '', port = ''] = host.split(':');
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}
