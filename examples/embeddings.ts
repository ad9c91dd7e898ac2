// Finds the sentence that is nearest to a question by its embedding.

import { createClient } from '../src/index.ts';

// The simulated model needs no key. With a key, use an embedding model of your provider instead, such as
// `createClient({ provider: 'openai', model: 'text-embedding-3-small' })`.
const client = createClient({ provider: 'simulated' });

const sentences = ['The cat sleeps on the sofa.', 'Revenue grew by four percent.', 'Rain is likely tomorrow.'];
const question = 'Where does the cat sleep?';

const { vectors, usage } = await client.embed([question, ...sentences]);
const [asked = [], ...known] = vectors;

/** Vectors of length 1: their product is the cosine of the angle between them. */
const similarity = (vector: readonly number[]) =>
  vector.reduce((sum, value, index) => sum + value * (asked[index] ?? 0), 0);

const scores = known.map(similarity);
const best = scores.indexOf(Math.max(...scores));
console.log(`${question} → ${sentences[best]}`);
console.log(`${vectors.length} vectors of ${asked.length} numbers, ${usage.input} tokens`);
