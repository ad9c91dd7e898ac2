// Three ways to stop a call: leave the loop, abort a signal, or set a time limit. Each closes the connection and keeps
// what has arrived.

import { createClient, textOf } from '../src/index.ts';

const client = createClient();

const left = client.stream('Count to 100');
for await (const event of left) {
  if (event.type === 'text-delta' && event.text.startsWith('3')) break;
}
console.log(`left after: ${textOf(left.partial.content)}`);

const controller = new AbortController();
const aborted = client.stream({ messages: 'Count to 100', signal: controller.signal });
try {
  for await (const event of aborted) {
    if (event.type === 'text-delta' && event.text.startsWith('5')) controller.abort('that will do');
  }
} catch (reason) {
  console.log(`aborted, because ${String(reason)}: ${textOf(aborted.partial.content)}`);
}

const signal = AbortSignal.timeout(60_000);
const { text } = await client.complete({ messages: 'Count to 5', signal });
console.log(`in time: ${text}`);
