// A program of its own that asks each address it is given, one after the other, and prints a line for each: what came, or
// why nothing did. Of its own, because which certificates Node trusts is settled when it starts.
// First argument: the settings of the proxy as JSON.

import { createHttpTransport, type ProxySettings } from '../../src/providers/http.ts';

const [settings = '{}', ...urls] = process.argv.slice(2);
const transport = createHttpTransport({ proxy: JSON.parse(settings) as ProxySettings });
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
