// Routes of the application that runs the server, such as its page and its data. They go through the same checks as all
// routes (host, origin, body limits) and take precedence over the server's own.

import type { Exchange } from '../http/exchange.ts';
import type { ChatUser } from '../chat/user.ts';
import type { HttpRoute } from './http-route.ts';
import { toWebRequest } from '../http/web-request.ts';

interface RoutePath {
  readonly method: 'GET' | 'POST';
  /** Matched exactly. */
  readonly path: string;
}

/** `open`: for every request. `user`: only for users that `authenticate` knows. The body of a POST must be JSON. */
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
    const handled = method === 'HEAD' ? 'GET' : method;
    return this.#routes.find((route) => route.path === path && route.method === handled);
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
      const body = method === 'POST' ? JSON.stringify(await exchange.readJson(settings)) : undefined;
      const { request, signal } = exchange;
      const webRequest = toWebRequest(request, { signal, ...(body === undefined ? {} : { body }) });
      const response = route.access === 'user' ? route.answer(webRequest, user as ChatUser) : route.answer(webRequest);
      await send(exchange, await response);
    },
  };
}

/** The application may send pages, so it sets its own policy. */
async function send(exchange: Exchange, response: Response): Promise<void> {
  delete exchange.headers['content-security-policy'];
  exchange.send(response.status, new Uint8Array(await response.arrayBuffer()), Object.fromEntries(response.headers));
}
