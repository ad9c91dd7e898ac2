// `POST /api/chat/stream`: runs the agent loop on a user's message, with the application's tools, and streams the events.
// An invalid request gets an error status. Later errors are events, and `[DONE]` always ends the stream.

import type { AgentEvent } from '../../agent/event.ts';
import type { AgentRun } from '../../agent/run.ts';
import type { Chat } from '../chat/chat.ts';
import { ChatLog } from '../chat/chat-log.ts';
import { decodeChatBody } from '../chat/chat-body.ts';
import { ChatRenderer } from '../chat/renderer.ts';
import { EventSender } from '../http/event-sender.ts';
import type { Exchange } from '../http/exchange.ts';
import type { HttpRoute } from './http-route.ts';
import type { ServerState } from '../server-state.ts';

export const chatStream: HttpRoute = {
  method: 'POST',
  path: '/api/chat/stream',
  access: 'user',
  async handle(exchange, state) {
    const { chat, settings } = state;
    const user = await chat.authenticate(exchange);
    chat.admit(user);
    const { before, prompt } = decodeChatBody(await exchange.readJson(settings));
    const { id, key } = exchange;
    const observeCall = () => state.observeCall(key?.name);
    const agent = await chat.createAgent({ user, before, id, key: key?.hash, observeCall });
    await send(agent.run(prompt, { signal: exchange.signal }), exchange, { state, user: user.id });
  },
};

async function send(
  run: AgentRun,
  exchange: Exchange,
  { state, user }: { readonly state: ServerState; readonly user: string },
): Promise<void> {
  const { chat, keepAlive } = state;
  const log = logOf(exchange.id, chat, user);
  const renderer = new ChatRenderer();
  const sender = new EventSender(exchange);
  keepAlive.add(sender);
  try {
    for await (const event of run) {
      log(event);
      sender.write(renderer.push(event));
      if (sender.isFull) await sender.drained();
    }
    sender.end();
  } finally {
    keepAlive.delete(sender);
  }
}

function logOf(
  request: string,
  { logger, settings: { logToolInput } }: Chat,
  user: string,
): (event: AgentEvent) => void {
  return logger === undefined ? () => undefined : new ChatLog({ logger, request, user, logToolInput }).write;
}
