// The faults of the bench: what the first target of a chain does to a streamed request.

import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';

/** How long the product waits, by default or as configured here, in milliseconds. */
export interface Limits {
  readonly connect: number;
  readonly firstToken: number;
  readonly idle: number;
}

export interface Play {
  readonly response: ServerResponse;
  /** The response as server-sent events, one for each word, and the closing events. */
  readonly frames: readonly string[];
  readonly limits: Limits;
  /** The number of requests before this one. */
  readonly ordinal: number;
}

export interface Fault {
  readonly name: string;
  /** Whether some text has arrived before the fault. */
  readonly when: 'before' | 'during';
  /** What a client waits for before the next target is called. */
  readonly waits?: keyof Limits | 'slow-failure';
  readonly play?: (play: Play) => void | Promise<void>;
  /** A URL at which no request arrives. */
  readonly unreachable?: 'refused' | 'tls' | 'dns' | 'silent-tls';
  /** The product keeps calling: some requests succeed, or the failure is a limit and not an outage. */
  readonly isKept?: true;
}

const failure = (message: string, type = 'server_error'): string => JSON.stringify({ error: { message, type } });

function refuse(status: number, headers: Record<string, string> = {}): NonNullable<Fault['play']> {
  return ({ response }) => void response.writeHead(status, headers).end(failure(`status ${status}`));
}

function begin(response: ServerResponse, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders();
}

/** The first words, and then the fault. */
function after(words: number, then: (play: Play) => void): NonNullable<Fault['play']> {
  return (play) => {
    begin(play.response);
    // Writes of one tick are sent together, and a reset would drop them.
    play.response.write(play.frames.slice(0, words).join(''), () => setTimeout(() => then(play), 20));
  };
}

/** Byte by byte, so slowly that no event is complete in time. */
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
  { name: 'every request gets 500', when: 'before', play: refuse(500) },
  { name: 'every request gets 503', when: 'before', play: refuse(503) },
  { name: 'every request gets 529 (overloaded)', when: 'before', play: refuse(529) },
  { name: 'every request gets 429', when: 'before', play: refuse(429), isKept: true },
  { name: 'Retry-After lies: 429, 30 s', when: 'before', play: refuse(429, { 'retry-after': '30' }), isKept: true },
  { name: 'Retry-After lies: 503, 10⁹ s', when: 'before', play: refuse(503, { 'retry-after': '1000000000' }) },
  { name: 'Retry-After lies: 503, garbage', when: 'before', play: refuse(503, { 'retry-after': 'soon' }) },
  {
    name: '503 after 6 s',
    when: 'before',
    waits: 'slow-failure',
    play: (play) => void setTimeout(() => void refuse(503)(play), 6000).unref(),
  },
  { name: 'stall before the head', when: 'before', waits: 'firstToken', play: () => undefined },
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
  { name: 'reset before the head', when: 'before', play: ({ response }) => void response.socket?.resetAndDestroy() },
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
      response.end(`data: ${failure('overloaded', 'overloaded_error')}\n\n`);
    },
  },
  {
    name: 'error inside a 200, between words',
    when: 'during',
    play: after(3, ({ response }) => response.end(`data: ${failure('overloaded', 'overloaded_error')}\n\n`)),
  },
  {
    name: 'rate limit inside a 200, between words',
    when: 'during',
    play: after(3, ({ response }) => response.end(`data: ${failure('slow down', 'rate_limit_error')}\n\n`)),
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
      if (play.ordinal % 2 === 0) return refuse(500)(play);
      begin(play.response);
      play.response.end(play.frames.join(''));
    },
  },
  { name: 'connection refused', when: 'before', unreachable: 'refused' },
  { name: 'TLS failure', when: 'before', unreachable: 'tls' },
  { name: 'DNS failure', when: 'before', unreachable: 'dns' },
  { name: 'slow connect', when: 'before', waits: 'connect', unreachable: 'silent-tls' },
];
