// Assembles a coding agent from its options, the project folder and the machine. Every front end calls this. It throws before
// the first request to a model if something is missing: the requested sandbox, valid and trusted hooks, the session.

import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createHooks, type Hooks } from './hooks/hooks.ts';
import type { HookTable } from './hooks/hook.ts';
import { loadHooks } from './hooks/load.ts';
import { isTrusted, refuseUntrusted, trustHooks } from './hooks/trust.ts';
import { loadInstructions } from './instructions.ts';
import { createRunMemory, openPermissionMemory, type PermissionMemory } from './permission/memory.ts';
import { createPermissionPolicy, type PermissionOptions } from './permission/permission.ts';
import { toSystemPrompt } from './prompt.ts';
import { scrubEnvironment } from './sandbox/environment.ts';
import { userGitConfigs } from './sandbox/git-config.ts';
import type { BusySession, LoadedSession } from './session/store.ts';
import { createCodingTools } from './tools/coding-tools.ts';
import type { Tool } from '../agent/tool.ts';
import type { Workspace } from './tools/workspace.ts';
import { omitUndefined } from '../core/json.ts';
import type { Environment } from '../config/environment.ts';
import { Coder, type AgentModel } from './coder.ts';
import { readGitBranch } from './git-branch.ts';
import { resumeSession, type BusyChoice } from './session/resume.ts';
import { openSandbox, type RunSandbox, type SandboxOptions } from './sandbox/run-sandbox.ts';

/** Asks the user. A run without it refuses everything that needs the user's decision. */
export interface UserQuestions {
  permission: NonNullable<PermissionOptions['ask']>;
  /** Resolves to whether the hooks of this repository may run. */
  trust(table: HookTable): Promise<boolean>;
  /** Resolves to what to do about a session that another process is writing; undefined: neither. */
  busy(session: BusySession): Promise<BusyChoice | undefined>;
}

/** The session to resume. */
export interface SessionChoice {
  /** Its id or the beginning of it. Undefined: the last session of the project. */
  readonly id?: string | undefined;
  /** What to do if another process is writing it. `fork` copies it in any case. */
  readonly choice?: BusyChoice | undefined;
}

export interface AssembleOptions {
  /** The project. */
  readonly cwd: string;
  /** The user's environment. Tools receive it without secrets. */
  readonly env: Environment;
  /** The user's own folder for decisions that are remembered. Undefined: nothing is remembered. */
  readonly stateFolder?: string;
  /** Connects the model of that name; undefined: the default model. */
  readonly connectModel: (name?: string) => Promise<AgentModel>;
  readonly maxTokens: number;
  /** US dollars for the run. */
  readonly maxCost?: number;
  /** Undefined: `ask` with `questions`, `piped` without them. */
  readonly permission?: PermissionOptions['mode'];
  readonly sandbox: Omit<SandboxOptions, 'searchPath'>;
  /** `on`: hooks run if the user trusts them. `trust`: trust them now and remember that. */
  readonly hooks: 'on' | 'off' | 'trust';
  /** Undefined: a new session. */
  readonly session?: SessionChoice;
  readonly questions?: UserQuestions;
  readonly warn: (line: string) => void;
  /** Stops waiting for a session that is in use. */
  readonly signal: AbortSignal;
}

interface ProjectFolders {
  readonly root: string;
  readonly home: string;
  readonly protectedPaths: readonly string[];
  readonly gitConfigFiles: readonly string[];
}

export async function assembleCoder(options: AssembleOptions): Promise<Coder> {
  const { env, questions, warn, connectModel, maxTokens, maxCost } = options;
  const folders = await locate(options);
  const { root } = folders;
  const [model, sandbox, table, prompt] = await Promise.all([
    connectModel(),
    openSandbox({ ...options.sandbox, searchPath: env['PATH'] ?? '' }, folders),
    findHooks(options, root),
    loadPromptParts(root),
  ]);
  if (sandbox.warning !== undefined) warn(sandbox.warning);
  const environment = { cwd: root, platform: process.platform, date: new Date().toISOString().slice(0, 10) };
  const workspace = toWorkspace(folders, { model, sandbox, env });
  const tools = createCodingTools(workspace);
  const hooks = table && openHooks(table, { model, env, tools, warn, root });
  const memory = await openMemory(root, options);
  // The last step that can fail, because the session's lock is held from here on.
  const resumed = await findSession(options, root);
  for (const problem of resumed?.problems ?? []) warn(problem);
  await hooks?.begin();
  const permission = createPermissionPolicy({
    mode: options.permission ?? (questions === undefined ? 'piped' : 'ask'),
    workspace,
    hasSandbox: sandbox.enter !== undefined,
    memory,
    ...(questions === undefined ? {} : { ask: (question, signal) => questions.permission(question, signal) }),
  });
  return new Coder({
    root,
    model,
    connectModel,
    maxTokens,
    system: toSystemPrompt({ ...environment, ...prompt.git, sandbox: sandbox.description }, prompt.instructions),
    tools,
    policies: hooks === undefined ? [permission] : [hooks.policy, permission],
    warn,
    ...omitUndefined({ hooks, resumed, maxCost }),
  });
}

async function locate({ cwd, env, stateFolder }: AssembleOptions): Promise<ProjectFolders> {
  const home = env['HOME'] || homedir();
  return {
    root: await realpath(cwd),
    home,
    protectedPaths: stateFolder === undefined ? [] : [stateFolder],
    gitConfigFiles: userGitConfigs(home, env),
  };
}

async function loadPromptParts(root: string) {
  const [branch, instructions] = await Promise.all([readGitBranch(root), loadInstructions(root)]);
  return { git: branch === undefined ? {} : { git: { branch } }, instructions };
}

async function findSession(options: AssembleOptions, root: string): Promise<LoadedSession | undefined> {
  const { session, questions, warn, signal } = options;
  if (session === undefined) return undefined;
  const ask = questions && ((busy: BusySession) => questions.busy(busy));
  return resumeSession({ root, ...session, ask, tell: warn, signal });
}

/** Undefined: no hook may run. */
async function findHooks(options: AssembleOptions, root: string): Promise<HookTable | undefined> {
  const { questions, warn, stateFolder } = options;
  if (options.hooks === 'off') return undefined;
  const table = await loadHooks(root);
  if (table === undefined) return undefined;
  if (options.hooks === 'on') {
    if (stateFolder !== undefined && (await isTrusted(table, stateFolder))) return table;
    if (questions === undefined) return refuseUntrusted(table);
    if (!(await questions.trust(table))) return undefined;
  }
  const problem = stateFolder && (await trustHooks(table, stateFolder));
  if (problem !== undefined) warn(problem);
  return table;
}

interface HookSetting {
  readonly model: AgentModel;
  readonly env: Environment;
  readonly tools: readonly Tool[];
  readonly warn: (line: string) => void;
  readonly root: string;
}

function openHooks(table: HookTable, { model, env, tools, warn, root }: HookSetting): Hooks {
  const names = tools.map(({ definition }) => definition.name);
  return createHooks({ table, cwd: root, environment: env, secrets: model.secrets, tools: names, warn });
}

interface WorkspaceSetting {
  readonly model: AgentModel;
  readonly sandbox: RunSandbox;
  readonly env: Environment;
}

function toWorkspace(folders: ProjectFolders, { model, sandbox, env }: WorkspaceSetting): Workspace {
  const environment = scrubEnvironment(env, { secrets: model.secrets });
  return { ...folders, environment, ...omitUndefined({ enter: sandbox.enter }) };
}

async function openMemory(root: string, { stateFolder, warn }: AssembleOptions): Promise<PermissionMemory> {
  if (stateFolder === undefined) return createRunMemory();
  const { memory, problem } = await openPermissionMemory({
    path: join(stateFolder, 'permissions.json'),
    project: root,
  });
  if (problem !== undefined) warn(problem);
  return memory;
}
