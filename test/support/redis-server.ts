// A real Redis server for one test, on a free port. It can be frozen, killed and restarted.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { TestContext } from 'node:test';
import { commandPart, skipWithout } from './requirement.ts';
import { findFreePort } from './server.ts';

/** For the `skip` option of a test. */
export const withoutRedis = skipWithout(commandPart('redis-server'));

export interface RedisServer {
  readonly url: string;
  start(): Promise<void>;
  /** Suspends the process. Its connections stay open. */
  freeze(): void;
  thaw(): void;
  /** Sends a command; returns the first line of the raw reply. */
  ask(command: string): Promise<string>;
  /** Ends the process with SIGKILL. */
  kill(): Promise<void>;
}

export async function startRedis(context: Pick<TestContext, 'after'>): Promise<RedisServer> {
  const port = await findFreePort();
  let server: ChildProcess | undefined;
  const kill = async (): Promise<void> => {
    if (server === undefined || server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  };
  const start = async (): Promise<void> => {
    const settings = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
    server = spawn('redis-server', settings, { stdio: 'ignore' });
    while ((await ask(port, 'PING').catch(() => '')) !== '+PONG') await setTimeout(10);
  };
  context.after(kill);
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    ask: (command) => ask(port, command),
    freeze: () => void server?.kill('SIGSTOP'),
    thaw: () => void server?.kill('SIGCONT'),
    kill,
  };
}

async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write(`${command}\r\n`);
    const [reply] = (await once(socket, 'data')) as [Buffer];
    return reply.toString().split('\r\n', 1)[0] ?? '';
  } finally {
    socket.destroy();
  }
}
