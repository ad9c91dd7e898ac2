// A stream-json agent, such as the claude CLI, as a source of ACP sessions: one process for each session.

import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, realpath } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { AgentProcess, ProcessListener } from '../../../acp/agent-process.ts';
import type { AgentSession, AgentSource, SessionRequest, SourceAbilities } from '../../../acp/agent-session.ts';
import { StreamJsonSession } from '../../../acp/stream-json-session.ts';
import type { SessionInfo } from '../../../acp/types.ts';
import { LineProcess, type ProcessEnd } from '../../../coder/process/line-process.ts';
import { SimpleAgentsError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { Message } from '../../../core/message.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import type { AcpFlags } from '../commands/acp.ts';
import { ClaudeTranscripts } from './claude-transcripts.ts';

export interface ProcessSourceOptions {
  readonly flags: AcpFlags;
  /** The program: `claude`, or a path. */
  readonly backend: string;
  readonly terminal: Terminal;
  readonly log: (text: string) => void;
}

/** Our permission modes in the words of the claude CLI. */
const modes = { ask: 'default', 'auto-edit': 'acceptEdits', 'read-only': 'plan', full: 'bypassPermissions' } as const;

export class ProcessSource implements AgentSource {
  readonly title: string;
  readonly abilities: SourceAbilities;
  readonly #options: ProcessSourceOptions;
  /** Undefined for a program whose files we do not know. */
  readonly #transcripts: ClaudeTranscripts | undefined;

  constructor(options: ProcessSourceOptions) {
    this.#options = options;
    const isClaude = /(^|[\\/])claude(\.exe)?$/.test(options.backend);
    this.title = isClaude ? 'Claude Code' : options.backend;
    this.#transcripts = isClaude ? new ClaudeTranscripts(options.terminal.env) : undefined;
    this.abilities = { load: isClaude, list: isClaude, delete: isClaude, mcp: { http: false, sse: false } };
  }

  create(request: SessionRequest): Promise<AgentSession> {
    return this.#open(request, { id: randomUUID(), isResumed: false, history: [] });
  }

  async open(id: string, request: SessionRequest): Promise<AgentSession> {
    const history = (await this.#transcripts?.load(request.folder, id)) ?? [];
    return this.#open(request, { id, isResumed: true, history });
  }

  list(folder?: string): Promise<readonly SessionInfo[]> {
    return this.#known().list(folder ?? this.#options.terminal.cwd);
  }

  delete(id: string): Promise<void> {
    return this.#known().delete(id);
  }

  /** The program has its own credentials. */
  async authenticate(): Promise<void> {
    await this.#findProgram();
  }

  async #open(
    { folder, host, mcpServers }: SessionRequest,
    earlier: { readonly id: string; readonly isResumed: boolean; readonly history: readonly Message[] },
  ): Promise<AgentSession> {
    const { flags, log } = this.#options;
    const program = await this.#findProgram();
    const cwd = await realpath(folder).catch((error: NodeJS.ErrnoException) => {
      const problem = `cwd: ${folder} cannot be opened (${error.code ?? error.message})`;
      throw new SimpleAgentsError('bad-request', problem, { field: 'cwd', cause: error });
    });
    if (mcpServers.length > 0) host.tell('The MCP servers of the editor are not passed to this backend.');
    return StreamJsonSession.open({
      ...earlier,
      ...omitUndefined({ model: flags.model }),
      host,
      log,
      mode: modes[flags.permission ?? 'ask'],
      createId: randomUUID,
      start: (args, listener) => this.#start([...program, ...args], cwd, listener),
    });
  }

  #start([program = '', ...args]: readonly string[], cwd: string, listener: ProcessListener): AgentProcess {
    const { backend, terminal } = this.#options;
    const environment = toEnvironment(terminal.env);
    const child = new LineProcess({ program, args, cwd, environment, ...listener });
    return {
      ended: child.ended.then((end) => describeEnd(backend, end)),
      write: (line) => child.write(line),
      stop: async () => void (await child.stop()),
      kill: async () => void (await child.kill()),
    };
  }

  /** The command without its arguments. A script runs with our own Node. */
  async #findProgram(): Promise<readonly string[]> {
    const { backend, terminal } = this.#options;
    const folders = (terminal.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
    const isPath = /[\\/]/.test(backend);
    const candidates = isPath ? [resolve(terminal.cwd, backend)] : folders.map((folder) => join(folder, backend));
    for (const path of candidates) {
      const isScript = /\.[cm]?[jt]s$/.test(path);
      const isUsable = await access(path, isScript ? constants.R_OK : constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isUsable) return isScript ? [process.execPath, path] : [path];
    }
    const fix = isPath ? 'check the path' : 'install it, or pass the path of the program with --backend';
    throw new SimpleAgentsError('configuration', `--backend: the program ${backend} was not found; ${fix}`);
  }

  #known(): ClaudeTranscripts {
    if (this.#transcripts !== undefined) return this.#transcripts;
    throw new SimpleAgentsError('bad-request', 'this backend does not list its sessions');
  }
}

function toEnvironment(env: Terminal['env']): Record<string, string> {
  return omitUndefined({ ...env }) as Record<string, string>;
}

function describeEnd(backend: string, { exitCode, exitSignal, startError, errorOutput }: ProcessEnd): string {
  const how = exitSignal === null ? `exit code ${exitCode}` : `signal ${exitSignal}`;
  const what = startError === undefined ? `The agent ${backend} ended (${how}).` : `${backend}: ${startError}.`;
  const last = errorOutput.split('\n').slice(-5).join(' ');
  return last === '' ? what : `${what} Its last words: ${last}`;
}
