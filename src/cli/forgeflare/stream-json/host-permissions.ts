// Permission questions for the host: `can_use_tool` requests, and what its answers mean. An answer decides only the
// question: the guard, hooks and the sandbox apply in any case.

import { omitUndefined } from '../../../core/json.ts';
import type { PolicyCall } from '../../../agent/policy.ts';
import { grantFor, type Grant } from '../../../coder/permission/grant.ts';
import type { PermissionQuestion, PermissionReply } from '../../../coder/permission/permission.ts';
import { isSame } from '../../../streamjson/block.ts';
import { decodePermissionAnswer, type ControlPeer, type ControlRequest } from '../../../streamjson/control.ts';
import { recordOf, stringOf } from '../../../streamjson/line.ts';
import { describeRule, isHostMode, toGrant, type HostMode, type PermissionRule } from './permission-rules.ts';

export interface HostPermissionOptions {
  readonly peer: ControlPeer;
  /** The host wants permission requests. Without them, only its hooks allow a call. */
  readonly asksHost: boolean;
  readonly warn: (line: string) => void;
  /** Allows it from now on. */
  readonly allow: (grant: Grant, scope: 'project' | 'run') => Promise<string | undefined>;
  /** Throws if the mode may not be chosen. */
  readonly setMode: (mode: HostMode) => void;
  /** Cancels the turn. */
  readonly interrupt: () => void;
}

export class HostPermissions {
  readonly #options: HostPermissionOptions;
  /** Resolved with the path of subagents when everything before the question has been written. By call id. */
  readonly #reached = new Map<string, PromiseWithResolvers<readonly string[]>>();
  /** Calls that a hook of the host has already allowed. */
  readonly #allowed = new Set<string>();

  constructor(options: HostPermissionOptions) {
    this.#options = options;
  }

  /** The next question about this call needs no answer of the host. */
  allowCall(id: string): void {
    this.#allowed.add(id);
  }

  /** Asks about a call that may need no permission. */
  askAbout(call: PolicyCall, reason: string, signal: AbortSignal): Promise<PermissionReply> {
    const { id, name, input } = call;
    this.reach(id, []);
    return this.ask({ id, name, input, reason, grant: grantFor(call) }, signal);
  }

  /** The event of a question was reached. `path`: the calls that lead to the subagent that asks. */
  reach(id: string, path: readonly string[]): void {
    this.#questionOf(id).resolve(path);
  }

  async ask(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionReply> {
    if (this.#allowed.delete(question.id)) return 'once';
    if (!this.#options.asksHost) return { denial: `${question.name} was not run: ${noHost} (${question.reason}).` };
    const path = await this.#questionOf(question.id).promise;
    this.#reached.delete(question.id);
    const answer = decodePermissionAnswer(await this.#options.peer.request(toRequest(question, path), signal));
    if (answer.behavior === 'deny') {
      if (answer.interrupt === true) this.#options.interrupt();
      return { denial: answer.message };
    }
    for (const update of answer.updatedPermissions ?? []) await this.#apply(recordOf(update));
    const { updatedInput } = answer;
    return updatedInput === undefined || isSame(updatedInput, question.input) ? 'once' : { input: updatedInput };
  }

  #questionOf(id: string): PromiseWithResolvers<readonly string[]> {
    const known = this.#reached.get(id) ?? Promise.withResolvers<readonly string[]>();
    this.#reached.set(id, known);
    return known;
  }

  async #apply(update: Record<string, unknown>): Promise<void> {
    const { type, mode, behavior, rules, destination } = update;
    if (type === 'setMode' && isHostMode(mode)) return this.#setMode(mode);
    if (type !== 'addRules' || behavior !== 'allow' || !Array.isArray(rules)) {
      return this.#options.warn(
        `a permission update of type ${JSON.stringify(type)} is not supported and has no effect`,
      );
    }
    const isForRun = destination === 'session' || destination === 'cliArg';
    for (const rule of rules) await this.#addRule(toRule(recordOf(rule)), isForRun);
  }

  #setMode(mode: HostMode): void {
    try {
      this.#options.setMode(mode);
    } catch (error) {
      this.#options.warn((error as Error).message);
    }
  }

  /** A rule for a whole built-in tool holds for the run only, because stored grants are narrower. */
  async #addRule(rule: PermissionRule, isForRun: boolean): Promise<void> {
    const grant = toGrant(rule);
    if (grant === undefined) {
      return this.#options.warn(
        `the rule ${describeRule(rule)} has no effect, because only exact commands can be allowed`,
      );
    }
    const isWide = grant.kind === 'tool' && !grant.name.startsWith('mcp__');
    const problem = await this.#options.allow(grant, isForRun || isWide ? 'run' : 'project');
    if (problem !== undefined) this.#options.warn(problem);
  }
}

const noHost =
  'it needs permission, and the host takes no permission requests (--permission-prompt-tool stdio turns them on)';

function toRule({ toolName, ruleContent }: Record<string, unknown>): PermissionRule {
  return { tool: stringOf(toolName) ?? '', ...omitUndefined({ content: stringOf(ruleContent) }) };
}

function toRequest(question: PermissionQuestion, path: readonly string[]): ControlRequest {
  const { id, name, input, reason, grant, preview } = question;
  return omitUndefined({
    subtype: 'can_use_tool',
    tool_name: name,
    display_name: name,
    input: recordOf(input),
    tool_use_id: id,
    description: preview?.title ?? (grant.kind === 'command' ? grant.command : undefined),
    decision_reason: reason,
    permission_suggestions: [toSuggestion(grant)],
    agent_id: path.at(-1),
  });
}

/** What the host can offer as "always". */
function toSuggestion(grant: Grant): object {
  if (grant.kind === 'edit') return { type: 'setMode', mode: 'acceptEdits', destination: 'session' };
  const rule = grant.kind === 'command' ? { toolName: 'Bash', ruleContent: grant.command } : { toolName: grant.name };
  return { type: 'addRules', rules: [rule], behavior: 'allow', destination: 'localSettings' };
}
