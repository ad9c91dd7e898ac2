// A question about an image. A URL works too: { kind: 'url', url: 'https://…' }.

import { createClient, text } from '../src/index.ts';

/** One red pixel. To read a file: (await readFile('photo.png')).toString('base64'). */
const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC';

const client = createClient();
const answer = await client.complete([
  {
    role: 'user',
    content: [
      text('What colour is this?'),
      { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data } },
    ],
  },
]);
console.log(answer.text);
