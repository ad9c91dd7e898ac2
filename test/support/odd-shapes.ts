// What servers, proxies and bugs do to a stream of events, as data: each takes a valid stream with the text "Hello there"
// and changes it.

import type { StreamEvent } from '../../src/core/event.ts';
import type { UpstreamWire } from './gateway-server.ts';
import { begin, close, done, finish, frame, role, say, start, stop, usage, write } from './upstream.ts';

export function plainStream(wire: UpstreamWire): string {
  return wire === 'openai'
    ? [role, say('Hello'), say(' there'), stop, usage, done].join('')
    : [start, begin, write('Hello'), write(' there'), close, finish, frame('message_stop')].join('');
}

export function wordsOf(events: readonly StreamEvent[]): string {
  return events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
}

/** Inserts something between the two words. */
const between = (odd: string | Uint8Array) => (stream: string) => {
  const at = stream.indexOf('\n\n', stream.indexOf('Hello')) + 2;
  return Buffer.concat([Buffer.from(stream.slice(0, at)), Buffer.from(odd as string), Buffer.from(stream.slice(at))]);
};
const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;

export const oddShapes: Readonly<Record<string, (stream: string) => Uint8Array | string>> = {
  'a byte-order mark': (stream) => `\ufeff${stream}`,
  'carriage returns and line feeds': (stream) => stream.replaceAll('\n', '\r\n'),
  'carriage returns alone': (stream) => stream.replaceAll('\n', '\r'),
  'mixed line ends': (stream) => stream.replace('\n\n', '\r\n\n').replace('\n\n', '\n\r\n'),
  'many blank lines': (stream) => stream.replaceAll('\n\n', '\n\n\n\n\n\n'),
  'no space after the colon': (stream) => stream.replaceAll(': ', ':'),
  'no blank line at the end': (stream) => stream.trimEnd(),
  'no line end at the end': (stream) => stream.slice(0, -1),
  'everything twice after the end': (stream) => stream + stream,
  'nothing': () => '',
  'only line ends': () => '\n\n\n\n',
  'only comments': () => ': a\n\n: b\n\n',
  'only NULs': () => '\0'.repeat(1000),
  'only an end': (stream) => stream.slice(stream.lastIndexOf('data:')),
  'no end': (stream) => stream.slice(0, stream.indexOf('\n\n', stream.indexOf(' there')) + 2),
  'a comment': between(': hi\n\n'),
  'a comment without an end': between(': hi\n'),
  'a long comment': between(`: ${'x'.repeat(100_000)}\n\n`),
  'ids and times to retry': between('id: 7\nretry: 10\n\n'),
  'an unknown field': between('unknown: x\n\n'),
  'a field without a colon': between('data\n\n'),
  'empty data': between('data:\n\n'),
  'two lines of empty data': between('data:\ndata:\n\n'),
  'a NUL on a line': between('\0\n\n'),
  'a NUL in data': between('data: {"a":"\0"}\n\n'),
  'a NUL in an id': between('id: \0\n\n'),
  'a name with a line end': between('event: a\rdata: {}\n\n'),
  'bytes that are no text': between(new Uint8Array([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0xc0, 0x80, 10, 10])),
  'half a character': between(new Uint8Array([0x3a, 0xe2, 0x98, 10, 10])),
  'a surrogate alone': between('data: {"x":"\\ud800"}\n\n'),
  'null': between('data: null\n\n'),
  'a number': between('data: 7\n\n'),
  'a text': between('data: "hi"\n\n'),
  'a list': between('data: []\n\n'),
  'an empty object': between('data: {}\n\n'),
  'an unknown event': between('event: news\ndata: {"type":"news","x":1}\n\n'),
  'a ping': between('event: ping\ndata: {"type":"ping"}\n\n'),
  'choices of nothing': between('data: {"choices":[]}\n\n'),
  'choices that are none': between('data: {"choices":null}\n\n'),
  'a choice that is none': between('data: {"choices":[null]}\n\n'),
  'a choice without a delta': between('data: {"choices":[{"index":0}]}\n\n'),
  'a delta that is none': between('data: {"choices":[{"index":0,"delta":null}]}\n\n'),
  'content that is a number': between('data: {"choices":[{"index":0,"delta":{"content":5}}]}\n\n'),
  'an index that is none': between('data: {"choices":[{"index":"a","delta":{"content":""}}]}\n\n'),
  'a block that never began': between(
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":""}}\n\n',
  ),
  'a stop of a block that never began': between('data: {"type":"content_block_stop","index":9}\n\n'),
  'an unknown delta': between(
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"odd_delta","odd":1}}\n\n',
  ),
  'a prototype': between('data: {"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\n\n'),
  'something deep': between(`data: {"x":${deep}}\n\n`),
  'something that is no JSON': between('data: {"x":\n\n'),
  'a page': between('<html><body>502 Bad Gateway</body></html>\n\n'),
  'a head of HTTP': between('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
};
