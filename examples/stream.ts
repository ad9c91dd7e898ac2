// A stream is a loop over events. It also gives the complete message at the end.

import { createClient } from '../src/index.ts';

const client = createClient();
const stream = client.stream({ system: 'Answer with numbers only.', messages: 'Count to 5' });

for await (const event of stream) {
  if (event.type === 'text-delta') process.stdout.write(event.text);
}

const { stopReason, usage } = await stream.final();
console.log(`\n${stopReason}, ${usage.output} tokens`);
