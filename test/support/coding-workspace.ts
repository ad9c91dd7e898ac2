// A project in a temporary folder with the coding tools, called as the loop calls them.

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { dispatch } from '../../src/agent/dispatch.ts';
import type { AgentEvent } from '../../src/agent/event.ts';
import type { SubagentIdentity, ToolPolicy } from '../../src/agent/policy.ts';
import { indexTools, type TurnAccount } from '../../src/agent/tool.ts';
import { createCodingTools, type Workspace } from '../../src/coder/tools/coding-tools.ts';
import { textOf, type ToolResultBlock } from '../../src/core/message.ts';
import { omitUndefined } from '../../src/core/json.ts';
import { systemClock } from '../../src/core/clock.ts';

export interface CallOutcome {
  /** What the model reads. */
  readonly text: string;
  readonly isError: boolean;
  readonly result: ToolResultBlock;
  /** What the user saw while it ran. */
  readonly shown: string;
  readonly events: readonly AgentEvent[];
  readonly duration: number;
}

export interface CodingWorkspace {
  readonly root: string;
  /** A folder beside the project. */
  readonly outside: string;
  readonly workspace: Workspace;
  readonly call: (name: string, input: object, options?: CallOptions) => Promise<CallOutcome>;
  /** In the project; gives back the full path. */
  readonly write: (name: string, content: string | Uint8Array) => string;
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly policies?: readonly ToolPolicy[];
  /** The subagent that makes the call. */
  readonly subagent?: SubagentIdentity;
  /** Called for every part of the output. */
  readonly onOutput?: (chunk: string) => void;
}

const noAccount: TurnAccount = { spend: () => undefined, isExhausted: () => false };

export const plainEnvironment: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  LANG: 'C.UTF-8',
};

export function codingWorkspace(changes: Partial<Workspace> = {}): CodingWorkspace {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'coding-')));
  after(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'project');
  const outside = join(base, 'outside');
  for (const folder of [root, outside]) mkdirSync(folder);
  const workspace: Workspace = { root, environment: plainEnvironment, ...changes };
  const tools = indexTools(createCodingTools(workspace));
  return {
    root,
    outside,
    workspace,
    async call(name, input, { signal = new AbortController().signal, policies = [], subagent, onOutput } = {}) {
      const events: AgentEvent[] = [];
      const begun = performance.now();
      const call = { type: 'tool-call' as const, id: 'call-1', name, input };
      const emit = async (event: AgentEvent): Promise<void> => {
        events.push(event);
        if (event.type === 'tool-output') onOutput?.(event.chunk);
      };
      const options = {
        tools,
        policies,
        clock: systemClock,
        iterations: 0,
        emit,
        account: noAccount,
        ...omitUndefined({ subagent }),
      };
      const { results } = await dispatch([call], options, signal);
      const [result] = results;
      if (result === undefined) throw new Error('no result');
      const shown = events.map((event) => (event.type === 'tool-output' ? event.chunk : '')).join('');
      const duration = performance.now() - begun;
      return { text: textOf(result.content), isError: result.isError ?? false, result, shown, events, duration };
    },
    write(name, content) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
  };
}

/** The model receives an error with this text. */
export function refused(outcome: CallOutcome, pattern: RegExp): void {
  assert.equal(outcome.isError, true, outcome.text);
  assert.match(outcome.text, pattern);
}

/** The input of Edit. */
export const edit = (path: string, oldText: string, newText: string, isEverywhere?: boolean) => ({
  'file_path': path,
  'old_str': oldText,
  'new_str': newText,
  ...(isEverywhere === undefined ? {} : { 'replace_all': isEverywhere }),
});

/** That of a tool which wants only a path. */
export const file = (path: string) => ({ 'file_path': path });
