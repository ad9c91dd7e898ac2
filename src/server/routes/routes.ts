// The table of routes, and how a request finds its own.

import type { IncomingHttpHeaders } from 'node:http';

import { didYouMean } from '../../core/suggest.ts';
import { anthropicMessagesServer } from '../../wire/anthropic-messages/server.ts';
import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import type { WireServer } from '../../wire/wire.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { HttpRoute } from './http-route.ts';
import { chatCompletions } from './chat-completions.ts';
import { chatStream } from './chat-stream.ts';
import { countTokens } from './count-tokens.ts';
import { healRoute } from './heal.ts';
import { health, ready } from './health.ts';
import { messages } from './messages.ts';
import { metrics } from './metrics.ts';
import { model, models } from './models.ts';
import { page } from './page.ts';

export const routes: readonly HttpRoute[] = [
  chatCompletions,
  messages,
  countTokens,
  models,
  model,
  healRoute,
  chatStream,
  health,
  ready,
  metrics,
  page,
];

/** The first is spoken where nothing says otherwise. */
const wires: readonly WireServer[] = [openaiChatServer, anthropicMessagesServer];

const byPath = Map.groupBy(routes, ({ path }) => path);
const spokenAt = new Map(routes.map(({ path, wire }) => [path, wire]));
const below = routes.filter(({ path }) => path !== '/' && path.endsWith('/'));

/** In whose words a client wants its failures, also where there is no such route. */
export function wireOf(path: string, headers: IncomingHttpHeaders): WireServer {
  const spoken = spokenAt.get(path) ?? routes.find(({ wire, path: place }) => wire && isBelow(path, place))?.wire;
  if (spoken !== undefined) return spoken;
  const versioned = wires.find(({ versionHeader }) => versionHeader !== undefined && versionHeader in headers);
  return versioned ?? (wires[0] as WireServer);
}

/** Throws 404, or 405 where only the method is wrong. */
export function findRoute(method: string, path: string): HttpRoute {
  const found = byPath.get(path) ?? below.filter((route) => path.startsWith(route.path));
  if (found.length === 0) return unknown(method, path);
  const asked = method === 'HEAD' ? 'GET' : method;
  const route = found.find((candidate) => candidate.method === asked);
  if (route !== undefined) return route;
  const allow = found.map((candidate) => candidate.method).join(', ');
  return throwHttpError(405, `${path} takes ${allow}, not ${method}`, { headers: { allow } });
}

function isBelow(path: string, place: string): boolean {
  return path.length > place.length && path[place.length] === '/' && path.startsWith(place);
}

function unknown(method: string, path: string): never {
  const known = routes
    .map((route) => route.path)
    .filter((candidate) => !below.some((other) => other.path === candidate));
  const shown = path.slice(0, 100);
  const hint = didYouMean(shown, known) || `; there are ${known.join(', ')}`;
  return throwHttpError(404, `there is no ${method} ${shown} here${hint}`, { kind: 'not-found', code: 'not_found' });
}
