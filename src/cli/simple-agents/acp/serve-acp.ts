// Runs an ACP agent on standard input and output until the client closes its end or a signal arrives. Only messages of the
// protocol are written to stdout.

import { once } from 'node:events';
import { AcpAgent } from '../../../acp/agent.ts';
import type { AgentSource } from '../../../acp/agent-session.ts';
import { version } from '../../../core/version.ts';
import { RpcConnection } from '../../../rpc/connection.ts';
import type { Invocation } from '../../invocation.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { AcpFlags } from '../commands/acp.ts';
import { CoderSource } from './coder-source.ts';

export async function serveAcp(flags: AcpFlags, { terminal, signal }: Invocation): Promise<number> {
  const ended = new AbortController();
  const stops = (['SIGTERM', 'SIGHUP'] as const).map((name) => terminal.onSignal(name, () => ended.abort()));
  const log = (line: string): void => void terminal.stderr.write(`simple-agents acp: ${line}\n`);
  try {
    const stopped = AbortSignal.any([signal, ended.signal]);
    const source = await createSource(flags, { terminal, signal: stopped, log });
    await serve(source, { terminal, signal: stopped, log });
    return 0;
  } finally {
    for (const stop of stops) stop();
  }
}

interface Service extends Invocation {
  readonly log: (line: string) => void;
}

async function createSource(flags: AcpFlags, { terminal, signal, log }: Service): Promise<AgentSource> {
  const { backend } = flags;
  if (backend === undefined) return new CoderSource({ flags, terminal, signal });
  const { ProcessSource } = await import('./process-source.ts');
  return new ProcessSource({ flags, backend, terminal, log });
}

async function serve(source: AgentSource, { terminal, signal, log }: Service): Promise<void> {
  const agent = new AcpAgent({ source, version, log });
  const connection = new RpcConnection({
    send: (line) => void terminal.stdout.write(line),
    onRequest: (method, params, cancelled) => agent.onRequest(method, params, cancelled),
    onNotification: (method, params) => agent.onNotification(method, params),
    onFault: log,
    cancelMethod: '$/cancel_request',
  });
  agent.connect(connection);
  await receive(connection, terminal, signal);
  connection.close('The client closed the connection.');
  await agent.close();
}

/** Resolves when the client has closed its end, does not read any more, or the process must end. */
async function receive(connection: RpcConnection, { stdin, stdout }: Terminal, signal: AbortSignal): Promise<void> {
  stdin.on('data', (bytes: Buffer) => connection.receive(bytes));
  const listening = new AbortController();
  const options = { signal: AbortSignal.any([signal, listening.signal]) };
  const endings = [once(stdin, 'end', options), once(stdin, 'error', options), once(stdout, 'error', options)];
  await Promise.race(endings.map((ending) => ending.catch(() => undefined)));
  listening.abort();
  stdout.on('error', () => undefined);
  stdin.removeAllListeners('data');
  stdin.pause();
}
