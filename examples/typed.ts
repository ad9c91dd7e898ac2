// A character that grows while the model writes it, typed all the way. The schema is zod's; whatever the model does to
// its JSON, the value fits.

import { z } from 'zod';
import { createClient, streamDone } from '../src/index.ts';

const Character = z.object({
  name: streamDone(z.string()),
  age: z.int(),
  abilities: z.array(z.object({ title: z.string(), level: z.int() })),
});

const client = createClient();
const stream = client.stream({ messages: 'Invent a character for a story.', schema: Character });

let shown = '';
for await (const { name, abilities = [] } of stream.partials()) {
  // A part of a character: every field may still be missing, and `name` comes only when it is whole.
  const line = `${name ?? '…'}: ${abilities.length} abilities so far`;
  if (line !== shown) console.log(line);
  shown = line;
}

const { value, flags, confidence } = await stream.final();
console.log(`${value.name}, ${value.age}: ${value.abilities.map(({ title }) => title).join(', ')}`);
console.log(`confidence ${confidence}, ${flags.length} changes`);
