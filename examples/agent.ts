// An agent runs your tools until the model is done, and keeps the conversation.

import { createAgent, createClient, defineTool } from '../src/index.ts';

const getWeather = defineTool({
  name: 'get_weather',
  description: 'Current weather in a city',
  effect: 'pure',
  input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  run: ({ city }) => `21 °C and sunny in ${city}`,
});

const client = createClient();
const agent = createAgent({ client, tools: [getWeather], system: 'You are a weather reporter. Be brief.' });

for await (const event of agent.run('What is the weather in Paris?')) {
  if (event.type === 'tool-start') console.log(`→ ${event.name} ${JSON.stringify(event.input)}`);
  if (event.type === 'tool-end') console.log(`← ${event.result.isError ? 'failed' : 'done'}`);
  if (event.type === 'turn-end') console.log(`${event.text}\n(${event.reason}, ${event.iterations} round of tools)`);
}

const { text, messages } = await agent.run('Count to 3').result();
console.log(`${text} (${messages.length} messages so far)`);
await client.close();
