// One name with two targets. The first is unreachable, so after two retries the second responds. An observer prints it.

import { createClient, type CallEvent } from '../src/index.ts';

const client = createClient({
  baseUrl: 'http://127.0.0.1:9/v1', // nothing listens here
  models: { fast: { targets: ['openai-compatible/large', 'simulated/small'] } },
  observer: print,
});
const { text } = await client.complete('Count to 5', 'fast');
console.log(text);

function print(event: CallEvent): void {
  if (event.type === 'retry-wait') {
    const { target, attempt, error, delay } = event;
    console.log(`${target}: attempt ${attempt} failed (${error.kind}), retrying in ${Math.round(delay)} ms`);
  } else if (event.type === 'fallback') console.log(`${event.from} failed, trying ${event.target}`);
  else if (event.type === 'call-end') {
    console.log(`${event.target} responded after ${Math.round(event.duration)} ms: ${event.outcome}`);
  }
}
