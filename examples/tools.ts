// Tool calls in a loop of your own: the model calls a tool, the program runs it and sends the result back.

import { createClient, text, type MessageInput, type ToolCallBlock, type ToolDefinition } from '../src/index.ts';

const getWeather: ToolDefinition = {
  name: 'get_weather',
  description: 'Current weather in a city',
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

/** Arguments come from the model, so invalid ones become an error result and not an exception. */
function run({ id, name, input, error }: ToolCallBlock) {
  console.log(`${name} ${JSON.stringify(input)}`);
  const { city } = (input ?? {}) as { city?: unknown };
  const isUsable = error === undefined && typeof city === 'string';
  const content = isUsable ? `21 °C and sunny in ${city}` : (error ?? 'city: must be a string');
  return { type: 'tool-result', callId: id, content: [text(content)], isError: !isUsable } as const;
}
