// The commands inside the coding agent.

import { listSessions, loadSession, type BusySession, type LoadedSession } from '../../coder/session/store.ts';
import { formatDollars } from '../../core/dollars.ts';
import { describeTokens } from '../response-writer.ts';
import { describeCommands, leave, type SlashCommand } from '../slash-command.ts';
import { describeTrim } from './event-lines.ts';
import type { Coder, Watch } from '../../coder/coder.ts';
import { resumeSession, type BusyChoice } from '../../coder/session/resume.ts';
import type { UsageTally } from '../../coder/usage-tally.ts';
import { cut, toSafeLine } from './tool-lines.ts';

/** What a command may do to the agent it stands in. */
export interface CoderControls {
  readonly coder: Coder;
  /** The project. */
  readonly root: string;
  readonly askBusy: (session: BusySession) => Promise<BusyChoice | undefined>;
  readonly tell: (line: string) => void;
  readonly watch: Watch;
  /** Runs what Ctrl-C stops. */
  readonly whileWorking: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

export const commands: readonly SlashCommand<CoderControls>[] = [
  { name: '/help', takes: '', help: 'this list', run: async () => describeCommands(commands) },
  { name: '/model', takes: '[NAME]', help: 'show or change the model', run: showOrSwitchModel },
  { name: '/clear', takes: '', help: 'begin a new session with an empty conversation', run: clear },
  { name: '/compact', takes: '', help: 'have the model sum up the conversation, and go on from that', run: compact },
  { name: '/cost', takes: '', help: 'what the session has used and cost', run: describeSpending },
  { name: '/resume', takes: '[ID]', help: 'list sessions, or go on with one', run: listOrResume },
  { name: '/exit', takes: '', help: 'leave (also: exit, quit, Ctrl-D)', run: async () => leave },
];

export const commandNames: readonly string[] = commands.map(({ name }) => name);

async function showOrSwitchModel(name: string, { coder }: CoderControls): Promise<string> {
  if (name !== '') await coder.switchModel(name);
  return `model: ${coder.modelName}`;
}

async function clear(_argument: string, { coder }: CoderControls): Promise<string> {
  await coder.begin();
  return 'a new session; the one before can be resumed';
}

async function compact(_argument: string, controls: CoderControls): Promise<string> {
  const trimmed = await controls.whileWorking((signal) => controls.coder.compact(controls.watch, signal));
  return trimmed === undefined ? 'there is nothing to sum up' : describeTrim(trimmed);
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
    ...(all === own ? [] : [`all sessions since the start: ${all}`]),
  ].join('\n');
}

function describeUsage(tally: UsageTally): string {
  return tally.isEmpty ? '0 in, 0 out' : describeTokens(tally);
}

function describePrice(cost: number | undefined): string {
  return cost === undefined ? 'unknown: the price of the model is not known' : formatDollars(cost);
}

const mostSessions = 10;

async function listOrResume(id: string, controls: CoderControls): Promise<string> {
  const { root } = controls;
  if (id !== '') return resume(id, controls);
  const sessions = await listSessions(root);
  if (sessions.length === 0) return 'there is no session of this folder yet';
  const lines = sessions
    .slice(0, mostSessions)
    .map(({ id: each, prompt }) => `  ${each}  ${cut(toSafeLine(prompt), 60)}`);
  return ['/resume ID goes on with one of these; the beginning of the id is enough', ...lines].join('\n');
}

async function resume(id: string, { coder, root, askBusy, tell, whileWorking }: CoderControls): Promise<string> {
  if ((await loadSession(root, id)).id === coder.sessionId) return `this is session ${coder.sessionId}`;
  const session = await whileWorking((signal) => resumeSession({ root, id, ask: askBusy, tell, signal }));
  return begin(session, coder);
}

async function begin(session: LoadedSession, coder: Coder): Promise<string> {
  await coder.begin(session);
  const told = `going on with ${session.id}, ${session.messages.length} messages`;
  return [told, ...session.problems.map((problem) => `warning: ${problem}`)].join('\n');
}
