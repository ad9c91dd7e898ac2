// Requests each given URL in sequence and prints one line for each: the response or the error message. A separate program,
// because Node reads the trusted certificates at start. Arguments: the options of the undici transport as JSON, or `fetch`
// for the fetch transport; then the URLs.

import { createFetchTransport } from '../../../src/transport/fetch.ts';
import { createUndiciTransport } from '../../../src/transport/lazy-undici.ts';
import type { UndiciOptions } from '../../../src/transport/undici.ts';

const [options = '{}', ...urls] = process.argv.slice(2);
const transport =
  options === 'fetch' ? createFetchTransport() : createUndiciTransport(JSON.parse(options) as UndiciOptions);
for (const url of urls) console.log(await get(url));

async function get(url: string): Promise<string> {
  try {
    const { body } = await transport.send({ method: 'GET', url, headers: {} }, new AbortController().signal);
    let text = '';
    for await (const chunk of body) text += Buffer.from(chunk).toString();
    return text.length > 100 ? `${text.length} characters` : text;
  } catch (error) {
    return (error as Error).message;
  }
}
