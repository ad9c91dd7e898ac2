// Our own coding agent as a source of ACP sessions. Each session is assembled as forgeflare assembles its agent: the same
// tools, guard, sandbox, hooks and session files. Its modules are loaded when the first session is opened.

import { realpath } from 'node:fs/promises';
import { join, relative, isAbsolute, resolve } from 'node:path';
import type { AgentSource, AgentSession, SessionHost, SessionRequest } from '../../../acp/agent-session.ts';
import type { SessionInfo } from '../../../acp/types.ts';
import type { UserQuestions } from '../../../coder/assemble.ts';
import type { PermissionQuestion } from '../../../coder/permission/permission.ts';
import { startWatchdog } from '../../../coder/process/watchdog.ts';
import type { EditorFiles } from '../../../coder/tools/workspace.ts';
import { SimpleAgentsError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { Message } from '../../../core/message.ts';
import { trustOptionsOf } from '../../forgeflare/trust-options.ts';
import { stateFolder } from '../../state-folder.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { AcpFlags } from '../commands/acp.ts';
import { toMcpServers } from './editor-servers.ts';

export interface CoderSourceOptions {
  readonly flags: AcpFlags;
  readonly terminal: Terminal;
  /** Aborts when the process ends. */
  readonly signal: AbortSignal;
}

const loadCoder = async () => {
  const [
    { assembleCoder },
    { connectAgent, connectOther },
    { CoderSession, modelNames },
    { createTodoWrite },
    { refuseUntrusted },
    { describeBusy },
    { probeSandbox },
    { outsidePath },
  ] = await Promise.all([
    import('../../../coder/assemble.ts'),
    import('../../forgeflare/model.ts'),
    import('./coder-session.ts'),
    import('../../../coder/tools/todo-write.ts'),
    import('../../../coder/hooks/trust.ts'),
    import('../../../coder/session/resume.ts'),
    import('../../../coder/sandbox/sandbox.ts'),
    import('../../../coder/sandbox/search-path.ts'),
  ]);
  const agent = { assembleCoder, connectAgent, connectOther, CoderSession, modelNames, createTodoWrite };
  return { ...agent, refuseUntrusted, describeBusy, probeSandbox, outsidePath };
};

export class CoderSource implements AgentSource {
  readonly title = 'SimpleAgents';
  readonly abilities = { load: true, list: true, delete: true, mcp: { http: true, sse: false } };
  readonly #options: CoderSourceOptions;
  /** The folders whose sessions are listed and deleted. */
  readonly #folders: Set<string>;

  constructor(options: CoderSourceOptions) {
    this.#options = options;
    this.#folders = new Set([options.terminal.cwd]);
  }

  prepare(): void {
    startWatchdog();
    // A failure is reported by the request that needs the result.
    this.#loadParts().catch(() => undefined);
  }

  /** What every session needs: the modules, the probe of the sandbox, the settings of the model and the HTTP client. */
  async #loadParts(): Promise<void> {
    const { flags, terminal } = this.#options;
    // Node loads its HTTP client when it is first used: 100 ms that the first prompt would wait for.
    await fetch('data:,');
    const { outsidePath, probeSandbox } = await loadCoder();
    if (flags.sandbox !== 'off') await probeSandbox(outsidePath(terminal.env['PATH'] ?? '', terminal.cwd));
    await this.authenticate();
  }

  create(request: SessionRequest): Promise<AgentSession> {
    return this.#assemble(request);
  }

  async open(id: string, request: SessionRequest): Promise<AgentSession> {
    const { loadSession } = await import('../../../coder/session/store.ts');
    const found = await loadSession(request.folder, id).catch(() => undefined);
    if (found?.id !== id) {
      throw new SimpleAgentsError('not-found', `there is no session ${JSON.stringify(id)} in ${request.folder}`);
    }
    return this.#assemble(request, { id, history: found.entries.map(({ message }) => message) });
  }

  async list(folder?: string): Promise<readonly SessionInfo[]> {
    const { listSessions } = await import('../../../coder/session/store.ts');
    if (folder !== undefined) this.#folders.add(folder);
    const found: SessionInfo[] = [];
    for (const cwd of folder === undefined ? this.#folders : [folder]) {
      for (const { id, prompt, updatedAt } of await listSessions(cwd)) {
        found.push({ sessionId: id, cwd, title: toTitle(prompt), updatedAt: updatedAt.toISOString() });
      }
    }
    return found;
  }

  async delete(id: string): Promise<void> {
    const { deleteSession, listSessions } = await import('../../../coder/session/store.ts');
    for (const folder of this.#folders) {
      const sessions = await listSessions(folder);
      if (sessions.some((session) => session.id === id)) return deleteSession(folder, id);
    }
    throw new SimpleAgentsError('not-found', `there is no session ${JSON.stringify(id)}`);
  }

  async authenticate(): Promise<void> {
    const { flags, terminal } = this.#options;
    const { connectAgent } = await loadCoder();
    const { gateway } = await connectAgent(flags, terminal, { mayFallBack: true });
    await gateway.close();
  }

  async #assemble(
    request: SessionRequest,
    earlier?: { id: string; history: readonly Message[] },
  ): Promise<AgentSession> {
    const { folder, host } = request;
    const root = await this.#checkFolder(folder);
    const modules = await loadCoder();
    const { flags, terminal, signal } = this.#options;
    const place = { ...terminal, cwd: root };
    const { mcp, ...trust } = trustOptionsOf(flags, terminal);
    const servers = toMcpServers(request.mcpServers);
    const coder = await modules.assembleCoder({
      cwd: root,
      env: terminal.env,
      connectModel: (name) =>
        name === undefined
          ? modules.connectAgent(flags, place, { mayFallBack: true })
          : modules.connectOther(name, flags, place),
      maxTokens: flags.maxTokens,
      permission: flags.permission ?? 'ask',
      sandbox: { mode: flags.sandbox, allowsNetwork: flags.allowNetwork },
      ...trust,
      mcp: { ...mcp, servers },
      questions: toQuestions(host, modules),
      tools: [modules.createTodoWrite()],
      warn: (line) => host.tell(line),
      signal,
      ...omitUndefined({
        stateFolder: stateFolder(terminal.env),
        maxCost: flags.maxCost,
        extraFolders: flags.addDir?.map((path) => resolve(terminal.cwd, path)),
        editor: toEditor(host, { folder, root }),
        session: earlier && { id: earlier.id },
      }),
    });
    const models = await modules.modelNames(flags, place);
    return new modules.CoderSession({ coder, models, host, history: earlier?.history ?? [] });
  }

  async #checkFolder(folder: string): Promise<string> {
    this.#folders.add(folder);
    return realpath(folder).catch((error: NodeJS.ErrnoException) => {
      const problem = `cwd: ${folder} cannot be opened (${error.code ?? error.message})`;
      throw new SimpleAgentsError('bad-request', problem, { field: 'cwd', cause: error });
    });
  }
}

/** The agent cannot ask about hooks and sessions over ACP, so it refuses and says what to do. */
function toQuestions(
  host: SessionHost,
  { refuseUntrusted, describeBusy }: Pick<Awaited<ReturnType<typeof loadCoder>>, 'refuseUntrusted' | 'describeBusy'>,
): UserQuestions {
  return {
    async permission(question, signal) {
      const reply = await host.askPermission(toAsk(question), signal);
      return reply === 'cancelled' ? 'no' : reply;
    },
    trust: async (table) => refuseUntrusted(table),
    busy: async (session) => {
      throw new SimpleAgentsError('bad-request', `${describeBusy(session)}; close it there, or start a new session`);
    },
  };
}

function toAsk({ id, name, input, reason, grant, preview, subagent }: PermissionQuestion) {
  const scopes = { edit: 'file changes', command: 'this command', tool: `the tool ${name}` };
  const caller = subagent === undefined ? '' : `subagent ${subagent.name} (${subagent.task}): `;
  const why = `${caller}${preview === undefined ? reason : `${reason}: ${preview.title}`}`;
  const unifiedDiff = preview?.text;
  return { callId: id, name, input, reason: why, scope: scopes[grant.kind], ...omitUndefined({ unifiedDiff }) };
}

/** The editor knows a file by the path that starts with the folder that it named, which may be a link. */
function toEditor(
  { readFile, writeFile }: SessionHost,
  { folder, root }: { readonly folder: string; readonly root: string },
): EditorFiles | undefined {
  if (readFile === undefined && writeFile === undefined) return undefined;
  const toName = (path: string): string => {
    const inside = relative(root, path);
    return inside.startsWith('..') || isAbsolute(inside) ? path : join(folder, inside);
  };
  return omitUndefined({
    read: readFile && ((path: string) => readFile(toName(path))),
    write: writeFile && ((path: string, text: string) => writeFile(toName(path), text)),
  });
}

const longestTitle = 80;

function toTitle(prompt: string): string {
  const line = Array.from(prompt.replaceAll(/\s+/g, ' ').trim());
  return line.length > longestTitle ? `${line.slice(0, longestTitle - 1).join('')}…` : line.join('');
}
