// One name, two targets: the first is not there, so after two more tries the second answers. An observer tells of it.

import { createClient, type CallEvent } from '../src/index.ts';

const client = createClient({
  baseUrl: 'http://127.0.0.1:9/v1', // nobody listens here
  models: { fast: { targets: ['openai-compatible/large', 'simulated/small'] } },
  observer: tell,
});
const { text } = await client.complete('Count to 5', 'fast');
console.log(text);

function tell(event: CallEvent): void {
  if (event.type === 'retry-wait') {
    const { target, attempt, error, delay } = event;
    console.log(`${target}: attempt ${attempt} failed (${error.kind}), again in ${Math.round(delay)} ms`);
  } else if (event.type === 'fallback') console.log(`${event.from} failed, ${event.target} is asked`);
  else if (event.type === 'call-end') {
    console.log(`${event.target} answered after ${Math.round(event.duration)} ms: ${event.outcome}`);
  }
}
