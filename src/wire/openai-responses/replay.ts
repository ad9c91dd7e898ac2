// The stream of a stored response, made from its object. Each text arrives in one delta, so the events have other numbers
// than those of the first stream. Items of other types are complete at once.

import { isRecord, type JsonObject, type JsonValue } from '../../core/json.ts';
import { terminator } from './types.ts';

interface ReplayedEvent extends JsonObject {
  readonly type: string;
}

/** Yields one frame at a time. */
export function* replayFrames(response: JsonObject): Generator<string> {
  let sequence = 0;
  for (const event of replayEvents(response)) {
    const { type, ...members } = event;
    const numbered = { type, sequence_number: sequence++, ...members };
    yield `event: ${type}\ndata: ${JSON.stringify(numbered)}\n\n`;
  }
  yield terminator;
}

function* replayEvents(response: JsonObject): Generator<ReplayedEvent> {
  const begun = { ...response, status: 'in_progress', completed_at: null, output: [], usage: null };
  const initial = { ...begun, error: null, incomplete_details: null };
  yield { type: 'response.created', response: initial };
  yield { type: 'response.in_progress', response: initial };
  for (const [index, item] of recordsIn(response['output']).entries()) yield* itemEvents(item, index);
  yield { type: `response.${response['status'] as string}`, response };
}

function* itemEvents(item: JsonObject, index: number): Generator<ReplayedEvent> {
  const place = { output_index: index, item_id: item['id'] };
  yield { type: 'response.output_item.added', output_index: index, item: emptied(item) };
  switch (item['type']) {
    case 'message':
      for (const [at, part] of recordsIn(item['content']).entries())
        yield* partEvents(part, { ...place, content_index: at });
      break;
    case 'reasoning':
      for (const [at, part] of recordsIn(item['summary']).entries())
        yield* summaryEvents(part, { ...place, summary_index: at });
      for (const [at, part] of recordsIn(item['content']).entries())
        yield* textEvents('response.reasoning_text', { text: part['text'] }, { ...place, content_index: at });
      break;
    case 'function_call':
      yield* textEvents(
        'response.function_call_arguments',
        { arguments: item['arguments'] },
        { ...place, name: item['name'] },
      );
      break;
    case 'custom_tool_call':
      yield* textEvents('response.custom_tool_call_input', { input: item['input'] }, place);
      break;
    default:
  }
  yield { type: 'response.output_item.done', output_index: index, item };
}

/** The item as it was when it began. */
function emptied(item: JsonObject): JsonObject {
  switch (item['type']) {
    case 'message':
      return { ...item, status: 'in_progress', content: [] };
    case 'reasoning': {
      const { encrypted_content: _encrypted, ...begun } = item;
      return { ...begun, summary: [], ...(Array.isArray(item['content']) ? { content: [] } : {}) };
    }
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    case 'custom_tool_call':
      return { ...item, status: 'in_progress', input: '' };
    default:
      return item;
  }
}

function* partEvents(part: JsonObject, place: JsonObject): Generator<ReplayedEvent> {
  const isText = part['type'] === 'output_text';
  const empty = isText ? { text: '', annotations: [], logprobs: [] } : { refusal: '' };
  yield { type: 'response.content_part.added', ...place, part: { ...part, ...empty } };
  if (isText) yield* outputTextEvents(part, place);
  else yield* textEvents('response.refusal', { refusal: part['refusal'] }, place);
  yield { type: 'response.content_part.done', ...place, part };
}

function* outputTextEvents({ text, annotations, logprobs }: JsonObject, place: JsonObject): Generator<ReplayedEvent> {
  const known = { logprobs: Array.isArray(logprobs) ? logprobs : [] };
  yield { type: 'response.output_text.delta', ...place, delta: text, ...known };
  for (const [at, annotation] of recordsIn(annotations).entries())
    yield { type: 'response.output_text.annotation.added', ...place, annotation_index: at, annotation };
  yield { type: 'response.output_text.done', ...place, text, ...known };
}

function* summaryEvents(part: JsonObject, place: JsonObject): Generator<ReplayedEvent> {
  yield { type: 'response.reasoning_summary_part.added', ...place, part: { ...part, text: '' } };
  yield* textEvents('response.reasoning_summary_text', { text: part['text'] }, place);
  yield { type: 'response.reasoning_summary_part.done', ...place, part };
}

/** `whole`: the member of the last event that contains the text. */
function* textEvents(type: string, whole: JsonObject, place: JsonObject): Generator<ReplayedEvent> {
  const [delta] = Object.values(whole);
  yield { type: `${type}.delta`, ...place, delta };
  yield { type: `${type}.done`, ...place, ...whole };
}

function recordsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? (value.filter(isRecord) as JsonObject[]) : [];
}
