// Looks at flags, folder and machine and puts a coder together. What cannot be is refused here, before anything is asked
// of a model: a sandbox that was asked for and is not there, hooks that are malformed or nobody trusts.

import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createHooks, type Hooks } from '../../coder/hooks/hooks.ts';
import type { HookTable } from '../../coder/hooks/hook.ts';
import { loadHooks } from '../../coder/hooks/load.ts';
import { isTrusted, refuseUntrusted, trustHooks } from '../../coder/hooks/trust.ts';
import { loadInstructions } from '../../coder/instructions.ts';
import { createRunMemory, openPermissionMemory, type PermissionMemory } from '../../coder/permission/memory.ts';
import { createPermissionPolicy, type PermissionOptions } from '../../coder/permission/permission.ts';
import { toSystemPrompt } from '../../coder/prompt.ts';
import { scrubEnvironment } from '../../coder/sandbox/environment.ts';
import { userGitConfigs } from '../../coder/sandbox/git-config.ts';
import type { BusySession, LoadedSession } from '../../coder/session/store.ts';
import { createCodingTools } from '../../coder/tools/coding-tools.ts';
import type { Tool } from '../../agent/tool.ts';
import type { Workspace } from '../../coder/tools/workspace.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { stateFolder } from '../state-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { Coder } from './coder.ts';
import type { RunFlags } from './flags.ts';
import { readGitBranch } from './git-branch.ts';
import { connectAgent, type AgentModel } from './model.ts';
import { resumeSession, type BusyChoice } from './resume.ts';
import { openSandbox, type RunSandbox } from './sandbox.ts';

/** Who can be asked. Left out: nobody, and what would be asked is refused. */
export interface Asker {
  permission: NonNullable<PermissionOptions['ask']>;
  /** Whether the hooks of this repository may run. */
  trust(table: HookTable): Promise<boolean>;
  /** What to do about a session that another process writes; nothing: neither. */
  busy(session: BusySession): Promise<BusyChoice | undefined>;
}

export interface AssembleOptions {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  readonly asker?: Asker;
  readonly warn: (line: string) => void;
  /** Ends the waiting for a session. */
  readonly signal: AbortSignal;
}

/** The folder, and where things are on this machine. */
interface ProjectFolders {
  readonly root: string;
  readonly home: string;
  /** Nothing when the user has no folder of state: then nothing is remembered. */
  readonly state?: string;
  readonly protectedPaths: readonly string[];
  readonly gitConfigFiles: readonly string[];
}

export async function assembleCoder(options: AssembleOptions): Promise<Coder> {
  const { flags, terminal, asker, warn } = options;
  const place = await locate(terminal);
  const { root } = place;
  const [model, sandbox, table, prompt] = await Promise.all([
    connectAgent(flags, terminal),
    openSandbox(flags, place, terminal),
    findHooks(options, place),
    lookAround(root),
  ]);
  if (sandbox.warning !== undefined) warn(sandbox.warning);
  const environment = { cwd: root, platform: process.platform, date: new Date().toISOString().slice(0, 10) };
  const workspace = toWorkspace(place, { model, sandbox, terminal });
  const tools = createCodingTools(workspace);
  const hooks = table && openHooks(table, { model, terminal, tools, warn, root });
  const memory = await openMemory(place, warn);
  // Last of what can fail: its lock is held from here on.
  const resumed = await findSession(options, root);
  for (const problem of resumed?.problems ?? []) warn(problem);
  await hooks?.begin();
  const permission = createPermissionPolicy({
    mode: flags.permission ?? (asker === undefined ? 'piped' : 'ask'),
    workspace,
    hasSandbox: sandbox.enter !== undefined,
    memory,
    ...(asker === undefined ? {} : { ask: (question, signal) => asker.permission(question, signal) }),
  });
  return new Coder({
    flags,
    terminal,
    root,
    model,
    system: toSystemPrompt({ ...environment, ...prompt.git, sandbox: sandbox.description }, prompt.instructions),
    tools,
    policies: hooks === undefined ? [permission] : [hooks.policy, permission],
    warn,
    ...omitUndefined({ hooks, resumed }),
  });
}

async function locate({ cwd, env }: Terminal): Promise<ProjectFolders> {
  const state = stateFolder(env);
  const home = env['HOME'] || homedir();
  return {
    root: await realpath(cwd),
    home,
    ...omitUndefined({ state }),
    protectedPaths: state === undefined ? [] : [state],
    gitConfigFiles: userGitConfigs(home, env),
  };
}

async function lookAround(root: string) {
  const [branch, instructions] = await Promise.all([readGitBranch(root), loadInstructions(root)]);
  return { git: branch === undefined ? {} : { git: { branch } }, instructions };
}

async function findSession(options: AssembleOptions, root: string): Promise<LoadedSession | undefined> {
  const { flags, asker, warn, signal } = options;
  const choice = flags.fork ? 'fork' : flags.wait ? 'wait' : undefined;
  if (flags.resume === undefined && flags.continue === undefined) {
    if (choice === undefined) return undefined;
    throw new SimpleAgentsError('bad-request', `--${choice}: needs a session; add --continue or --resume ID`);
  }
  const ask = asker && ((busy: BusySession) => asker.busy(busy));
  return resumeSession({ root, id: flags.resume, choice, ask, tell: warn, signal });
}

/** Those that may run. */
async function findHooks(
  { flags, asker, warn }: AssembleOptions,
  { root, state }: ProjectFolders,
): Promise<HookTable | undefined> {
  if (!flags.hooks) return undefined;
  const table = await loadHooks(root);
  if (table === undefined) return undefined;
  if (!flags.trustHooks) {
    if (state !== undefined && (await isTrusted(table, state))) return table;
    if (asker === undefined) return refuseUntrusted(table);
    if (!(await asker.trust(table))) return undefined;
  }
  const problem = state && (await trustHooks(table, state));
  if (problem !== undefined) warn(problem);
  return table;
}

interface HookSetting {
  readonly model: AgentModel;
  readonly terminal: Terminal;
  readonly tools: readonly Tool[];
  readonly warn: (line: string) => void;
  readonly root: string;
}

function openHooks(table: HookTable, { model, terminal, tools, warn, root }: HookSetting): Hooks {
  const names = tools.map(({ definition }) => definition.name);
  return createHooks({ table, cwd: root, environment: terminal.env, secrets: model.secrets, tools: names, warn });
}

interface WorkspaceSetting {
  readonly model: AgentModel;
  readonly sandbox: RunSandbox;
  readonly terminal: Terminal;
}

function toWorkspace(
  { state: _state, ...place }: ProjectFolders,
  { model, sandbox, terminal }: WorkspaceSetting,
): Workspace {
  const environment = scrubEnvironment(terminal.env, { secrets: model.secrets });
  return { ...place, environment, ...omitUndefined({ enter: sandbox.enter }) };
}

async function openMemory({ root, state }: ProjectFolders, warn: (line: string) => void): Promise<PermissionMemory> {
  if (state === undefined) return createRunMemory();
  const { memory, problem } = await openPermissionMemory({ path: join(state, 'permissions.json'), project: root });
  if (problem !== undefined) warn(problem);
  return memory;
}
