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
  'mixed line breaks': (stream) => stream.replace('\n\n', '\r\n\n').replace('\n\n', '\n\r\n'),
  'many blank lines': (stream) => stream.replaceAll('\n\n', '\n\n\n\n\n\n'),
  'no space after the colon': (stream) => stream.replaceAll(': ', ':'),
  'no blank line at the end': (stream) => stream.trimEnd(),
  'no line break at the end': (stream) => stream.slice(0, -1),
  'everything twice after the end': (stream) => stream + stream,
  'nothing': () => '',
  'only line breaks': () => '\n\n\n\n',
  'only comments': () => ': a\n\n: b\n\n',
  'only NULs': () => '\0'.repeat(1000),
  'only the last event': (stream) => stream.slice(stream.lastIndexOf('data:')),
  'no end': (stream) => stream.slice(0, stream.indexOf('\n\n', stream.indexOf(' there')) + 2),
  'a comment': between(': hi\n\n'),
  'a comment without an end': between(': hi\n'),
  'a long comment': between(`: ${'x'.repeat(100_000)}\n\n`),
  'id and retry fields': between('id: 7\nretry: 10\n\n'),
  'an unknown field': between('unknown: x\n\n'),
  'a field without a colon': between('data\n\n'),
  'empty data': between('data:\n\n'),
  'two lines of empty data': between('data:\ndata:\n\n'),
  'a NUL on a line': between('\0\n\n'),
  'a NUL in data': between('data: {"a":"\0"}\n\n'),
  'a NUL in an id': between('id: \0\n\n'),
  'a name with a line break': between('event: a\rdata: {}\n\n'),
  'invalid UTF-8': between(new Uint8Array([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0xfe, 0xc0, 0x80, 10, 10])),
  'half a character': between(new Uint8Array([0x3a, 0xe2, 0x98, 10, 10])),
  'a lone surrogate': between('data: {"x":"\\ud800"}\n\n'),
  'null': between('data: null\n\n'),
  'a number': between('data: 7\n\n'),
  'a text': between('data: "hi"\n\n'),
  'a list': between('data: []\n\n'),
  'an empty object': between('data: {}\n\n'),
  'an unknown event': between('event: news\ndata: {"type":"news","x":1}\n\n'),
  'a ping': between('event: ping\ndata: {"type":"ping"}\n\n'),
  'empty choices': between('data: {"choices":[]}\n\n'),
  'choices of null': between('data: {"choices":null}\n\n'),
  'a choice of null': between('data: {"choices":[null]}\n\n'),
  'a choice without a delta': between('data: {"choices":[{"index":0}]}\n\n'),
  'a delta of null': between('data: {"choices":[{"index":0,"delta":null}]}\n\n'),
  'content that is a number': between('data: {"choices":[{"index":0,"delta":{"content":5}}]}\n\n'),
  'an index that is not a number': between('data: {"choices":[{"index":"a","delta":{"content":""}}]}\n\n'),
  'a block without a start': between(
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":9,"delta":{"type":"text_delta","text":""}}\n\n',
  ),
  'a stop of a block without a start': between('data: {"type":"content_block_stop","index":9}\n\n'),
  'an unknown delta': between(
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"odd_delta","odd":1}}\n\n',
  ),
  'prototype pollution': between('data: {"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}\n\n'),
  'deep nesting': between(`data: {"x":${deep}}\n\n`),
  'invalid JSON': between('data: {"x":\n\n'),
  'an HTML page': between('<html><body>502 Bad Gateway</body></html>\n\n'),
  'an HTTP response head': between('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'),
};
