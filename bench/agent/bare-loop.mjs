// A minimal coding agent: Node's fetch, a loop and one tool. No retries, permissions, sessions or terminal interface.

import { readFile } from 'node:fs/promises';

const [url, prompt] = process.argv.slice(2);
const tools = [
  {
    name: 'Read',
    description: 'Reads a file',
    input_schema: { type: 'object', properties: { file_path: { type: 'string' } }, required: ['file_path'] },
  },
];
/** @type {{ role: string, content: unknown }[]} */
const messages = [{ role: 'user', content: prompt }];

for (;;) {
  const { content, stopReason } = await callModel();
  messages.push({ role: 'assistant', content });
  if (stopReason !== 'tool_use') break;
  const results = [];
  for (const block of content) {
    if (block.type !== 'tool_use') continue;
    const text = await readFile(block.input.file_path, 'utf8');
    results.push({ type: 'tool_result', tool_use_id: block.id, content: text });
  }
  messages.push({ role: 'user', content: results });
}

async function callModel() {
  const body = JSON.stringify({ model: 'claude-opus-4-6', max_tokens: 16_384, stream: true, tools, messages });
  const headers = { 'content-type': 'application/json', 'x-api-key': 'bench', 'anthropic-version': '2023-06-01' };
  const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body });
  const content = [];
  let stopReason;
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (rest + chunk).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const event = JSON.parse(frame.slice(frame.indexOf('data: ') + 6));
      if (event.type === 'content_block_start') content.push({ ...event.content_block, json: '' });
      const block = content.at(-1);
      if (event.type === 'content_block_delta' && event.delta.text !== undefined) {
        block.text += event.delta.text;
        process.stdout.write(event.delta.text);
      }
      if (event.type === 'content_block_delta') block.json += event.delta.partial_json ?? '';
      if (event.type === 'message_delta') stopReason = event.delta.stop_reason;
    }
  }
  const blocks = content.map(({ json, ...block }) => (json === '' ? block : { ...block, input: JSON.parse(json) }));
  return { content: blocks, stopReason };
}
