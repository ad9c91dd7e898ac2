// The table of routes, and the lookup of a request's route.

import type { IncomingHttpHeaders } from 'node:http';

import { didYouMean } from '../../core/suggest.ts';
import { anthropicMessagesServer } from '../../wire/anthropic-messages/server.ts';
import { geminiServer } from '../../wire/gemini/server.ts';
import { openaiChatServer } from '../../wire/openai-chat/server.ts';
import type { WireServer } from '../../wire/wire.ts';
import { throwHttpError } from '../http/http-error.ts';
import type { RoutePath } from '../http/route-path.ts';
import type { HttpRoute } from './http-route.ts';
import { chatCompletions } from './chat-completions.ts';
import { chatStream } from './chat-stream.ts';
import { completions } from './completions.ts';
import { conversationRoutes } from './conversations.ts';
import { countTokens } from './count-tokens.ts';
import { embeddings } from './embeddings.ts';
import { forwardRoutes } from './forward.ts';
import { geminiRoutes, isGeminiPath } from './gemini.ts';
import { healRoute } from './heal.ts';
import { health, ready } from './health.ts';
import { live } from './live.ts';
import { messages } from './messages.ts';
import { metrics } from './metrics.ts';
import { model, models } from './models.ts';
import { compactResponse } from './compact-response.ts';
import { countInputTokens, createResponse } from './responses.ts';
import { storedResponseRoutes } from './stored-responses.ts';
import { page, pageAsset } from './page.ts';
import { simulation, simulationFault } from './simulation.ts';

export const routes: readonly HttpRoute[] = [
  chatCompletions,
  messages,
  createResponse,
  countInputTokens,
  compactResponse,
  ...storedResponseRoutes,
  ...conversationRoutes,
  completions,
  countTokens,
  embeddings,
  models,
  model,
  ...geminiRoutes,
  ...forwardRoutes,
  healRoute,
  chatStream,
  health,
  ready,
  metrics,
  live,
  simulation,
  simulationFault,
  page,
  pageAsset,
];

/** The first is the default. */
const wires: readonly WireServer[] = [openaiChatServer, anthropicMessagesServer, geminiServer];

const byPath = Map.groupBy(routes, ({ path }) => path);
const wireByPath = new Map(routes.map(({ path, wire }) => [path, wire]));
const below = routes.filter(({ path }) => path !== '/' && path.endsWith('/'));

const wireByPrefix: Readonly<Record<string, WireServer>> = {
  openai: openaiChatServer,
  anthropic: anthropicMessagesServer,
};

/** The wire in which a client gets its errors, also for an unknown path. */
export function wireOf({ path, prefix = '' }: Omit<RoutePath, 'query'>, headers: IncomingHttpHeaders): WireServer {
  const known = wireByPath.get(path) ?? routes.find((route) => route.wire && isBelow(path, route.path))?.wire;
  if (known !== undefined) return known;
  if (isGeminiPath(path)) return geminiServer;
  const prefixed = wireByPrefix[prefix];
  if (prefixed !== undefined) return prefixed;
  const versioned = wires.find(({ versionHeader }) => versionHeader !== undefined && versionHeader in headers);
  return versioned ?? (wires[0] as WireServer);
}

/** Throws 404, or 405 if only the method is wrong. */
export function findRoute(method: string, path: string): HttpRoute {
  const found = byPath.get(path) ?? below.filter((route) => path.startsWith(route.path));
  if (found.length === 0) return unknown(method, path);
  const handled = method === 'HEAD' ? 'GET' : method;
  const route = found.find((candidate) => candidate.method === handled);
  if (route !== undefined) return route;
  const allow = found.map((candidate) => candidate.method).join(', ');
  return throwHttpError(405, `${path} does not support ${method}; use ${allow}`, { headers: { allow } });
}

function isBelow(path: string, parent: string): boolean {
  return path.length > parent.length && path[parent.length] === '/' && path.startsWith(parent);
}

function unknown(method: string, path: string): never {
  const paths = [...new Set(routes.map((route) => route.path))];
  const known = paths.filter((candidate) => !below.some((other) => other.path === candidate));
  const shown = path.slice(0, 100);
  const hint = didYouMean(shown, known) || `; the routes are ${known.join(', ')}`;
  return throwHttpError(404, `unknown route: ${method} ${shown}${hint}`, { kind: 'not-found', code: 'not_found' });
}
