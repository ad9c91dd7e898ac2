// A response that fits a JSON Schema.

import { createClient } from '../src/index.ts';

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 18, maximum: 90 },
    abilities: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 3 },
  },
  required: ['name', 'age', 'abilities'],
  additionalProperties: false,
};

const client = createClient();
const { text } = await client.complete({
  messages: 'Invent a character for a story.',
  responseFormat: { type: 'json-schema', name: 'character', schema },
});

const character = JSON.parse(text) as { name: string; age: number; abilities: string[] };
console.log(`${character.name}, ${character.age}, can do ${character.abilities.length} things`);
