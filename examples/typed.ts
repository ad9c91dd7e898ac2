// A typed value that grows while the model writes it. The schema is from zod. The value fits it even if the model damages
// its JSON.

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
  // Every field may still be missing. `name` appears only when it is complete. What was shown stays or grows.
  const line = `${name ?? '…'}: ${abilities.length} abilities so far`;
  if (line !== shown) console.log(line);
  shown = line;
}

const { value, flags, confidence } = await stream.final();
console.log(`${value.name}, ${value.age}: ${value.abilities.map(({ title }) => title).join(', ')}`);
console.log(`confidence ${confidence}, ${flags.length} changes`);
