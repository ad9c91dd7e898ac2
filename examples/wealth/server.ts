// The application: users, the assistant's tools, and the page with its data. The chat route, `POST /api/chat/stream`, is
// part of the server.

import type { DatabaseSync } from 'node:sqlite';
import type { ModelSource } from '../../src/index.ts';
import { createServer, type ApplicationRoute, type GatewayServer, type Logger } from '../../src/server/server.ts';
import { Ledger } from './ledger.ts';
import { pages } from './pages.ts';
import { today } from './seed.ts';
import { Sessions, type User } from './sessions.ts';
import { createTools } from './tools.ts';

export interface WealthOptions {
  readonly database: DatabaseSync;
  /** The model. */
  readonly provider: ModelSource;
  readonly port?: number;
  readonly logger?: Logger;
}

export const system = `You are the assistant of a personal finance application. Today is ${today}.
Answer from the tools alone, and say so when they have no answer. Amounts are in euros; write them as €1,234.56.
Be brief: a sentence or two, or a short list. A month without a year is the latest one that has begun.
To show a chart, write on a line of its own [chart: spending 2026-11] for the categories of a month, or [chart: months]
for all months; the page draws it.`;

export function createWealthServer({ database, provider, ...options }: WealthOptions): GatewayServer {
  const sessions = new Sessions(database);
  return createServer({
    provider,
    ...options,
    authenticate: sessions.userOf,
    tools: (user) => createTools(new Ledger(database, user.id)),
    chat: { system },
    routes: [...pages, ...dataRoutes(database, sessions)],
  });
}

function dataRoutes(database: DatabaseSync, sessions: Sessions): readonly ApplicationRoute<User>[] {
  return [
    { method: 'POST', path: '/api/session', access: 'open', answer: (request) => signIn(sessions, request) },
    {
      method: 'GET',
      path: '/api/overview',
      access: 'user',
      answer: (_request, user) => {
        const ledger = new Ledger(database, user.id);
        const month = today.slice(0, 7);
        const users = sessions.users();
        return Response.json({ user, users, ...ledger.balances(), month, budgets: ledger.budgets(month).budgets });
      },
    },
    {
      method: 'GET',
      path: '/api/spending',
      access: 'user',
      answer: (request, user) => {
        const month = new URL(request.url).searchParams.get('month') ?? '';
        return tell(() => new Ledger(database, user.id).spending(month));
      },
    },
    {
      method: 'GET',
      path: '/api/months',
      access: 'user',
      answer: (_request, user) => tell(() => new Ledger(database, user.id).trend()),
    },
  ];
}

async function signIn(sessions: Sessions, request: Request): Promise<Response> {
  const { user } = (await request.json()) as { user?: unknown };
  if (user === undefined && sessions.userOf(request) !== undefined) return Response.json({});
  const cookie = sessions.signIn(typeof user === 'string' ? user : 'ada');
  if (cookie === undefined) return Response.json({ error: 'This user does not exist.' }, { status: 404 });
  return Response.json({}, { headers: { 'set-cookie': cookie } });
}

/** The user may read the messages of the ledger. */
function tell(read: () => object): Response {
  try {
    return Response.json(read());
  } catch (error) {
    return Response.json({ error: (error as Error).message }, { status: 404 });
  }
}
