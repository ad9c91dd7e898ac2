// Passes a response of this wire to a client of the same wire and replaces only its id, the id of the response before it
// and that of its conversation. Every other character stays as the provider sent it.

import { CompleteFrames } from '../complete-frames.ts';
import { findMember, replaceSpan } from '../json-member.ts';
import type { ResponseIdentity, StreamPassthrough } from '../wire.ts';
import { terminator } from './types.ts';

const utf8 = new TextDecoder();
const encoder = new TextEncoder();

/** Replaces the ids in the text of a response object that begins at `at`. */
export function replaceIds(text: string, identity: ResponseIdentity, at = 0): string {
  const { previous, conversation } = identity;
  const named = conversation === undefined ? text : replaceConversation(text, at, conversation);
  const replaced = replaceMember(named, { name: 'id', at }, (own) => identity.of(own));
  const toPrevious = (own: string): string => previous ?? identity.of(own);
  const member = { name: 'previous_response_id', at };
  // Null, if the provider got the conversation itself.
  return replaceMember(replaced, member, toPrevious, previous);
}

function replaceConversation(text: string, at: number, toId: (own: string) => string): string {
  const span = findMember(text, 'conversation', at);
  return span === undefined ? text : replaceMember(text, { name: 'id', at: span.start }, toId);
}

interface MemberPlace {
  readonly name: string;
  readonly at: number;
}

/** `otherwise`: for a value that is not a string. */
export function replaceMember(
  text: string,
  { name, at }: MemberPlace,
  toId: (own: string) => string,
  otherwise?: string,
): string {
  const span = findMember(text, name, at);
  if (span === undefined) return text;
  const own: unknown = JSON.parse(text.slice(span.start, span.end));
  const id = typeof own === 'string' ? toId(own) : otherwise;
  return id === undefined ? text : replaceSpan(text, span, JSON.stringify(id));
}

/** A plain body that is not JSON stays as it is. */
export function passBody(body: Uint8Array, identity: ResponseIdentity): Uint8Array {
  return encoder.encode(replaceIds(utf8.decode(body), identity));
}

const dataPrefix = 'data:';

function isData(line: string): boolean {
  return line.startsWith(dataPrefix);
}

/** Only the events about the whole response contain it. */
const marker = encoder.encode('"response"');

export class IdFrames implements StreamPassthrough {
  readonly #frames = new CompleteFrames();
  readonly #identity: ResponseIdentity;

  constructor(identity: ResponseIdentity) {
    this.#identity = identity;
  }

  push(chunk: Uint8Array): Uint8Array {
    return this.#replace(this.#frames.push(chunk));
  }

  /** What follows the last event is not passed on, so the terminator of the encoded streams is added here too. */
  end(): Uint8Array {
    const rest = utf8.decode(this.#replace(this.#frames.end()));
    return encoder.encode(rest + terminator);
  }

  #replace(frames: Uint8Array): Uint8Array {
    if (!includes(frames, marker)) return frames;
    const parts = utf8.decode(frames).split(/(?<=\n\r?\n)/);
    return encoder.encode(parts.map((frame) => this.#replaceFrame(frame)).join(''));
  }

  /** Data in several lines is one text. Its line breaks are white space of the JSON, and they stay where they are. */
  #replaceFrame(frame: string): string {
    const lines = frame.split('\n');
    const data = lines.filter(isData).map((line) => line.slice(dataPrefix.length));
    const replaced = this.#replaceEvent(data.join('\n')).split('\n');
    return lines.map((line) => (isData(line) ? `${dataPrefix}${replaced.shift()}` : line)).join('\n');
  }

  #replaceEvent(text: string): string {
    const response = findMember(text, 'response');
    return response === undefined ? text : replaceIds(text, this.#identity, response.start);
  }
}

function includes(bytes: Uint8Array, part: Uint8Array): boolean {
  const first = part[0] as number;
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (part.every((byte, index) => bytes[at + index] === byte)) return true;
  }
  return false;
}
