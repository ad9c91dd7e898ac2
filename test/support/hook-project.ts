// A project with hooks, and an agent with a scripted model whose tools they guard.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createAgent, type AgentOptions } from '../../src/agent/agent.ts';
import { createHooks, type HookOptions } from '../../src/coder/hooks/hooks.ts';
import { loadHooks } from '../../src/coder/hooks/load.ts';
import { defineTool } from '../../src/agent/tool.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { hastyClock, linesOf, readRun, type Reading } from './agent-model.ts';

export interface HookProject {
  readonly folder: string;
  /** The lines a hook wrote to a file of the project, each parsed. */
  readonly told: (file: string) => unknown[];
  readonly read: (file: string) => string | undefined;
  /** What was warned of. */
  readonly warnings: readonly string[];
  /** The calls whose tool ran. */
  readonly ran: readonly string[];
  readonly conversation: () => string[];
  /** One turn, and the hooks after it. */
  run(prompt: string, signal?: AbortSignal): Promise<Reading>;
}

export interface ProjectOptions {
  readonly hooks: string;
  readonly replies: readonly ScriptedReply[];
  readonly output?: (id: string) => string;
  readonly agent?: Partial<AgentOptions>;
  readonly more?: Partial<HookOptions>;
}

export function projectFolder(context: TestContext, hooks?: string | Uint8Array): string {
  const folder = mkdtempSync(join(tmpdir(), 'hook-project-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, '.forgeflare'));
  if (hooks !== undefined) writeFileSync(join(folder, '.forgeflare', 'hooks.toml'), hooks);
  return folder;
}

export async function hookProject(context: TestContext, options: ProjectOptions): Promise<HookProject> {
  const folder = projectFolder(context, options.hooks);
  const warnings: string[] = [];
  const ran: string[] = [];
  const table = await loadHooks(folder);
  if (table === undefined) throw new Error('there are no hooks');
  const environment = { PATH: process.env['PATH'] };
  const warn = (line: string): void => void warnings.push(line);
  const hooks = createHooks({ table, cwd: folder, environment, warn, stderr: () => undefined, ...options.more });
  const tool = (name: string, effect: 'pure' | 'mutating') =>
    defineTool({
      name,
      description: name,
      effect,
      input: { type: 'object', properties: { text: { type: 'string' } } },
      run: (_input, { callId }) => (ran.push(callId), options.output?.(callId) ?? `${callId} ran`),
    });
  const provider = createSimulatedProvider({ script: { replies: options.replies } });
  const tools = [tool('Read', 'pure'), tool('Write', 'mutating')];
  const { policies = [], ...rest } = options.agent ?? {};
  const agent = createAgent({ provider, tools, clock: hastyClock(), ...rest, policies: [hooks.policy, ...policies] });
  await hooks.begin();
  const read = (file: string): string | undefined => {
    try {
      return readFileSync(join(folder, file), 'utf8');
    } catch {
      return undefined;
    }
  };
  return {
    folder,
    warnings,
    ran,
    read,
    told: (file) => (read(file) ?? '').split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])),
    conversation: () => agent.messages.flatMap(linesOf),
    async run(prompt, signal) {
      const reading = await readRun(agent.run(prompt, signal === undefined ? {} : { signal }));
      await hooks.end(reading.end);
      return reading;
    },
  };
}

/** One line for each run of the hook: its input. */
export const tellTo = (file: string): string => `cat >> ${file}`;

/** One hook of a table, in TOML. Literal strings, so that a command stands as it is. */
export function hookToml(hook: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(hook).map(([key, value]) =>
    typeof value === 'number' ? `${key} = ${value}` : `${key} = '''${value}'''`,
  );
  return ['[[hooks]]', ...lines, ''].join('\n');
}

export const calls = (name: string, ...ids: readonly string[]): ScriptedReply => ({
  toolCalls: ids.map((id) => ({ name, id })),
});
export const done: ScriptedReply = { text: 'Done.' };
