// Assembles a coding agent from its options, the project folder and the machine. Every front end calls this. It throws before
// the first request to a model if something is missing: the requested sandbox, valid and trusted hooks, the session.

import { realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { AgentDefinition, AgentTable } from './agents/agent-definition.ts';
import { loadProjectAgents, loadUserAgents } from './agents/load.ts';
import { toSubagents } from './agents/subagents.ts';
import { taskToolName } from '../agent/subagent.ts';
import { forgetLastRun } from './hooks/convergence.ts';
import { createHooks, type Hooks } from './hooks/hooks.ts';
import type { HookTable } from './hooks/hook.ts';
import { loadHooks } from './hooks/load.ts';
import { isTrusted, refuseUntrusted, trust, type TrustSubject } from './hooks/trust.ts';
import { loadInstructions } from './instructions.ts';
import { loadNamedServers, loadProjectServers, loadUserServers, type McpTable } from './mcp/load.ts';
import { prepareServers, type ServerSource } from './mcp/servers.ts';
import { createRunMemory, openPermissionMemory, type PermissionMemory } from './permission/memory.ts';
import type { PermissionMode } from './permission/decision.ts';
import { createPermissionPolicy, type PermissionOptions } from './permission/permission.ts';
import { toSubagentPrompt, toSystemPrompt } from './prompt.ts';
import { scrubEnvironment } from './sandbox/environment.ts';
import { userGitConfigs } from './sandbox/git-config.ts';
import { restoreReads } from './session/restored-reads.ts';
import { hasSession, type BusySession, type LoadedSession } from './session/store.ts';
import { createCodingTools } from './tools/coding-tools.ts';
import { FileReads } from './tools/file-reads.ts';
import type { Tool } from '../agent/tool.ts';
import type { EditorFiles, Workspace } from './tools/workspace.ts';
import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined } from '../core/json.ts';
import type { PolicySource } from '../agent/policy.ts';
import type { Grant } from './permission/grant.ts';
import type { Environment } from '../config/environment.ts';
import type { McpRelay } from '../mcp/relay-transport.ts';
import type { McpServers } from '../mcp/settings.ts';
import { Coder, type AgentModel, type CoderParts } from './coder.ts';
import { readGitBranch } from './git-branch.ts';
import { resumeSession, type BusyChoice } from './session/resume.ts';
import { openSandbox, type RunSandbox, type SandboxOptions } from './sandbox/run-sandbox.ts';

/** Asks the user. A run without it refuses everything that needs the user's decision. */
export interface UserQuestions {
  permission: NonNullable<PermissionOptions['ask']>;
  /** Resolves to whether the hooks, agents or MCP servers of this repository may be used. */
  trust(table: HookTable | AgentTable | McpTable): Promise<boolean>;
  /** Resolves to what to do about a session that another process is writing; undefined: neither. */
  busy(session: BusySession): Promise<BusyChoice | undefined>;
}

/** The session to resume. */
export interface SessionChoice {
  /** Its id or the beginning of it. Undefined: the last session of the project. */
  readonly id?: string | undefined;
  /** What to do if another process is writing it. `fork` copies it in any case. */
  readonly choice?: BusyChoice | undefined;
  /** The UUID of the copy. */
  readonly forkUuid?: string | undefined;
}

export interface AssembleOptions {
  /** The project. */
  readonly cwd: string;
  /** Further folders that the file tools may read and write, relative to the project. Commands may only read them. */
  readonly extraFolders?: readonly string[];
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
  readonly permission?: PermissionMode;
  /** Called for each call that may not run. */
  readonly onRefusal?: PermissionOptions['onRefusal'];
  /** Policies of the front end. They run before the hooks of the repository. */
  readonly policies?: readonly PolicySource[];
  /** Whether the agent has the tool of this name. Default: all tools. */
  readonly offersTool?: (name: string) => boolean;
  /** What the run may do without asking. */
  readonly grants?: readonly Grant[];
  readonly systemPrompt?: SystemPromptChange;
  /** Model responses in a turn. */
  readonly maxResponses?: number;
  readonly sandbox: Omit<SandboxOptions, 'searchPath'>;
  /** Further tools beside the coding tools. */
  readonly tools?: readonly Tool[];
  /** The editor that holds files of the project open. */
  readonly editor?: EditorFiles;
  /** `on`: hooks run if the user trusts them. `trust`: trust them now and remember that. */
  readonly hooks: TrustSetting;
  /** The same for the agents of the repository. Default: `on`. */
  readonly agents?: TrustSetting;
  /** The user's own agent files. */
  readonly userAgentsFolder?: string;
  /** Agents that the front end defines. */
  readonly subagents?: readonly AgentDefinition[];
  /** Undefined: no MCP servers. */
  readonly mcp?: McpOptions;
  /** Undefined: a new session. */
  readonly session?: SessionChoice;
  /** The UUID of a new session. */
  readonly sessionUuid?: string;
  /** False: the session leaves no files. Default: true. */
  readonly isRecorded?: boolean;
  readonly questions?: UserQuestions;
  readonly warn: (line: string) => void;
  /** Stops waiting for a session that is in use. */
  readonly signal: AbortSignal;
}

type TrustSetting = 'on' | 'off' | 'trust';

/** Where MCP servers come from. */
export interface McpOptions {
  /** Those of the repository; as for hooks. */
  readonly project: TrustSetting;
  /** The user's own file. */
  readonly userFile?: string | undefined;
  /** JSON or paths of files, as the user named them. */
  readonly named?: readonly string[] | undefined;
  /** Of the front end, such as an editor. */
  readonly servers?: McpServers | undefined;
  /** Inside the program that drives the agent, by name. */
  readonly relays?: Readonly<Record<string, McpRelay>> | undefined;
}

/** How the system prompt differs from the usual one. */
export interface SystemPromptChange {
  readonly replace?: string;
  readonly append?: string;
}

interface ProjectFolders {
  readonly root: string;
  readonly extraRoots: readonly string[];
  readonly home: string;
  readonly protectedPaths: readonly string[];
  readonly gitConfigFiles: readonly string[];
}

export async function assembleCoder(options: AssembleOptions): Promise<Coder> {
  const { env, questions, warn, connectModel, maxTokens, maxCost, maxResponses, sessionUuid } = options;
  await forgetLastRun(options.cwd);
  const folders = await locate(options);
  const { root } = folders;
  const [model, sandbox, [table, agents, serverSources], prompt] = await Promise.all([
    connectModel(),
    openSandbox({ ...options.sandbox, searchPath: env['PATH'] ?? '' }, folders),
    findTrusted(options, root),
    loadPromptParts(root),
  ]);
  if (sandbox.warning !== undefined) warn(sandbox.warning);
  const { extraRoots } = folders;
  const environment = {
    cwd: root,
    extraRoots,
    platform: process.platform,
    date: new Date().toISOString().slice(0, 10),
  };
  const workspace = toWorkspace(folders, { model, sandbox, env, editor: options.editor });
  const reads = new FileReads();
  const allTools = [...createCodingTools(workspace, reads), ...(options.tools ?? [])];
  const isOffered = (name: string): boolean => options.offersTool?.(name) ?? true;
  const tools = allTools.filter(({ definition }) => isOffered(definition.name));
  const promptEnvironment = { ...environment, ...prompt.git, sandbox: sandbox.description };
  const subagents = toSubagents({
    agents,
    known: namesOf(allTools),
    offered: namesOf(tools),
    systemOf: (own) => toSubagentPrompt(own, promptEnvironment, prompt.instructions),
    checkModel: (name) => model.gateway.resolve(name),
    warn,
  });
  const { secrets } = model;
  const startServers = await prepareServers({
    sources: serverSources,
    relays: options.mcp?.relays ?? {},
    root,
    env,
    secrets,
    warn,
  });
  const hooks = table && openHooks(table, { model, env, tools: [...namesOf(allTools), taskToolName], warn, root });
  const memory = await openMemory(root, options);
  await checkNewSession(options, root);
  // The last step that can fail, because the session's lock is held from here on.
  const resumed = await findSession(options, root);
  for (const problem of resumed?.problems ?? []) warn(problem);
  const beginReads = (session?: LoadedSession) => restoreReads(reads, session?.entries ?? [], workspace);
  await beginReads(resumed);
  await hooks?.begin();
  const mcp = startServers?.();
  const permission: CoderParts['permission'] = {
    mode: options.permission ?? (questions === undefined ? 'piped' : 'ask'),
  };
  const permissionPolicy = createPermissionPolicy({
    get mode() {
      return permission.mode;
    },
    workspace,
    hasSandbox: sandbox.enter !== undefined,
    memory,
    ...(questions === undefined ? {} : { ask: (question, signal) => questions.permission(question, signal) }),
    ...omitUndefined({ onRefusal: options.onRefusal }),
  });
  return new Coder({
    root,
    model,
    connectModel,
    maxTokens,
    system: changePrompt(toSystemPrompt(promptEnvironment, prompt.instructions), options.systemPrompt),
    tools: () => [...tools, ...(mcp?.tools ?? []).filter(({ definition }) => isOffered(definition.name))],
    subagents: isOffered(taskToolName) ? subagents : [],
    policies: [...(options.policies ?? []), ...(hooks === undefined ? [] : [hooks.policy]), permissionPolicy],
    permission,
    memory,
    beginReads,
    isRecorded: options.isRecorded ?? true,
    warn,
    ...omitUndefined({ hooks, mcp, resumed, maxCost, maxResponses, sessionUuid }),
  });
}

function changePrompt(usual: string, { replace = usual, append }: SystemPromptChange = {}): string {
  return append === undefined ? replace : `${replace}\n\n${append}`;
}

/** Two sessions with the same UUID could not be told apart. */
async function checkNewSession({ sessionUuid, session }: AssembleOptions, root: string): Promise<void> {
  const uuid = session?.forkUuid ?? sessionUuid;
  if (uuid === undefined || !(await hasSession(root, uuid))) return;
  throw new SimpleAgentsError('bad-request', `session ${uuid} already exists; use another id, or resume it`, {
    field: 'session',
  });
}

async function locate({ cwd, extraFolders = [], env, stateFolder, mcp }: AssembleOptions): Promise<ProjectFolders> {
  const home = env['HOME'] || homedir();
  return {
    root: await realpath(cwd),
    extraRoots: await Promise.all(extraFolders.map((path) => findFolder(resolve(cwd, path)))),
    home,
    // The user's servers run without a question, so no tool may add one.
    protectedPaths: [stateFolder, mcp?.userFile].filter((path) => path !== undefined),
    gitConfigFiles: userGitConfigs(home, env),
  };
}

async function findFolder(path: string): Promise<string> {
  const entry = await stat(path).catch(() => undefined);
  if (entry?.isDirectory()) return realpath(path);
  const problem = entry === undefined ? 'does not exist' : 'is not a folder';
  throw new SimpleAgentsError('bad-request', `--add-dir: ${path} ${problem}; name an existing folder`);
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

/** The hooks, agents and MCP servers that may be used. In sequence, because the user answers one question at a time. */
async function findTrusted(
  options: AssembleOptions,
  root: string,
): Promise<[HookTable | undefined, readonly AgentDefinition[], readonly ServerSource[]]> {
  const { hooks, agents = 'on', userAgentsFolder, subagents = [] } = options;
  const table = hooks === 'off' ? undefined : await confirm(await loadHooks(root), hooks, options);
  const own = userAgentsFolder === undefined ? [] : await loadUserAgents(userAgentsFolder);
  const project = agents === 'off' ? undefined : await confirm(await loadProjectAgents(root), agents, options);
  return [table, [...own, ...(project?.agents ?? []), ...subagents], await findServers(options, root)];
}

/** In the order of precedence. */
async function findServers(options: AssembleOptions, root: string): Promise<ServerSource[]> {
  const { mcp, cwd, warn } = options;
  if (mcp === undefined) return [];
  const { named = [], userFile, servers = {}, relays = {}, project } = mcp;
  const sources: ServerSource[] = [{ shown: 'the editor', servers }];
  for (const value of named)
    sources.push({
      shown: '--mcp-config',
      servers: await loadNamedServers(value, { cwd, hosted: Object.keys(relays), warn }),
    });
  if (userFile !== undefined) sources.push({ shown: userFile, servers: await loadUserServers(userFile) });
  const table = project === 'off' ? undefined : await confirm(await loadProjectServers(root), project, options);
  return table === undefined ? sources : [...sources, { shown: table.file, servers: table.servers }];
}

/** Undefined if there is nothing, or if the user does not trust it. */
async function confirm<T extends TrustSubject & (HookTable | AgentTable | McpTable)>(
  subject: T | undefined,
  setting: TrustSetting,
  { questions, warn, stateFolder }: AssembleOptions,
): Promise<T | undefined> {
  if (subject === undefined) return undefined;
  if (setting === 'on') {
    if (stateFolder !== undefined && (await isTrusted(subject, stateFolder))) return subject;
    if (questions === undefined) return refuseUntrusted(subject);
    if (!(await questions.trust(subject))) return undefined;
  }
  const problem = stateFolder && (await trust(subject, stateFolder));
  if (problem !== undefined) warn(problem);
  return subject;
}

function namesOf(tools: readonly Tool[]): string[] {
  return tools.map(({ definition }) => definition.name);
}

interface HookSetting {
  readonly model: AgentModel;
  readonly env: Environment;
  /** Their names. */
  readonly tools: readonly string[];
  readonly warn: (line: string) => void;
  readonly root: string;
}

function openHooks(table: HookTable, { model, env, tools, warn, root }: HookSetting): Hooks {
  return createHooks({ table, cwd: root, environment: env, secrets: model.secrets, tools, warn });
}

interface WorkspaceSetting {
  readonly model: AgentModel;
  readonly sandbox: RunSandbox;
  readonly env: Environment;
  readonly editor: EditorFiles | undefined;
}

function toWorkspace(folders: ProjectFolders, { model, sandbox, env, editor }: WorkspaceSetting): Workspace {
  const environment = scrubEnvironment(env, { secrets: model.secrets });
  return { ...folders, environment, ...omitUndefined({ enter: sandbox.enter, editor }) };
}

async function openMemory(root: string, options: AssembleOptions): Promise<PermissionMemory> {
  const memory = await openStoredMemory(root, options);
  for (const grant of options.grants ?? []) await memory.remember(grant, 'run');
  return memory;
}

async function openStoredMemory(root: string, { stateFolder, warn }: AssembleOptions): Promise<PermissionMemory> {
  if (stateFolder === undefined) return createRunMemory();
  const { memory, problem } = await openPermissionMemory({
    path: join(stateFolder, 'permissions.json'),
    project: root,
  });
  if (problem !== undefined) warn(problem);
  return memory;
}
