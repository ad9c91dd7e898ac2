// Long responses in the format of each provider, built in memory: text in pieces of a few characters, three tool calls with
// their arguments in fragments, usage, end. The bytes are the same in every run.

export interface Recording {
  /** The number of server-sent events. */
  readonly events: number;
  /** All text and tool arguments in order: what a reader must return. */
  readonly transcript: string;
  /** One event per chunk, as when the model is slower than the network. */
  readonly single: readonly Uint8Array[];
  /** The same bytes split anywhere, several events per chunk, as when the network is slower than the model. */
  readonly packed: readonly Uint8Array[];
}

const toolCalls = 3;
const fragmentsPerCall = 300;
const words =
  'The quick brown fox doesn’t jump; it reads "quoted" text, naïve café lines\nand 東京 or 🦊 — then stops. ';

export function recordAnthropic(events: number): Recording {
  const frames: string[] = [];
  const add = (data: { readonly type: string; readonly [member: string]: unknown }) => {
    // Anthropic pads every event with spaces, so that its length does not reveal the text.
    const padding = ' '.repeat((frames.length * 7) % 16);
    frames.push(`event: ${data.type}\ndata: ${JSON.stringify(data).slice(0, -1)}${padding}}\n\n`);
  };
  const usage = { input_tokens: 1472, cache_creation_input_tokens: 0, cache_read_input_tokens: 1024, output_tokens: 1 };
  const message = {
    id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
    type: 'message',
    role: 'assistant',
    model: 'claude-sonnet-4-5',
  };
  add({ type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null, usage } });
  add({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  add({ type: 'ping' });
  // Frames without text: three above, one after the text, two around each call, two at the end.
  const texts = piecesOf(words, events - 6 - toolCalls * (fragmentsPerCall + 2));
  for (const text of texts) add({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  add({ type: 'content_block_stop', index: 0 });
  const fragments = argumentFragments();
  for (let index = 1; index <= toolCalls; index += 1) {
    const call = { type: 'tool_use', id: `toolu_01T1x1fJ34qAmk2tNTrN7Up${index}`, name: 'write_file', input: {} };
    add({ type: 'content_block_start', index, content_block: call });
    for (const json of fragments) {
      add({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } });
    }
    add({ type: 'content_block_stop', index });
  }
  add({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 10_391 },
  });
  add({ type: 'message_stop' });
  return toRecording(frames, events, texts, fragments);
}

export function recordOpenAi(events: number): Recording {
  const frames: string[] = [];
  const head = {
    id: 'chatcmpl-BkJ2pWm4o2mP8yq3vVhT9nQzR5sXe',
    object: 'chat.completion.chunk',
    created: 1_763_200_000,
    model: 'gpt-4.1-2025-04-14',
    service_tier: 'default',
    system_fingerprint: 'fp_51e1070cf2',
  };
  const add = (data: object) => frames.push(`data: ${JSON.stringify({ ...head, ...data })}\n\n`);
  // OpenAI pads events in a field of their own.
  const addDelta = (delta: object, obfuscation: string, finish: string | null = null) =>
    add({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null, obfuscation });
  addDelta({ role: 'assistant', content: '', refusal: null }, 'hT4sKq');
  // Frames without text: the one above, the start of each call, three at the end.
  const texts = piecesOf(words, events - 4 - toolCalls * (fragmentsPerCall + 1));
  for (const text of texts) addDelta({ content: text }, 'Zk3vBn0Q'.slice(0, 8 - text.length));
  const fragments = argumentFragments();
  for (let index = 0; index < toolCalls; index += 1) {
    const call = { id: `call_Vt7nXb2LqGm9RzKc4pYsWd1${index}`, type: 'function' };
    addDelta({ tool_calls: [{ index, ...call, function: { name: 'write_file', arguments: '' } }] }, 'p');
    for (const json of fragments) addDelta({ tool_calls: [{ index, function: { arguments: json } }] }, 'x9Lw');
  }
  addDelta({}, 'qM', 'tool_calls');
  const usage = { prompt_tokens: 2496, completion_tokens: 10_391, total_tokens: 12_887 };
  add({ choices: [], usage: { ...usage, prompt_tokens_details: { cached_tokens: 1024, audio_tokens: 0 } } });
  frames.push('data: [DONE]\n\n');
  return toRecording(frames, events, texts, fragments);
}

export function recordResponses(events: number): Recording {
  const frames: string[] = [];
  const add = (type: string, data: object) => {
    const members = { type, sequence_number: frames.length, ...data };
    frames.push(`event: ${type}\ndata: ${JSON.stringify(members)}\n\n`);
  };
  const response = {
    id: 'resp_68f1c0ffee0123456789abcdef',
    object: 'response',
    created_at: 1_763_200_000,
    model: 'gpt-5.1',
    output: [],
  };
  for (const state of ['created', 'in_progress']) add(`response.${state}`, { response });
  const message = {
    id: 'msg_68f1c0ffee0123456789abcdef',
    type: 'message',
    role: 'assistant',
    status: 'in_progress',
    content: [],
  };
  add('response.output_item.added', { output_index: 0, item: message });
  const place = { item_id: message.id, output_index: 0, content_index: 0 };
  // Frames without text: three above, one after the text, two around each call, one at the end.
  const texts = piecesOf(words, events - 5 - toolCalls * (fragmentsPerCall + 2));
  for (const delta of texts) {
    const obfuscation = 'Zk3vBn0Q'.slice(0, 8 - delta.length);
    add('response.output_text.delta', { ...place, delta, logprobs: [], obfuscation });
  }
  const content = [{ type: 'output_text', text: texts.join(''), annotations: [], logprobs: [] }];
  add('response.output_item.done', { output_index: 0, item: { ...message, content } });
  const fragments = argumentFragments();
  for (let index = 1; index <= toolCalls; index += 1) {
    const id = `fc_68f1c0ffee0123456789abcde${index}`;
    const call = {
      id,
      type: 'function_call',
      call_id: `call_Vt7nXb2LqGm9RzKc4pYsWd1${index}`,
      name: 'write_file',
      status: 'completed',
    };
    const json = fragments.join('');
    add('response.output_item.added', { output_index: index, item: { ...call, arguments: '' } });
    for (const delta of fragments) {
      add('response.function_call_arguments.delta', { item_id: id, output_index: index, delta, obfuscation: 'x9Lw' });
    }
    add('response.output_item.done', { output_index: index, item: { ...call, arguments: json } });
  }
  const details = { input_tokens_details: { cached_tokens: 1024 }, output_tokens_details: { reasoning_tokens: 0 } };
  const usage = { input_tokens: 2496, output_tokens: 10_391, total_tokens: 12_887, ...details };
  add('response.completed', { response: { ...response, status: 'completed', usage } });
  return toRecording(frames, events, texts, fragments);
}

/** `count` pieces of three to seven characters from the repeated text. */
function piecesOf(text: string, count: number): string[] {
  const characters = Array.from(text);
  let position = 0;
  return Array.from({ length: count }, (_, piece) => {
    const length = 3 + (piece % 5);
    const taken = Array.from({ length }, (_unused, offset) => characters[(position + offset) % characters.length]);
    position += length;
    return taken.join('');
  });
}

/** The arguments of one call, in fragments. */
function argumentFragments(): string[] {
  const lines = piecesOf('const answer = compute(question, { depth: 3 });\n', fragmentsPerCall - 2);
  return ['{"path":"src/answer.ts","content":"', ...lines.map((line) => JSON.stringify(line).slice(1, -1)), '"}'];
}

function toRecording(frames: string[], events: number, texts: string[], fragments: string[]): Recording {
  if (frames.length !== events) throw new Error(`the recording has ${frames.length} events, not ${events}`);
  const encoder = new TextEncoder();
  return {
    events,
    transcript: texts.join('') + fragments.join('').repeat(toolCalls),
    single: frames.map((frame) => encoder.encode(frame)),
    packed: cut(encoder.encode(frames.join(''))),
  };
}

/** Chunks of 256 to 2303 bytes, from a generator with a fixed seed so that every run splits alike. */
function cut(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let state = 42;
  for (let start = 0; start < bytes.length;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const end = start + 256 + (state >>> 21);
    chunks.push(bytes.slice(start, end));
    start = end;
  }
  return chunks;
}
