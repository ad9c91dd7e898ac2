import { createClient } from '../src/index.ts';

const client = createClient();
const { text, usage, target } = await client.complete('Say hello in one sentence.');

console.log(text);
console.log(`${usage.output} tokens from ${target}`);
