// The official ACP client, connected to our agent in this process or as a real process. Every line of the agent is judged by
// the official schema.

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, Readable, type Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import {
  client,
  ndJsonStream,
  type ClientContext,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { main } from '../../src/cli/simple-agents/main.ts';
import { LineSplitter } from '../../src/rpc/line-splitter.ts';
import { AcpJudge } from './acp-schema.ts';
import { launcher } from './cli-process.ts';
import { runs } from './enumeration.ts';
import { MemoryTerminal } from './memory-terminal.ts';

export interface AcpOptions {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The arguments after `acp`. */
  readonly argv?: readonly string[];
  /** The script of another agent. Default: `simple-agents acp`. Only for `startAcpProcess`. */
  readonly program?: string;
  readonly capabilities?: object;
  /** Undefined: the question stays open. */
  readonly permission?: (request: RequestPermissionRequest) => string | Promise<string> | undefined;
  readonly readFile?: (path: string) => string;
  readonly writeFile?: (path: string, content: string) => void;
}

/** A pair of byte streams, as they look from the client. */
interface AgentStreams {
  readonly input: Writable;
  readonly output: Readable;
}

export interface AcpClient {
  readonly agent: ClientContext;
  /** The updates of all sessions so far. */
  readonly updates: SessionUpdate[];
  readonly questions: RequestPermissionRequest[];
  /** The lines of the agent so far. */
  readonly lines: string[];
  /** What the schema objects to. Asserted to be empty when the test ends. */
  readonly judge: AcpJudge;
  /** Sends a line as it is. */
  readonly write: (line: string) => void;
  /** Resolves when an update satisfies the condition. */
  readonly sees: (condition: (update: SessionUpdate) => boolean) => Promise<SessionUpdate>;
  readonly newSession: () => Promise<string>;
  readonly prompt: (sessionId: string, text: string) => Promise<string>;
}

/** Runs the agent in this process; in the full suite as a process of its own. It must end with 0 when the test ends. */
export async function startAcp(context: TestContext, options: AcpOptions): Promise<AcpClient> {
  return runs(startEndingProcess, startInProcess)(context, options);
}

async function startEndingProcess(context: TestContext, options: AcpOptions): Promise<AcpClient> {
  const { child, err } = spawnAgent(options);
  context.after(async () => {
    child.stdin.end();
    assert.deepEqual(child.exitCode === null ? await once(child, 'exit') : [child.exitCode, null], [0, null], err());
  });
  return connect(context, options, { input: child.stdin, output: child.stdout });
}

async function startInProcess(context: TestContext, options: AcpOptions): Promise<AcpClient> {
  const input = new PassThrough();
  const terminal = new MemoryTerminal({
    cwd: options.folder,
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
  });
  const running = main(['acp', ...(options.argv ?? [])], Object.assign(terminal, { stdin: input }));
  const output = new PassThrough();
  terminal.stdout.on('data', (bytes: Buffer) => output.write(bytes));
  const connected = await connect(context, options, { input, output });
  context.after(async () => {
    input.end();
    assert.equal(await running, 0, terminal.err);
  });
  return connected;
}

export interface AcpProcess extends AcpClient {
  readonly child: ChildProcess;
  readonly err: () => string;
}

/** It is killed when the test ends. */
export async function startAcpProcess(context: TestContext, options: AcpOptions): Promise<AcpProcess> {
  const { child, err } = spawnAgent(options);
  context.after(() => child.kill('SIGKILL'));
  return { ...(await connect(context, options, { input: child.stdin, output: child.stdout })), child, err };
}

function spawnAgent({ program, argv = [], folder, env }: AcpOptions) {
  const script = program === undefined ? [launcher, 'acp'] : [program];
  const child = spawn(process.execPath, [...script, ...argv], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, ...env },
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  child.stdin.on('error', () => undefined);
  return { child, err: () => said };
}

async function connect(context: TestContext, options: AcpOptions, streams: AgentStreams): Promise<AcpClient> {
  const judge = new AcpJudge();
  const lines: string[] = [];
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const changed = new PassThrough();
  const write = (line: string): void => {
    judge.fromClient(line);
    streams.input.write(`${line}\n`);
  };
  const onLine = (line: string): void => {
    judge.fromAgent(line);
    lines.push(line);
    const { method, params } = JSON.parse(line) as { method?: string; params: SessionNotification };
    // Taken from the line, because the client's handlers may run after the reply that follows.
    if (method === 'session/update') updates.push(params.update);
    changed.emit('update');
  };
  const app = client()
    .onRequest('session/request_permission', async ({ params }): Promise<RequestPermissionResponse> => {
      questions.push(params);
      const optionId = await (options.permission?.(params) ?? new Promise<never>(() => undefined));
      return { outcome: { outcome: 'selected', optionId } };
    })
    .onRequest('fs/read_text_file', ({ params }) => ({ content: options.readFile?.(params.path) ?? '' }))
    .onRequest('fs/write_text_file', ({ params }) => {
      options.writeFile?.(params.path, params.content);
      return {};
    })
    .onNotification('session/update', () => undefined);
  const connection = app.connect(ndJsonStream(toClient(write), fromAgent(streams.output, onLine)));
  context.after(() => {
    connection.close();
    assert.deepEqual(judge.problems, []);
  });
  const { agent } = connection;
  const clientCapabilities = options.capabilities ?? {};
  await agent.request('initialize', { protocolVersion: 1, clientCapabilities });
  return {
    agent,
    updates,
    questions,
    lines,
    judge,
    write,
    async sees(condition) {
      for (;;) {
        const found = updates.find(condition);
        if (found !== undefined) return found;
        await once(changed, 'update');
      }
    },
    async newSession() {
      return (await agent.request('session/new', { cwd: options.folder, mcpServers: [] })).sessionId;
    },
    async prompt(sessionId, text) {
      const { stopReason } = await agent.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
      return stopReason;
    },
  };
}

function toClient(write: (line: string) => void): WritableStream<Uint8Array> {
  const decoder = new TextDecoder();
  return new WritableStream({
    write(bytes) {
      for (const line of decoder.decode(bytes).split('\n')) if (line !== '') write(line);
    },
  });
}

function fromAgent(output: Readable, onLine: (line: string) => void): ReadableStream<Uint8Array> {
  const splitter = new LineSplitter();
  output.on('data', (bytes: Buffer) => {
    for (const line of splitter.push(bytes)) {
      assert.equal(line.kind, 'line');
      if (line.kind === 'line') onLine(line.text);
    }
  });
  return Readable.toWeb(output) as ReadableStream<Uint8Array>;
}

/** The texts of the chunks of one kind, joined. */
export function textOfUpdates(updates: readonly SessionUpdate[], kind: SessionUpdate['sessionUpdate']): string {
  return updates
    .map((update) => (update.sessionUpdate === kind && 'content' in update ? chunkText(update.content) : ''))
    .join('');
}

function chunkText(content: unknown): string {
  return (content as { readonly text?: string } | undefined)?.text ?? '';
}

/** The states of a call in order, without repetitions. */
export function statesOf(updates: readonly SessionUpdate[], toolCallId?: string): string[] {
  const states: string[] = [];
  for (const update of updates) {
    if (update.sessionUpdate !== 'tool_call' && update.sessionUpdate !== 'tool_call_update') continue;
    if (toolCallId !== undefined && update.toolCallId !== toolCallId) continue;
    if (typeof update.status === 'string' && states.at(-1) !== update.status) states.push(update.status);
  }
  return states;
}
