// A tool call, its result, and the answer: the model asks, the program does, the model goes on.

import { createClient, text, type MessageInput, type ToolCallBlock, type ToolDefinition } from '../src/index.ts';

const getWeather: ToolDefinition = {
  name: 'get_weather',
  description: 'The weather in a city',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const client = createClient();
const messages: MessageInput[] = [{ role: 'user', content: 'What is the weather in Paris?' }];
let answer = await client.complete({ messages, tools: [getWeather] });

while (answer.toolCalls.length > 0) {
  messages.push(answer.message, { role: 'user', content: answer.toolCalls.map(run) });
  answer = await client.complete({ messages, tools: [getWeather] });
}
console.log(answer.text);

/** What the model wrote is text from outside: a call whose arguments are of no use is answered, not thrown. */
function run({ id, name, input, error }: ToolCallBlock) {
  console.log(`${name} ${JSON.stringify(input)}`);
  const { city } = (input ?? {}) as { city?: unknown };
  const isUsable = error === undefined && typeof city === 'string';
  const words = isUsable ? `21 °C and sunny in ${city}` : (error ?? 'city: must be a string');
  return { type: 'tool-result', callId: id, content: [text(words)], isError: !isUsable } as const;
}
