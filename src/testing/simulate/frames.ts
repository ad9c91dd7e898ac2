// Encodes the model's events as the frames of a stream, and injects the faults at frame level: an error event, a malformed
// frame, a missing end, missing token counts. Independent of the wire: a frame ends with an empty line.

import { classifyFailure } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import { isRecord } from '../../core/json.ts';
import type { Fault } from '../model/fault.ts';
import { Pacer, wait, type StreamPace } from '../model/pace.ts';
import type { StreamEncoder } from '../../wire/wire.ts';
import type { LogprobWriter } from './logprobs.ts';

/** The malformed frame is sent after this many frames. */
const malformedAfter = 2;
const malformedFrame = 'data: {"simulated": "this line ends too \n\n';

export interface FrameOptions {
  readonly encoder: StreamEncoder;
  readonly fault: Fault;
  readonly pace: StreamPace;
  readonly signal: AbortSignal;
  /** If the client asked for log probabilities. */
  readonly logprobs?: LogprobWriter | undefined;
  /** `false`: the last frame has the stop reason, and nothing closes the stream. */
  readonly hasTerminator?: boolean | undefined;
}

/** Yields all frames of one event at a time. */
export async function* streamFrames(events: readonly StreamEvent[], options: FrameOptions): AsyncGenerator<string> {
  const { encoder, fault, pace, signal, logprobs } = options;
  const pacer = new Pacer(pace);
  const failAfter = fault.errorAfterEvents ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  for (const event of events) {
    if (sent >= failAfter) break;
    await wait(pacer.delayBefore(event), signal);
    let frames = splitFrames(encoder.push(event)).slice(0, failAfter - sent);
    if (event.type === 'message-end' && fault.omitDone === true && options.hasTerminator !== false)
      frames = frames.slice(0, -1);
    if (logprobs !== undefined) frames = frames.map((frame) => editFrame(frame, (data) => logprobs.editFrame(data)));
    if (fault.omitUsage === true) frames = frames.map((frame) => editFrame(frame, dropUsage));
    if (frames.length > 0) yield frames.join('');
    if (fault.malformedSse === true && sent < malformedAfter && sent + frames.length >= malformedAfter)
      yield malformedFrame;
    sent += frames.length;
  }
  if (sent >= failAfter) yield failureFrame(encoder, fault);
}

function failureFrame(encoder: StreamEncoder, fault: Fault): string {
  const { errorType = 'overloaded_error', message = 'Overloaded (simulated)' } = fault;
  // An error type may be the name of an exception of Amazon.
  const named = errorType.endsWith('Exception') ? { code: errorType } : {};
  return editFrame(encoder.fail(classifyFailure({ type: errorType, message, ...named })), (data) => {
    if (isRecord(data['error']) && 'type' in data['error']) data['error']['type'] = errorType;
  });
}

function splitFrames(text: string): string[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame) => `${frame}\n\n`);
}

/** Edits the JSON of a frame. A frame without JSON is unchanged. */
function editFrame(frame: string, edit: (data: Record<string, unknown>) => void): string {
  return frame.replace(/^data: (\{.*\})$/mu, (_line, json: string) => {
    const data = JSON.parse(json) as Record<string, unknown>;
    edit(data);
    return `data: ${JSON.stringify(data)}`;
  });
}

function dropUsage(data: Record<string, unknown>): void {
  delete data['usage'];
  if (isRecord(data['message'])) delete data['message']['usage'];
  if (isRecord(data['response'])) data['response']['usage'] = null;
}
