// The upstream's response in OpenAI's format: a text or one tool call, complete or in frames.

export interface Reply {
  readonly kind: 'text' | 'tool';
  readonly text: string;
}

/** Short enough to give healing many chunks, long enough that a megabyte takes less than a second to send. */
const pieceLength = 512;

export const toolName = 'act';

export function bodyOf({ kind, text }: Reply): string {
  const call = { id: 'call_1', type: 'function', function: { name: toolName, arguments: text } };
  const message = kind === 'text' ? { content: text } : { content: null, tool_calls: [call] };
  const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: stopOf(kind) };
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
  return JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage });
}

export function* framesOf({ kind, text }: Reply): Generator<string> {
  if (kind === 'tool') yield frame({ tool_calls: [callStart] });
  for (let at = 0; at < text.length; at += pieceLength) {
    const piece = text.slice(at, at + pieceLength);
    yield frame(kind === 'text' ? { content: piece } : { tool_calls: [{ index: 0, function: { arguments: piece } }] });
  }
  yield `${frame({}, stopOf(kind))}data: [DONE]\n\n`;
}

const callStart = { index: 0, id: 'call_1', type: 'function', function: { name: toolName, arguments: '' } };

function stopOf(kind: Reply['kind']): string {
  return kind === 'text' ? 'stop' : 'tool_calls';
}

function frame(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`;
}
