// Request bodies that are small in bytes and large in work: every shape repeats one piece until the body has the wanted
// size. A shape is written for one wire, because a piece that the wire refuses costs little.

import { JsonMeter } from '../../src/server/http/json-meter.ts';

export interface Shape {
  readonly name: string;
  /** Repeated, joined by commas. `#` is the number of the repetition. */
  readonly piece: string;
  readonly before: string;
  readonly after: string;
}

export interface Door {
  readonly name: string;
  readonly path: string;
  readonly shapes: readonly Shape[];
}

const chatHead = '"model":"m","messages":[{"role":"user","content":"go"}]';

/** Pieces that no wire knows, in a member that every wire carries or refuses. */
const foreign: readonly (readonly [name: string, piece: string])[] = [
  ['empty objects', '{}'],
  ['empty arrays', '[]'],
  ['numbers', '1'],
  ['long numbers', '0.12345678901234567'],
  ['empty texts', '""'],
  ['nested arrays', '[[[[[[[[]]]]]]]]'],
  ['objects of one member', '{"a":1}'],
  ['objects with new keys', '{"k#":1}'],
  ['escapes', String.raw`"\u00e9\n\"\\"`],
];

function foreignShapes(head: string): Shape[] {
  return [
    ...foreign.map(([name, piece]) => ({
      name: `unknown member: ${name}`,
      piece,
      before: `{${head},"x":[`,
      after: ']}',
    })),
    { name: 'unknown member: keys of one object', piece: '"k#":1', before: `{${head},"x":{`, after: '}}' },
    { name: 'unknown members', piece: '"k#":1', before: `{${head},`, after: '}' },
  ];
}

function list(name: string, member: string, piece: string, rest: string): Shape {
  return { name, piece, before: `{${rest},"${member}":[`, after: ']}' };
}

function text(name: string, unit: string, before: string, after: string): Shape {
  return { name, piece: unit, before: `${before}"`, after: `"${after}` };
}

const chat: readonly Shape[] = [
  list('messages', 'messages', '{"role":"user","content":"a"}', '"model":"m"'),
  list(
    'messages in turn',
    'messages',
    '{"role":"user","content":"a"},{"role":"assistant","content":"b"}',
    '"model":"m"',
  ),
  list('system messages', 'messages', '{"role":"system","content":"a"}', '"model":"m"'),
  list('messages of parts', 'messages', '{"role":"user","content":[{"type":"text","text":"a"}]}', '"model":"m"'),
  {
    name: 'parts',
    piece: '{"type":"text","text":"a"}',
    before: '{"model":"m","messages":[{"role":"user","content":[',
    after: ']}]}',
  },
  {
    name: 'tool calls',
    piece: '{"id":"c#","type":"function","function":{"name":"f","arguments":"{}"}}',
    before: '{"model":"m","messages":[{"role":"user","content":"a"},{"role":"assistant","content":null,"tool_calls":[',
    after: ']}]}',
  },
  list('tool results', 'messages', '{"role":"tool","tool_call_id":"c#","content":"a"}', '"model":"m"'),
  list('tools', 'tools', '{"type":"function","function":{"name":"f#","parameters":{}}}', chatHead),
  {
    name: 'properties of a tool',
    piece: '"p#":{"type":"string"}',
    before: `{${chatHead},"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{`,
    after: '}}}}]}',
  },
  {
    name: 'properties of a schema',
    piece: '"p#":{"type":"string"}',
    before: `{${chatHead},"response_format":{"type":"json_schema","json_schema":{"name":"f","schema":{"type":"object","properties":{`,
    after: '}}}}}',
  },
  list('stop sequences', 'stop', '"a"', chatHead),
  { name: 'bias', piece: '"#":1', before: `{${chatHead},"logit_bias":{`, after: '}}' },
  text('one long text', 'lorem ipsum ', '{"model":"m","messages":[{"role":"user","content":', '}]}'),
  text(
    'one long text with a smile',
    'lorem ipsum ',
    '{"model":"m","messages":[{"role":"user","content":"😀"},{"role":"user","content":',
    '}]}',
  ),
  text('a text of escapes', String.raw`\n\"`, '{"model":"m","messages":[{"role":"user","content":', '}]}'),
  text(
    'an image',
    'aGVsbG8g',
    '{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,"}},{"type":"text","text":',
    '}]}]}',
  ),
  ...foreignShapes(chatHead),
];

const messages = '"model":"m","max_tokens":9';

const anthropic: readonly Shape[] = [
  list('messages', 'messages', '{"role":"user","content":"a"}', messages),
  list('messages of parts', 'messages', '{"role":"user","content":[{"type":"text","text":"a"}]}', messages),
  {
    name: 'parts',
    piece: '{"type":"text","text":"a"}',
    before: `{${messages},"messages":[{"role":"user","content":[`,
    after: ']}]}',
  },
  {
    name: 'tool uses',
    piece: '{"type":"tool_use","id":"c#","name":"f","input":{}}',
    before: `{${messages},"messages":[{"role":"user","content":"a"},{"role":"assistant","content":[`,
    after: ']}]}',
  },
  {
    name: 'tool results',
    piece: '{"type":"tool_result","tool_use_id":"c#","content":[{"type":"text","text":"a"}]}',
    before: `{${messages},"messages":[{"role":"user","content":[`,
    after: ']}]}',
  },
  list(
    'tools',
    'tools',
    '{"name":"f#","input_schema":{"type":"object"}}',
    `${messages},"messages":[{"role":"user","content":"a"}]`,
  ),
  list('system', 'system', '{"type":"text","text":"a"}', `${messages},"messages":[{"role":"user","content":"a"}]`),
  {
    name: 'unknown blocks',
    piece: '{"type":"new"}',
    before: `{${messages},"messages":[{"role":"user","content":[`,
    after: ']}]}',
  },
  text('one long text', 'lorem ipsum ', `{${messages},"messages":[{"role":"user","content":`, '}]}'),
  ...foreignShapes(`${messages},"messages":[{"role":"user","content":"a"}]`),
];

const responses: readonly Shape[] = [
  list('items', 'input', '{"role":"user","content":"a"}', '"model":"m"'),
  list(
    'items of parts',
    'input',
    '{"type":"message","role":"user","content":[{"type":"input_text","text":"a"}]}',
    '"model":"m"',
  ),
  list('function calls', 'input', '{"type":"function_call","call_id":"c#","name":"f","arguments":"{}"}', '"model":"m"'),
  list('outputs', 'input', '{"type":"function_call_output","call_id":"c#","output":"a"}', '"model":"m"'),
  list('references', 'input', '{"type":"item_reference","id":"msg_#"}', '"model":"m"'),
  list('unknown items', 'input', '{"type":"new"}', '"model":"m"'),
  list('tools', 'tools', '{"type":"function","name":"f#","parameters":{}}', '"model":"m","input":"a"'),
  text('one long text', 'lorem ipsum ', '{"model":"m","input":', '}'),
  ...foreignShapes('"model":"m","input":"a"'),
];

const gemini: readonly Shape[] = [
  { name: 'contents', piece: '{"role":"user","parts":[{"text":"a"}]}', before: '{"contents":[', after: ']}' },
  { name: 'parts', piece: '{"text":"a"}', before: '{"contents":[{"role":"user","parts":[', after: ']}]}' },
  {
    name: 'function calls',
    piece: '{"functionCall":{"name":"f","args":{}}}',
    before: '{"contents":[{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[',
    after: ']}]}',
  },
  {
    name: 'declarations',
    piece: '{"name":"f#"}',
    before: '{"contents":[{"role":"user","parts":[{"text":"a"}]}],"tools":[{"functionDeclarations":[',
    after: ']}]}',
  },
  text('one long text', 'lorem ipsum ', '{"contents":[{"role":"user","parts":[{"text":', '}]}]}'),
  ...foreignShapes('"contents":[{"role":"user","parts":[{"text":"a"}]}]'),
];

const embeddings: readonly Shape[] = [
  list('texts', 'input', '"a"', '"model":"m"'),
  list('token numbers', 'input', '[1,2,3,4,5,6,7,8]', '"model":"m"'),
  { name: 'tokens', piece: '1234', before: '{"model":"m","input":[[', after: ']]}' },
  text('one long text', 'lorem ipsum ', '{"model":"m","input":', '}'),
];

const completions: readonly Shape[] = [
  list('prompts', 'prompt', '"a"', '"model":"m"'),
  text('one long text', 'lorem ipsum ', '{"model":"m","prompt":', '}'),
  ...foreignShapes('"model":"m","prompt":"a"').slice(0, 2),
];

const heal: readonly Shape[] = [
  text('a text of brackets', '[', '{"text":', '}'),
  text('a text of objects', String.raw`{\"a\":1},`, '{"text":', '}'),
  text('prose', 'lorem ipsum ', '{"text":', '}'),
  text('quotes', String.raw`\"`, '{"text":', '}'),
  {
    name: 'properties of a schema',
    piece: '"p#":{"type":"string"}',
    before: '{"text":"{}","schema":{"type":"object","properties":{',
    after: '}}}',
  },
  {
    name: 'branches of a schema',
    piece: '{"type":"string"}',
    before: '{"text":"{}","schema":{"anyOf":[',
    after: ']}}',
  },
  { name: 'values of an enumeration', piece: '"v#"', before: '{"text":"v","schema":{"enum":[', after: ']}}' },
];

const conversations: readonly Shape[] = [
  list('items', 'items', '{"type":"message","role":"user","content":"a"}', '"metadata":{}'),
  { name: 'metadata', piece: '"k#":"a"', before: '{"metadata":{', after: '}}' },
];

const appChat: readonly Shape[] = [
  { name: 'messages', piece: '{"role":"user","content":"a"}', before: '{"messages":[', after: ']}' },
  {
    name: 'parts',
    piece: '{"type":"text","text":"a"}',
    before: '{"messages":[{"role":"user","content":[',
    after: ']}]}',
  },
];

const forwarded: readonly Shape[] = foreignShapes('"model":"m","input":"a"').slice(0, 4);

export const doors: readonly Door[] = [
  { name: 'chat', path: '/v1/chat/completions', shapes: chat },
  { name: 'messages', path: '/v1/messages', shapes: anthropic },
  { name: 'count_tokens', path: '/v1/messages/count_tokens', shapes: anthropic.slice(0, 7) },
  { name: 'responses', path: '/v1/responses', shapes: responses },
  { name: 'responses, counted', path: '/v1/responses/input_tokens', shapes: responses.slice(0, 4) },
  { name: 'responses, compacted', path: '/v1/responses/compact', shapes: responses.slice(0, 4) },
  { name: 'responses, WebSocket', path: 'ws:/v1/responses', shapes: responses },
  { name: 'generateContent', path: '/v1beta/models/m:generateContent', shapes: gemini },
  { name: 'countTokens', path: '/v1beta/models/m:countTokens', shapes: gemini.slice(0, 3) },
  { name: 'embeddings', path: '/v1/embeddings', shapes: embeddings },
  { name: 'completions', path: '/v1/completions', shapes: completions },
  { name: 'heal', path: '/v1/heal', shapes: heal },
  { name: 'conversations', path: '/v1/conversations', shapes: conversations },
  { name: 'chat route', path: '/api/chat/stream', shapes: appChat },
  { name: 'forwarded', path: '/v1/moderations', shapes: forwarded },
];

/** The largest body of a shape that has at most so many bytes and values. */
export function toLargestBody(shape: Shape, limits: { readonly bytes: number; readonly values: number }): Buffer {
  const sample = toBody(shape, sampleSize);
  const meter = new JsonMeter();
  meter.push(sample);
  // Numbered pieces grow, so the body has fewer values than the sample promises.
  const size = Math.floor((sample.length * limits.values * 0.98) / Math.max(1, meter.values));
  return toBody(shape, Math.min(size, limits.bytes));
}

const sampleSize = 50_000;

/** The body of a shape with about `size` bytes. */
export function toBody({ piece, before, after }: Shape, size: number): Buffer {
  const isText = before.endsWith('"') && after.startsWith('"');
  const separator = isText ? '' : ',';
  const isNumbered = piece.includes('#');
  const pieces: string[] = [];
  let length = before.length + after.length;
  for (let index = 0; length < size; index++) {
    const next = isNumbered ? piece.replaceAll('#', String(index)) : piece;
    pieces.push(next);
    length += next.length + separator.length;
  }
  return Buffer.from(before + pieces.join(separator) + after);
}
