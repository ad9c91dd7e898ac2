// Valid JSON of a given length, with its schema: records as models write them, with short and long strings, numbers,
// literals, arrays and nesting. The same length gives the same text.

import * as z from 'zod';
import type { JsonSchema } from '../../src/heal/index.ts';
import { createRandom } from '../../src/testing/model/random.ts';

export const recordsSchema: JsonSchema = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      title: { type: 'string' },
      score: { type: 'number' },
      open: { type: 'boolean' },
      kind: { enum: ['note', 'task', 'question'] },
      tags: { type: 'array', items: { type: 'string' } },
      author: {
        type: 'object',
        properties: { name: { type: 'string' }, city: { type: ['string', 'null'] } },
        required: ['name', 'city'],
      },
      body: { type: 'string' },
    },
    required: ['id', 'title', 'score', 'open', 'kind', 'tags', 'author', 'body'],
  },
};

/** The same as a zod schema. */
export const recordsModel = z.array(
  z.object({
    id: z.int(),
    title: z.string(),
    score: z.number(),
    open: z.boolean(),
    kind: z.enum(['note', 'task', 'question']),
    tags: z.array(z.string()),
    author: z.object({ name: z.string(), city: z.string().nullable() }),
    body: z.string(),
  }),
);

const words = 'the report waits for "three" new parts, and every café said:\nyes {or} no [maybe] to it'.split(' ');

/** At most one record longer than `length`. */
export function recordsText(length: number): string {
  const random = createRandom('heal-speed');
  const say = (count: number): string => Array.from({ length: count }, () => random.pick(words)).join(' ');
  const records: string[] = [];
  for (let at = 0, id = 1; at < length; id += 1) {
    const record = JSON.stringify({
      id,
      title: say(4),
      score: random.integer(0, 1000) / 8,
      open: random.chance(0.5),
      kind: random.pick(['note', 'task', 'question']),
      tags: [say(1), say(1)],
      author: { name: say(2), city: random.chance(0.3) ? null : say(1) },
      body: say(30),
    });
    records.push(record);
    at += record.length + 1;
  }
  return `[${records.join(',')}]`;
}

/** The same text, damaged once in each of the most common ways. */
export function damagedTexts(text: string): string[] {
  const middle = text.indexOf('{', text.length >> 1);
  const damage = (pattern: RegExp, damaged: string) =>
    text.slice(0, middle) + text.slice(middle).replace(pattern, damaged);
  return [
    `\`\`\`json\n${text}\n\`\`\``,
    `Here you are:\n\n${text}\n\nAnything else?`,
    text.slice(0, -20),
    damage(/(?<=[}\]]),/, ',,'),
    damage(/\]/, ',]'),
    damage(/"(\w+)":/, '$1:'),
    damage(/"(\w+)":/, "'$1':"),
    damage(/true/, 'True'),
    damage(/,"/, ' "'),
    damage(/\\n/, '\n'),
  ];
}
