// The slash commands of the interactive session.

import { listSessions, loadSession, type BusySession, type LoadedSession } from '../../coder/session/store.ts';
import { formatDollars } from '../../core/dollars.ts';
import { describeTokens } from '../response-writer.ts';
import { describeCommands, leave, type SlashCommand } from '../slash-command.ts';
import { describeTrim } from './event-lines.ts';
import type { Coder, Watch } from '../../coder/coder.ts';
import { resumeSession, type BusyChoice } from '../../coder/session/resume.ts';
import type { McpServerState } from '../../mcp/server-link.ts';
import type { UsageTally } from '../../coder/usage-tally.ts';
import { cut, toSafeLine } from './tool-lines.ts';

/** What a slash command can use. */
export interface CoderControls {
  readonly coder: Coder;
  /** The project. */
  readonly root: string;
  readonly askBusy: (session: BusySession) => Promise<BusyChoice | undefined>;
  readonly tell: (line: string) => void;
  readonly watch: Watch;
  /** Runs work that Ctrl-C stops. */
  readonly whileWorking: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

export const commands: readonly SlashCommand<CoderControls>[] = [
  { name: '/help', takes: '', help: 'this list', run: async () => describeCommands(commands) },
  { name: '/model', takes: '[NAME]', help: 'show or change the model', run: showOrSwitchModel },
  { name: '/clear', takes: '', help: 'start a new session with an empty conversation', run: clear },
  { name: '/compact', takes: '', help: 'replace the conversation by a summary', run: compact },
  { name: '/agents', takes: '', help: 'list the agents that can work on tasks', run: listAgents },
  { name: '/cost', takes: '', help: 'show the tokens and cost of the session', run: describeSpending },
  { name: '/resume', takes: '[ID]', help: 'list sessions, or continue one', run: listOrResume },
  { name: '/mcp', takes: '', help: 'list the MCP servers and their tools', run: listServers },
  { name: '/exit', takes: '', help: 'exit (also: exit, quit, Ctrl-D)', run: async () => leave },
];

export const commandNames: readonly string[] = commands.map(({ name }) => name);

async function showOrSwitchModel(name: string, { coder }: CoderControls): Promise<string> {
  if (name !== '') await coder.switchModel(name);
  return `model: ${coder.modelName}`;
}

async function listAgents(_argument: string, { coder }: CoderControls): Promise<string> {
  const lines = coder.subagents.map(({ name, description, tools, model }) => {
    const rights = `tools: ${tools?.join(', ') ?? 'all'}${model === undefined ? '' : `; model: ${model}`}`;
    return `  ${toSafeLine(`${name} (${rights}): ${description}`)}`;
  });
  return lines.length === 0 ? 'this run has no Task tool' : ['agents:', ...lines].join('\n');
}

async function clear(_argument: string, { coder }: CoderControls): Promise<string> {
  await coder.begin();
  return 'started a new session; /resume continues the previous one';
}

async function compact(_argument: string, controls: CoderControls): Promise<string> {
  const trimmed = await controls.whileWorking((signal) => controls.coder.compact(controls.watch, signal));
  return trimmed === undefined ? 'there is nothing to summarise' : describeTrim(trimmed);
}

async function describeSpending(_argument: string, { coder }: CoderControls): Promise<string> {
  const { tally, total } = coder;
  const { usage, cost, turns, tools } = tally;
  const { cacheRead = 0, cacheWrite = 0 } = usage;
  const [own, all] = [tally, total].map((each) => `${describeUsage(each)}, ${describePrice(each.cost)}`);
  const called = Object.entries(tools).map(([name, { calls }]) => `${name} ${calls}`);
  return [
    `session: ${coder.sessionId}`,
    `model: ${coder.modelName}`,
    `turns: ${turns}`,
    `tokens: ${describeUsage(tally)} (${cacheRead} read from the prompt cache, ${cacheWrite} written to it)`,
    `cost: ${describePrice(cost)}`,
    ...(called.length === 0 ? [] : [`tools: ${called.join(', ')}`]),
    ...(all === own ? [] : [`all sessions of this run: ${all}`]),
  ].join('\n');
}

function describeUsage(tally: UsageTally): string {
  return tally.isEmpty ? '0 in, 0 out' : describeTokens(tally);
}

function describePrice(cost: number | undefined): string {
  return cost === undefined ? 'unknown (no price for this model)' : formatDollars(cost);
}

async function listServers(_argument: string, { coder }: CoderControls): Promise<string> {
  const servers = coder.mcpServers;
  if (servers.length === 0) return 'there are no MCP servers; see docs/mcp.md';
  return servers.flatMap(describeServerState).join('\n');
}

function describeServerState({ name, status, tools, protocolVersion, problem }: McpServerState): string[] {
  const version = protocolVersion === undefined ? '' : `, MCP ${protocolVersion}`;
  const reason = problem === undefined ? '' : `: it ${cut(toSafeLine(problem), 300)}`;
  const count = `${tools.length} ${tools.length === 1 ? 'tool' : 'tools'}`;
  return [`${name}: ${status}${version}, ${count}${reason}`, ...tools.map((tool) => `  ${tool}`)];
}

const mostSessions = 10;

async function listOrResume(id: string, controls: CoderControls): Promise<string> {
  const { root } = controls;
  if (id !== '') return resume(id, controls);
  const sessions = await listSessions(root);
  if (sessions.length === 0) return 'there are no sessions in this folder yet';
  const lines = sessions
    .slice(0, mostSessions)
    .map(({ id: each, prompt }) => `  ${each}  ${cut(toSafeLine(prompt), 60)}`);
  return ['continue one of these with /resume ID; the beginning of the id is enough', ...lines].join('\n');
}

async function resume(id: string, { coder, root, askBusy, tell, whileWorking }: CoderControls): Promise<string> {
  if ((await loadSession(root, id)).id === coder.sessionId) return `already in session ${coder.sessionId}`;
  const session = await whileWorking((signal) => resumeSession({ root, id, ask: askBusy, tell, signal }));
  return begin(session, coder);
}

async function begin(session: LoadedSession, coder: Coder): Promise<string> {
  await coder.begin(session);
  const line = `continuing session ${session.id}, ${session.messages.length} messages`;
  return [line, ...session.problems.map((problem) => `warning: ${problem}`)].join('\n');
}
