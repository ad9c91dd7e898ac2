// The chat route as a user's page sees it: a real server with a scripted model over real HTTP in either wire. The response
// is read as server-sent events. The requests to the model are described in the same form for both wires.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';

import type { Tool } from '../../src/agent/tool.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { createServer, type ChatUser, type GatewayServer, type ServerOptions } from '../../src/server/server.ts';
import { createSimulateServer, type SimulateServer } from '../../src/testing/simulate/server.ts';
import { anthropicMessagesServer } from '../../src/wire/anthropic-messages/server.ts';
import { openaiChatServer } from '../../src/wire/openai-chat/server.ts';
import { hastyClock, linesOf, type WireName } from './agent-model.ts';
import { createGateway } from '../../src/node.ts';

export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [key: string]: unknown;
}

export interface ChatServer {
  readonly url: string;
  readonly server: GatewayServer;
  readonly model: SimulateServer;
  /** The log records of the chat. */
  readonly log: readonly LogLine[];
  /** Milliseconds of every wait. The clock is virtual. */
  readonly pauses: readonly number[];
  /** The conversation in each request to the model, one line for each block. */
  readonly asked: () => string[][];
  readonly ask: (
    words: string | readonly object[],
    headers?: Record<string, string>,
    signal?: AbortSignal,
  ) => Promise<Response>;
}

export type ChatServerOptions<User extends ChatUser> = Partial<Omit<ServerOptions<User>, 'provider' | 'tools'>> & {
  readonly replies: readonly ScriptedReply[];
  readonly tools?: readonly Tool[] | ((user: User) => readonly Tool[] | Promise<readonly Tool[]>);
};

export async function startChat<User extends ChatUser = ChatUser>(
  context: TestContext,
  wire: WireName,
  { replies, ...options }: ChatServerOptions<User>,
): Promise<ChatServer> {
  const model = await createSimulateServer({ script: { replies } });
  const baseUrl = wire === 'openai' ? `${model.url}/v1` : model.url;
  const gateway = createGateway({
    providers: [{ name: wire, type: wire, model: 'm', apiKey: 'upstream-key', baseUrl }],
    breaker: false,
  });
  const pauses: number[] = [];
  const log: LogLine[] = [];
  const server = createServer<User>({
    port: 0,
    drain: 0,
    clock: hastyClock(pauses),
    logger: loggerInto(log),
    ...options,
    provider: gateway,
  });
  const url = await server.listen();
  context.after(async () => {
    await server.close();
    await gateway.close();
    await model.close();
  });
  const decode = wire === 'openai' ? openaiChatServer : anthropicMessagesServer;
  return {
    url,
    server,
    model,
    log,
    pauses,
    asked: () => model.requests.map(({ body }) => decode.decodeRequest(body).messages.flatMap(linesOf)),
    ask: (words, headers = {}, signal) =>
      fetch(`${url}/api/chat/stream`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ messages: typeof words === 'string' ? [{ role: 'user', content: words }] : words }),
        ...(signal === undefined ? {} : { signal }),
      }),
  };
}

function loggerInto(log: LogLine[]) {
  const at = (level: string) => (record: object) => {
    if ('message' in record && 'type' in record && record.type === 'chat') log.push({ level, ...record } as LogLine);
  };
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}

export interface Answer {
  /** All text, in order. */
  readonly text: string;
  /** Everything else, in order. */
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly errors: readonly unknown[];
  readonly tools: readonly Readonly<Record<string, unknown>>[];
}

/** Checks the format of the stream: `data:` lines of JSON with one member, and `[DONE]` once, at the end. */
export async function readAnswer(response: Response): Promise<Answer> {
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/event-stream; charset=utf-8');
  return parseAnswer(await response.text());
}

export function parseAnswer(body: string): Answer {
  const frames = body.split('\n\n').filter((frame) => frame !== '' && !frame.startsWith(':'));
  assert.equal(frames.pop(), 'data: [DONE]');
  const events = frames.map((frame) => {
    assert.ok(frame.startsWith('data: {') && !frame.includes('\n'), frame);
    return JSON.parse(frame.slice('data: '.length)) as Record<string, unknown>;
  });
  for (const event of events) assert.equal(Object.keys(event).length, 1);
  const member = (name: string) => events.flatMap((event) => (name in event ? [event[name]] : []));
  return {
    text: member('content').join(''),
    events: events.filter((event) => !('content' in event)),
    errors: member('error'),
    tools: member('tool') as Answer['tools'],
  };
}

/** A server with an embedded model. */
export async function startEmbedded(context: TestContext, options: Partial<ServerOptions>): Promise<string> {
  const server = createServer({ port: 0, drain: 0, provider: createSimulatedProvider(), ...options });
  context.after(() => server.close());
  return server.listen();
}
