// ACP agents as an editor meets them: spawn → initialize, session/new, prompt → first text, and memory. Ours beside
// claude-agent-acp with its CLI and opencode, in turn against the same model on this machine. The medians are compared.
// Exits with 1 if a bar is missed.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packInto, unpackInto } from '../scripts/pack.ts';
import { createSimulateServer } from '../src/testing/simulate/server.ts';
import { outsideAgents } from '../test/support/outside-agents.ts';

const root = join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '7' } } });
const rounds = Number(values.rounds);

/** Milliseconds, and megabytes of all processes of the agent. */
interface Sample {
  readonly initialize: number;
  readonly newSession: number;
  /** Of the session, with all that is loaded and connected for it. */
  readonly firstPrompt: number;
  /** Of the third prompt. */
  readonly firstText: number;
  readonly memory: number;
}

const bars: Partial<Sample> = { initialize: 150, newSession: 10, firstText: 5, memory: 80 };
const names = {
  initialize: 'spawn → initialize',
  newSession: 'session/new',
  firstPrompt: 'first prompt → text',
  firstText: 'third prompt → text',
  memory: 'RSS',
};
const measures = ['initialize', 'newSession', 'firstPrompt', 'firstText', 'memory'] as const;

interface Contender {
  readonly name: string;
  readonly argv: readonly string[];
}

const folder = await mkdtemp(join(tmpdir(), 'bench-acp-'));
const model = await createSimulateServer({});
async function createContenders(): Promise<readonly Contender[]> {
  const packed = await unpackInto(folder, await packInto(folder));
  await symlink(join(root, 'node_modules'), join(packed, 'node_modules'));
  const agents = await outsideAgents();
  // There for one platform only.
  const opencode = join(agents, 'opencode-linux-x64/bin/opencode');
  return [
    { name: 'simple-agents acp', argv: [process.execPath, join(packed, 'bin/simple-agents'), 'acp'] },
    {
      name: 'claude-agent-acp',
      argv: [process.execPath, join(agents, '@agentclientprotocol/claude-agent-acp/dist/index.js')],
    },
    ...(existsSync(opencode) ? [{ name: 'opencode', argv: [opencode, 'acp'] }] : []),
  ];
}

interface Reply {
  readonly id?: number;
  readonly result?: { readonly sessionId?: string };
  readonly error?: { readonly message: string };
  readonly params?: { readonly update?: { readonly sessionUpdate: string } };
}

class Client {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #replies = new Map<number, (reply: Reply) => void>();
  #onText: (() => void) | undefined;
  #nextId = 0;

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child;
    createInterface({ input: child.stdout }).on('line', (line) => this.#onMessage(JSON.parse(line) as Reply));
    child.stderr.resume();
  }

  async request(method: string, params: object): Promise<Reply> {
    const id = this.#nextId++;
    this.#child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    const reply = await new Promise<Reply>((resolve) => this.#replies.set(id, resolve));
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply;
  }

  firstText(): Promise<void> {
    return new Promise((resolve) => (this.#onText = resolve));
  }

  #onMessage(message: Reply): void {
    if (message.params?.update?.sessionUpdate === 'agent_message_chunk') this.#onText?.();
    if (message.id !== undefined) this.#replies.get(message.id)?.(message);
  }
}

async function measure({ argv: [program = '', ...argv] }: Contender): Promise<Sample> {
  const cwd = await mkdtemp(join(folder, 'project-'));
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  const start = performance.now();
  await writeFile(join(cwd, 'opencode.json'), opencodeSettings());
  const child = spawn(program, argv, { cwd, env: environment(home), detached: true });
  const client = new Client(child);
  try {
    await client.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const initialize = performance.now() - start;
    // A user does not open a session in the same moment.
    await sleep(1_000);
    const opening = performance.now();
    const { result } = await client.request('session/new', { cwd, mcpServers: [] });
    const newSession = performance.now() - opening;
    const times: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) times.push(await timeToText(client, result?.sessionId ?? ''));
    const [firstPrompt = 0, , firstText = 0] = times;
    return { initialize, newSession, firstPrompt, firstText, memory: memoryOf(child.pid ?? 0) };
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGKILL');
  }
}

async function timeToText(client: Client, sessionId: string): Promise<number> {
  const sent = performance.now();
  const shown = client.firstText().then(() => performance.now() - sent);
  await client.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Count to 5' }] });
  return shown;
}

/** The first responses of the model would be slower than those that are measured. */
async function warmModel(): Promise<void> {
  const body = JSON.stringify({
    model: 'any',
    max_tokens: 100,
    stream: true,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const headers = { 'content-type': 'application/json', 'x-api-key': 'any', 'anthropic-version': '2023-06-01' };
  for (let call = 0; call < 200; call += 1) {
    const response = await fetch(`${model.url}/v1/messages`, { method: 'POST', headers, body });
    await response.text();
    if (!response.ok) throw new Error(`the model responds with ${response.status}`);
  }
}

function environment(home: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'any',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_TELEMETRY: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
  };
}

/** opencode finds the model in the project's file. */
function opencodeSettings(): string {
  const name = 'claude-opus-4-6';
  const options = { baseURL: `${model.url}/v1`, apiKey: 'any' };
  const provider = { anthropic: { options, models: { [name]: { name } } } };
  const chosen = `anthropic/${name}`;
  return JSON.stringify({ provider, model: chosen, 'small_model': chosen, autoupdate: false, share: 'disabled' });
}

/** Of a process and everything that it started, in megabytes. */
function memoryOf(pid: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    const parent = /^PPid:\s+(\d+)/m.exec(read(`/proc/${name}/status`))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const isBelow = (each: number): boolean => each === pid || (parents.has(each) && isBelow(parents.get(each) ?? 0));
  const sizes = [...parents.keys()]
    .filter(isBelow)
    .map((each) => /^VmRSS:\s+(\d+)/m.exec(read(`/proc/${each}/status`))?.[1]);
  return sizes.reduce((sum, size) => sum + Number(size ?? 0), 0) / 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}

function report(contenders: readonly Contender[], samples: readonly (readonly Sample[])[]): void {
  console.log(`Median of ${rounds}, the same model for all; milliseconds, and megabytes of resident memory`);
  for (const measured of measures) {
    const medians = samples.map((all) => median(all.map((sample) => sample[measured])));
    const [own = Number.NaN] = medians;
    const shown = medians.map((value, index) => {
      const ratio = index === 0 ? '' : ` (${(value / own).toFixed(1)} ×)`;
      return `${contenders[index]?.name} ${value.toFixed(1)}${ratio}`;
    });
    const bar = bars[measured];
    const isMissed = bar !== undefined && !(own <= bar);
    const verdict = bar === undefined ? '' : `; bar ${bar}: ${isMissed ? 'MISSED' : 'met'}`;
    console.log(`${names[measured].padEnd(20)} ${shown.join(', ')}${verdict}`);
    if (isMissed) process.exitCode = 1;
  }
}

try {
  const contenders = await createContenders();
  await warmModel();
  const samples = contenders.map((): Sample[] => []);
  for (const contender of contenders) await measure(contender);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, contender] of contenders.entries()) samples[index]?.push(await measure(contender));
  }
  report(contenders, samples);
} finally {
  await model.close();
  await rm(folder, { recursive: true, force: true });
}
