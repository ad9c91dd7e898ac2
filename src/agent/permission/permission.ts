// Permission, as a policy around the tools: lets a call run, asks whoever can be asked, or answers the model why not.
// Knows no terminal: the question is a function it is given. Without one it never waits, it refuses and names the flag.

import type { Guard } from '../guard/guard.ts';
import type { Judgement } from '../guard/verdict.ts';
import type { PolicyAnswer, PolicyCall, ToolPolicy } from '../policy.ts';
import { toErrorAnswer, type ToolContext } from '../tool.ts';
import type { Workspace } from '../tools/workspace.ts';
import { decide, fullFlag, type Decision, type PermissionMode } from './decision.ts';
import { commandOf, grantFor, type Grant } from './grant.ts';
import type { PermissionMemory } from './memory.ts';

export interface PermissionQuestion {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Why it is asked. */
  readonly reason: string;
  /** What `always` would allow. */
  readonly grant: Grant;
}

export type PermissionReply = 'once' | 'always' | 'no';

export interface PermissionOptions {
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
  /** Commands run in a sandbox. */
  readonly hasSandbox: boolean;
  /** Left out: nobody can be asked, and what would be asked is refused. */
  readonly ask?: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionReply>;
  readonly memory: PermissionMemory;
}

export function createPermissionPolicy(options: PermissionOptions): ToolPolicy {
  const { workspace } = options;
  let guard: Promise<Guard> | undefined;
  const judge = async (command: string): Promise<Judgement> => {
    guard ??= loadGuard(workspace);
    return (await guard).judge(command);
  };
  return {
    async around(call, next, context) {
      const grant = grantFor(call);
      const decision = await decideCall(call, grant, { ...options, judge });
      if (decision.action === 'allow') return next();
      if (decision.action === 'refuse') return refusal(call, decision.reason);
      const reply = await askUser({ call, grant, reason: decision.reason }, options, context);
      return reply === undefined ? next() : reply;
    },
  };
}

/** With the first command: most starts are without one, and it is half of the agent's code. */
async function loadGuard({ root, home = '/root' }: Workspace): Promise<Guard> {
  const { createGuard } = await import('../guard/guard.ts');
  return createGuard({ cwd: root, home });
}

interface Deciding extends PermissionOptions {
  readonly judge: (command: string) => Promise<Judgement>;
}

async function decideCall(call: PolicyCall, grant: Grant, options: Deciding): Promise<Decision> {
  const { mode, hasSandbox, memory, judge } = options;
  const isRemembered = memory.allows(grant);
  const known = { mode, effect: call.effect, grant, hasSandbox, isRemembered };
  if (grant.kind !== 'command') return decide(known);
  return decide({ ...known, judgement: await judge(commandOf(call.input)) });
}

interface Asked {
  readonly call: PolicyCall;
  readonly grant: Grant;
  readonly reason: string;
}

/** The answer to the model when the call may not run. */
async function askUser(
  { call, grant, reason }: Asked,
  { ask, memory }: PermissionOptions,
  { emit, output, signal }: ToolContext,
): Promise<PolicyAnswer | undefined> {
  if (ask === undefined) return refusal(call, `nobody can be asked (${reason}); ${fullFlag}`);
  const { id, name, input } = call;
  emit({ type: 'permission-request', id, name, input, reason });
  const reply = await ask({ id, name, input, reason, grant }, signal);
  signal.throwIfAborted();
  const problem = reply === 'always' ? await memory.remember(grant) : undefined;
  if (problem !== undefined) output(`${problem}\n`);
  if (reply === 'always' || reply === 'once') return undefined;
  return toErrorAnswer(`The user did not allow ${name}. Do not try it in another way; ask what to do instead.`);
}

function refusal({ name }: PolicyCall, reason: string): PolicyAnswer {
  return toErrorAnswer(`${name} was not run: ${reason}.`);
}
