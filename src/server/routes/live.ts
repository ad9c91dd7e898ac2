// `GET /api/live`: server-sent events for the live view of the page. The first has what is known, the others come once a
// second. A key without the scope `metrics` sees its own calls only.

import { EventSender } from '../http/event-sender.ts';
import type { LiveMessage } from '../live/live-channel.ts';
import type { HttpRoute } from './http-route.ts';

export const live: HttpRoute = {
  method: 'GET',
  path: '/api/live',
  access: 'call',
  handle(exchange, { live: feed }) {
    const sender = new EventSender(exchange);
    const { key, signal } = exchange;
    const audience = key === undefined || key.scopes.includes('metrics') ? {} : { key: key.name };
    const send = (message: LiveMessage): boolean => {
      // A page that does not read misses messages, so that they do not fill the memory.
      if (sender.isFull) return false;
      sender.write(`data: ${JSON.stringify(message)}\n\n`);
      return true;
    };
    const leave = feed.join(audience, send, () => sender.end());
    signal.addEventListener('abort', leave, { once: true });
  },
};
