// Reads a stream as the strictest of Google's clients do, those for Go and Python: a frame is what stands between blank
// lines of one kind, and has nothing but one line of data. The readers of those clients are not reachable from here.

import assert from 'node:assert/strict';

interface GoogleChunk {
  readonly candidates?: readonly { readonly content?: { readonly parts?: readonly { readonly text?: string }[] } }[];
  readonly [member: string]: unknown;
}

/** Throws where a client would. `text` is the whole stream, as if it arrived at once. */
export function readAsGoogleClients(text: string): GoogleChunk[] {
  const chunks: GoogleChunk[] = [];
  let rest = text;
  while (rest !== '') {
    const [frame, blank] = nextFrame(rest);
    assert.notEqual(blank, '', `the last frame has no blank line: ${JSON.stringify(frame)}`);
    rest = rest.slice(frame.length + blank.length);
    if (frame === '') continue;
    assert.match(frame, /^data: \{[^\r\n]*\}$/, `not a frame of one line of data: ${JSON.stringify(frame)}`);
    const chunk = JSON.parse(frame.slice('data: '.length)) as GoogleChunk;
    // A chat loses its history with a chunk that has no content.
    if (chunk['error'] === undefined) assert.ok((chunk.candidates?.length ?? 0) > 0, frame);
    chunks.push(chunk);
  }
  return chunks;
}

/** Line feeds are sought before line ends with a carriage return, wherever they are. */
function nextFrame(text: string): readonly [frame: string, blank: string] {
  const blank = ['\n\n', '\r\n\r\n'].find((kind) => text.includes(kind)) ?? '';
  return [blank === '' ? text : text.slice(0, text.indexOf(blank)), blank];
}

export function textOf(chunks: readonly GoogleChunk[]): string {
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
  return parts.map(({ text = '' }) => text).join('');
}
