// Permissions as a policy around the tools: it lets a call run, asks the user, or tells the model why the call was refused.
// It knows no terminal: the front end passes in a function that asks. Without that function it refuses and names the flag.
// Invariants: what runs after a question is what the question showed. The user is not asked about a call that would fail.

import { omitUndefined } from '../../core/json.ts';
import { textOf } from '../../core/message.ts';
import type { Guard } from '../guard/guard.ts';
import type { Judgement } from '../guard/verdict.ts';
import type { PolicyAnswer, PolicyCall, ToolPolicy } from '../../agent/policy.ts';
import { toErrorAnswer, type ToolAnswer, type ToolContext, type ToolPreview } from '../../agent/tool.ts';
import type { Workspace } from '../tools/workspace.ts';
import { decide, fullFlag, type PermissionDecision, type PermissionMode } from './decision.ts';
import { commandOf, grantFor, type Grant } from './grant.ts';
import type { PermissionMemory } from './memory.ts';

export interface PermissionQuestion {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Why the user is asked. */
  readonly reason: string;
  /** What `always` would allow. */
  readonly grant: Grant;
  /** What the call would do, if its tool has a preview. */
  readonly preview?: ToolPreview;
}

export type PermissionReply = 'once' | 'always' | 'no';

export interface PermissionOptions {
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
  /** Commands run in a sandbox. */
  readonly hasSandbox: boolean;
  /** Without it, every call that needs the user's decision is refused. */
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
      const previewed = options.ask === undefined ? undefined : await previewCall(call);
      if (previewed !== undefined && !isPreview(previewed)) return previewed;
      const asked = { call, grant, reason: decision.reason, ...omitUndefined({ preview: previewed }) };
      const reply = (await askUser(asked, options, context)) ?? (await findChange(asked));
      return reply === undefined ? next() : reply;
    },
  };
}

/** Loaded with the first command, because the guard is half of the agent's code and many runs never need it. */
async function loadGuard({ root, home = '/root' }: Workspace): Promise<Guard> {
  const { createGuard } = await import('../guard/guard.ts');
  return createGuard({ cwd: root, home });
}

interface Deciding extends PermissionOptions {
  readonly judge: (command: string) => Promise<Judgement>;
}

async function decideCall(call: PolicyCall, grant: Grant, options: Deciding): Promise<PermissionDecision> {
  const { mode, hasSandbox, memory, judge } = options;
  const isRemembered = memory.allows(grant);
  const known = { mode, effect: call.effect, grant, hasSandbox, isRemembered };
  if (grant.kind !== 'command') return decide(known);
  return decide({ ...known, judgement: await judge(commandOf(call.input)) });
}

/** Undefined if the tool has no preview; an answer if the call would fail or change nothing. */
async function previewCall({ preview }: PolicyCall): Promise<ToolPreview | ToolAnswer | undefined> {
  try {
    return await preview?.();
  } catch (error) {
    return toErrorAnswer(error instanceof Error ? error.message : String(error));
  }
}

function isPreview(previewed: ToolPreview | ToolAnswer): previewed is ToolPreview {
  return 'title' in previewed;
}

/** The user allowed what was shown, so a call that would now do something else is refused. */
async function findChange({ call, preview }: AskedCall): Promise<PolicyAnswer | undefined> {
  const now = await previewCall(call);
  if (now === undefined || (isPreview(now) && now.text === preview?.text)) return undefined;
  const problem = isPreview(now) || now.isError !== true ? '' : ` ${textOf(now.content)}`;
  return toErrorAnswer(
    `${call.name} was not run: the file changed while the user was deciding.${problem} Nothing was written. Read the file again and repeat the change.`,
  );
}

interface AskedCall {
  readonly call: PolicyCall;
  readonly grant: Grant;
  readonly reason: string;
  readonly preview?: ToolPreview;
}

/** Resolves to the answer for the model if the call may not run. */
async function askUser(
  { call, grant, reason, preview }: AskedCall,
  { ask, memory }: PermissionOptions,
  { emit, output, signal }: ToolContext,
): Promise<PolicyAnswer | undefined> {
  if (ask === undefined)
    return refusal(call, `it needs permission (${reason}) and this run cannot ask the user; ${fullFlag}`);
  const { id, name, input } = call;
  emit({ type: 'permission-request', id, name, input, reason });
  const reply = await ask({ id, name, input, reason, grant, ...omitUndefined({ preview }) }, signal);
  signal.throwIfAborted();
  const problem = reply === 'always' ? await memory.remember(grant) : undefined;
  if (problem !== undefined) output(`${problem}\n`);
  if (reply === 'always' || reply === 'once') return undefined;
  return toErrorAnswer(`The user did not allow ${name}. Do not try another way to do it; ask what to do instead.`);
}

function refusal({ name }: PolicyCall, reason: string): PolicyAnswer {
  return toErrorAnswer(`${name} was not run: ${reason}.`);
}
