// The faults: what the first target of a chain does with a streaming request instead of sending a valid response.

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** The gateway's timeouts, in milliseconds. */
export interface Limits {
  readonly connect: number;
  readonly firstToken: number;
  readonly idle: number;
}

export interface Play {
  readonly response: ServerResponse;
  /** The complete response as server-sent events, one per word, then the stop reason and `[DONE]`. */
  readonly frames: readonly string[];
  readonly limits: Limits;
  /** The number of earlier requests. */
  readonly ordinal: number;
}

export interface Fault {
  readonly name: string;
  /** Whether the fault happens before the first word or after some words. */
  readonly when: 'before' | 'during';
  /** What a call waits for before it moves to the next target: a timeout, or a late failure. */
  readonly waits?: keyof Limits | 'slow-failure';
  readonly play?: (play: Play) => void | Promise<void>;
  /** The target's URL accepts no request at all. */
  readonly unreachable?: 'refused' | 'tls' | 'dns' | 'silent-tls';
  /** The target stays in use, because some requests succeed or the failure is a rate limit rather than an outage. */
  readonly isKept?: true;
}

const errorBody = (message: string, type = 'server_error'): string => JSON.stringify({ error: { message, type } });

function failWith(status: number, headers: Record<string, string> = {}): NonNullable<Fault['play']> {
  return ({ response }) => void response.writeHead(status, headers).end(errorBody(`status ${status}`));
}

function begin(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders();
}

/** Sends the first words, then runs `then`. */
function after(words: number, then: (play: Play) => void): NonNullable<Fault['play']> {
  return (play) => {
    begin(play.response);
    // A reset in the same turn of the event loop would discard the words that were just written.
    play.response.write(play.frames.slice(0, words).join(''), () => setTimeout(() => then(play), 20));
  };
}

/** Sends the text byte by byte, so slowly that no event is complete in time. */
function drip(text: string, pause: number): (play: Play) => void {
  return ({ response }) => {
    let position = 0;
    const timer = setInterval(() => {
      if (position < text.length) response.write(text[position++]);
    }, pause);
    response.on('close', () => clearInterval(timer));
  };
}

const dripped = (frames: readonly string[], limit: number) => drip(frames.slice(3).join(''), limit / 50);

const garbage = 'data: {"choices":[{"delta":\n\n';

export const faults: readonly Fault[] = [
  { name: 'every request gets 500', when: 'before', play: failWith(500) },
  { name: 'every request gets 503', when: 'before', play: failWith(503) },
  { name: 'every request gets 529 (overloaded)', when: 'before', play: failWith(529) },
  { name: 'every request gets 429', when: 'before', play: failWith(429), isKept: true },
  { name: 'Retry-After lies: 429, 30 s', when: 'before', play: failWith(429, { 'retry-after': '30' }), isKept: true },
  { name: 'Retry-After lies: 503, 10⁹ s', when: 'before', play: failWith(503, { 'retry-after': '1000000000' }) },
  { name: 'Retry-After lies: 503, garbage', when: 'before', play: failWith(503, { 'retry-after': 'soon' }) },
  {
    name: '503 after 6 s',
    when: 'before',
    waits: 'slow-failure',
    play: (play) => void setTimeout(() => void failWith(503)(play), 6000).unref(),
  },
  { name: 'stall before the headers', when: 'before', waits: 'firstToken', play: () => undefined },
  { name: 'stall before the body', when: 'before', waits: 'firstToken', play: ({ response }) => begin(response) },
  { name: 'stall between words', when: 'during', waits: 'idle', play: after(3, () => undefined) },
  {
    name: 'only keep-alive comments',
    when: 'before',
    waits: 'firstToken',
    play: (play) => {
      begin(play.response);
      drip(': still here\n\n'.repeat(10_000), play.limits.firstToken / 100)(play);
    },
  },
  {
    name: 'slow drip from the first byte',
    when: 'before',
    waits: 'firstToken',
    play: (play) => {
      begin(play.response);
      dripped(play.frames, play.limits.firstToken)(play);
    },
  },
  {
    name: 'slow drip after some words',
    when: 'during',
    waits: 'idle',
    play: after(3, (play) => dripped(play.frames, play.limits.idle)(play)),
  },
  { name: 'reset before the headers', when: 'before', play: ({ response }) => void response.socket?.resetAndDestroy() },
  { name: 'reset between words', when: 'during', play: after(3, ({ response }) => response.socket?.resetAndDestroy()) },
  { name: 'end between words', when: 'during', play: after(3, ({ response }) => response.end()) },
  {
    name: 'malformed frame first',
    when: 'before',
    play: ({ response, frames }) => {
      begin(response);
      response.end(garbage + frames.join(''));
    },
  },
  { name: 'malformed frame between words', when: 'during', play: after(3, ({ response }) => response.end(garbage)) },
  {
    name: 'empty 200',
    when: 'before',
    play: ({ response }) => {
      begin(response);
      response.end();
    },
  },
  {
    name: 'wrong content type',
    when: 'before',
    play: ({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>'),
  },
  {
    name: 'error inside a 200, first',
    when: 'before',
    play: ({ response }) => {
      begin(response);
      response.end(`data: ${errorBody('overloaded', 'overloaded_error')}\n\n`);
    },
  },
  {
    name: 'error inside a 200, between words',
    when: 'during',
    play: after(3, ({ response }) => response.end(`data: ${errorBody('overloaded', 'overloaded_error')}\n\n`)),
  },
  {
    name: 'rate limit inside a 200, between words',
    when: 'during',
    play: after(3, ({ response }) => response.end(`data: ${errorBody('slow down', 'rate_limit_error')}\n\n`)),
  },
  {
    name: '1,500 content codings',
    when: 'before',
    play: ({ response, frames }) => {
      begin(response, { 'content-encoding': Array.from({ length: 1500 }, () => 'gzip').join() });
      response.end(gzipSync(frames.join('')));
    },
  },
  {
    name: 'flapping: every second request gets 500',
    when: 'before',
    isKept: true,
    play: (play) => {
      if (play.ordinal % 2 === 0) return failWith(500)(play);
      begin(play.response);
      play.response.end(play.frames.join(''));
    },
  },
  { name: 'connection refused', when: 'before', unreachable: 'refused' },
  { name: 'TLS failure', when: 'before', unreachable: 'tls' },
  { name: 'DNS failure', when: 'before', unreachable: 'dns' },
  { name: 'slow connect', when: 'before', waits: 'connect', unreachable: 'silent-tls' },
];
