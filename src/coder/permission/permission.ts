// Permissions as a policy around the tools: it lets a call run, asks the user, or tells the model why the call was refused.
// It knows no terminal: the front end passes in a function that asks. Without that function it refuses and names the flag.
// Invariants: what runs after a question is what the question showed. The user is not asked about a call that would fail.

import { unlessAborted } from '../../core/abort.ts';
import { omitUndefined } from '../../core/json.ts';
import { textOf } from '../../core/message.ts';
import type { Guard } from '../guard/guard.ts';
import type { Judgement } from '../guard/verdict.ts';
import { ParallelLimit } from '../../agent/parallel-limit.ts';
import type { InputChange, PolicyAnswer, PolicyCall, SubagentIdentity, ToolPolicy } from '../../agent/policy.ts';
import { toErrorAnswer, type ToolAnswer, type ToolContext, type ToolPreview } from '../../agent/tool.ts';
import { isMcpToolName } from '../../mcp/tool-name.ts';
import type { Workspace } from '../tools/workspace.ts';
import { decide, fullFlag, type PermissionDecision, type PermissionMode } from './decision.ts';
import { commandOf, grantFor, type Grant } from './grant.ts';
import { createRunMemory, type PermissionMemory } from './memory.ts';

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
  /** The subagent that makes the call. */
  readonly subagent?: SubagentIdentity;
}

/**
 * `never`: refused for the rest of the run. `denial`: refused, with this reason for the model. `input`: the call may run
 * once, with this input.
 */
export type PermissionReply =
  | 'once'
  | 'always'
  | 'no'
  | 'never'
  | { readonly denial: string }
  | { readonly input: Readonly<Record<string, unknown>> };

export interface PermissionOptions {
  /** Read before each call. */
  readonly mode: PermissionMode;
  readonly workspace: Workspace;
  /** Commands run in a sandbox. */
  readonly hasSandbox: boolean;
  /** Without it, every call that needs the user's decision is refused. */
  readonly ask?: (question: PermissionQuestion, signal: AbortSignal) => Promise<PermissionReply>;
  readonly memory: PermissionMemory;
  /** Called for each call that may not run. */
  readonly onRefusal?: (call: PolicyCall) => void;
}

export function createPermissionPolicy(options: PermissionOptions): ToolPolicy {
  return new PermissionPolicy(options);
}

/** A decision that needs no question, or the reason for one. */
type Settled = 'allow' | ToolAnswer | { readonly question: string };

class PermissionPolicy implements ToolPolicy {
  readonly #options: PermissionOptions;
  readonly #refused = createRunMemory();
  /** Calls whose input the user has chosen. Everything else still judges that input. */
  readonly #chosen = new Set<string>();
  /** One at a time, also for parallel subagents. */
  readonly #questions = new ParallelLimit(1);
  #guard: Promise<Guard> | undefined;

  constructor(options: PermissionOptions) {
    this.#options = options;
  }

  async around(call: PolicyCall, next: () => Promise<PolicyAnswer>, context: ToolContext): Promise<PolicyAnswer> {
    const settled = await this.#settle(call);
    const answer = isQuestion(settled) ? await this.#askInTurn(call, context) : settled;
    return answer === 'allow' ? next() : answer;
  }

  async #settle(call: PolicyCall): Promise<Settled> {
    const grant = grantFor(call);
    const decision = await this.#decide(call, grant);
    if (decision.action === 'refuse') return this.#refuse(call, refusal(call, decision.reason));
    if (decision.action === 'allow' || this.#chosen.delete(call.id)) return 'allow';
    return this.#refused.allows(grant) ? this.#refuse(call, denial(call)) : { question: decision.reason };
  }

  /** A reply may also decide the calls of other subagents that wait here. */
  #askInTurn(call: PolicyCall, context: ToolContext): Promise<'allow' | PolicyAnswer> {
    const work = async (): Promise<'allow' | PolicyAnswer> => {
      const settled = await this.#settle(call);
      return isQuestion(settled) ? this.#ask(call, settled.question, context) : settled;
    };
    return this.#questions.run(work, context.signal);
  }

  async #ask(call: PolicyCall, reason: string, context: ToolContext): Promise<'allow' | PolicyAnswer> {
    const previewed = this.#options.ask === undefined ? undefined : await previewCall(call);
    if (previewed !== undefined && !isPreview(previewed)) return previewed;
    const asked = { call, grant: grantFor(call), reason, ...omitUndefined({ preview: previewed }) };
    const reply = await askUser(asked, { ...this.#options, refused: this.#refused }, context);
    if (reply === undefined) return (await findChange(asked)) ?? 'allow';
    if (!('input' in reply)) return this.#refuse(call, reply);
    this.#chosen.add(call.id);
    return reply;
  }

  async #decide(call: PolicyCall, grant: Grant): Promise<PermissionDecision> {
    const { mode, hasSandbox, memory } = this.#options;
    const isRemembered = memory.allows(grant) || memory.allows({ kind: 'tool', name: call.name });
    // A server says whether its tool only reads, and nothing proves it.
    const effect = isMcpToolName(call.name) ? 'mutating' : call.effect;
    const known = { mode, effect, grant, hasSandbox, isRemembered };
    if (grant.kind !== 'command') return decide(known);
    return decide({ ...known, judgement: await this.#judge(commandOf(call.input)) });
  }

  async #judge(command: string): Promise<Judgement> {
    this.#guard ??= loadGuard(this.#options.workspace);
    return (await this.#guard).judge(command);
  }

  #refuse(call: PolicyCall, answer: ToolAnswer): ToolAnswer {
    this.#options.onRefusal?.(call);
    return answer;
  }
}

function isQuestion(settled: Settled): settled is { readonly question: string } {
  return settled !== 'allow' && 'question' in settled;
}

/** Loaded with the first command, because the guard is half of the agent's code and many runs never need it. */
async function loadGuard({ root, home = '/root' }: Workspace): Promise<Guard> {
  const { createGuard } = await import('../guard/guard.ts');
  return createGuard({ cwd: root, home });
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

/** Resolves to the answer for the model if the call may not run, or to another input. */
async function askUser(
  { call, grant, reason, preview }: AskedCall,
  { ask, memory, refused }: PermissionOptions & { readonly refused: PermissionMemory },
  { emit, output, signal }: ToolContext,
): Promise<ToolAnswer | InputChange | undefined> {
  if (ask === undefined)
    return refusal(call, `it needs permission (${reason}) and this run cannot ask the user; ${fullFlag}`);
  const { id, name, input } = call;
  void emit({ type: 'permission-request', id, name, input, reason });
  const { subagent } = call;
  const question = { id, name, input, reason, grant, ...omitUndefined({ preview, subagent }) };
  const reply = await unlessAborted(ask(question, signal), signal);
  const problem = reply === 'always' ? await memory.remember(grant) : undefined;
  if (problem !== undefined) output(`${problem}\n`);
  if (reply === 'always' || reply === 'once') return undefined;
  if (typeof reply === 'object') return 'denial' in reply ? toErrorAnswer(reply.denial) : reply;
  if (reply === 'never') await refused.remember(grant);
  return denial(call);
}

function denial({ name }: PolicyCall): ToolAnswer {
  return toErrorAnswer(`The user did not allow ${name}. Do not try another way to do it; ask what to do instead.`);
}

function refusal({ name }: PolicyCall, reason: string): ToolAnswer {
  return toErrorAnswer(`${name} was not run: ${reason}.`);
}
