// A program of its own that asks each address it is given, one after the other, and prints a line for each: the response,
// or why there is none. A separate program, because Node decides at its start which certificates it trusts.
// First argument: the options of the undici transport as JSON, or `fetch` for the other one.

import { createFetchTransport } from '../../../src/transport/fetch.ts';
import { createUndiciTransport } from '../../../src/transport/lazy-undici.ts';
import type { UndiciOptions } from '../../../src/transport/undici.ts';

const [options = '{}', ...urls] = process.argv.slice(2);
const transport =
  options === 'fetch' ? createFetchTransport() : createUndiciTransport(JSON.parse(options) as UndiciOptions);
for (const url of urls) console.log(await ask(url));

async function ask(url: string): Promise<string> {
  try {
    const { body } = await transport.send({ method: 'GET', url, headers: {} }, new AbortController().signal);
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    return text.length > 100 ? `${text.length} characters` : text;
  } catch (error) {
    return (error as Error).message;
  }
}
