// Routes of the application that runs the server: its page, its data. They pass the same door as all others (host, origin,
// limits of a body), and go before the server's own.

import type { Exchange } from '../http/exchange.ts';
import type { ChatUser } from '../chat/user.ts';
import type { HttpRoute } from './http-route.ts';
import { toWebRequest } from '../http/web-request.ts';

interface RoutePath {
  readonly method: 'GET' | 'POST';
  /** Exactly. */
  readonly path: string;
}

/** `open`: to everybody the server admits. `user`: to whom `authenticate` knows. A POST brings JSON. */
export type ApplicationRoute<User extends ChatUser = ChatUser> = RoutePath &
  (
    | { readonly access: 'open'; answer(request: Request): Response | Promise<Response> }
    | { readonly access: 'user'; answer(request: Request, user: User): Response | Promise<Response> }
  );

export class ApplicationRoutes {
  readonly #routes: readonly HttpRoute[];

  constructor(routes: readonly ApplicationRoute[]) {
    this.#routes = routes.map(toRoute);
  }

  find(method: string, path: string): HttpRoute | undefined {
    const asked = method === 'HEAD' ? 'GET' : method;
    return this.#routes.find((route) => route.path === path && route.method === asked);
  }
}

function toRoute(route: ApplicationRoute): HttpRoute {
  const { method, path, access } = route;
  return {
    method,
    path,
    access,
    async handle(exchange, { chat, settings }) {
      const user = access === 'user' ? await chat.authenticate(exchange) : undefined;
      const body = method === 'POST' ? JSON.stringify(await exchange.readJson(settings.bodyLimit)) : undefined;
      const { request, signal } = exchange;
      const asked = toWebRequest(request, { signal, ...(body === undefined ? {} : { body }) });
      // A route that is a user's was found to have one.
      const answer = route.access === 'user' ? route.answer(asked, user as ChatUser) : route.answer(asked);
      await send(exchange, await answer);
    },
  };
}

async function send(exchange: Exchange, response: Response): Promise<void> {
  exchange.send(response.status, new Uint8Array(await response.arrayBuffer()), Object.fromEntries(response.headers));
}
