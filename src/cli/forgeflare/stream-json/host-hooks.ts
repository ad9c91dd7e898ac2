// Hooks that the host registers with `initialize`: functions in the host, called with `hook_callback` requests. Before and
// after tools they are a policy; prompts and the end of a turn are asked for by the session. A hook before a tool fails
// closed; all others fail open, with a warning.

import { text } from '../../../core/message.ts';
import type { PolicyAnswer, PolicyCall, ToolPolicy } from '../../../agent/policy.ts';
import { isInputChange, isWithdrawal } from '../../../agent/policy.ts';
import { toErrorAnswer, type ToolAnswer } from '../../../agent/tool.ts';
import type { PermissionReply } from '../../../coder/permission/permission.ts';
import { isSame } from '../../../streamjson/block.ts';
import type { ControlPeer } from '../../../streamjson/control.ts';
import { numberOf, recordOf, stringOf } from '../../../streamjson/line.ts';

/** The events that are sent. Hooks for other events are accepted and never called. */
export const hookEvents = ['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'Stop'] as const;
type HookEvent = (typeof hookEvents)[number];

interface HostHook {
  readonly event: HookEvent;
  readonly callbackId: string;
  /** Matches the whole name of a tool. Undefined: every tool. */
  readonly matcher?: RegExp;
  /** Milliseconds. */
  readonly timeout: number;
}

export interface HostHookOptions {
  readonly peer: ControlPeer;
  /** The members that every hook receives. */
  readonly describe: () => object;
  readonly warn: (line: string) => void;
  /** A hook answers the permission question of this call. */
  readonly allowCall: (id: string) => void;
  /** A hook wants the user to be asked, also about a call that needs no permission. */
  readonly askUser: (call: PolicyCall, reason: string, signal: AbortSignal) => Promise<PermissionReply>;
}

const defaultTimeout = 60_000;

interface HookReply {
  readonly output: Record<string, unknown>;
  readonly specific: Record<string, unknown>;
}

export class HostHooks {
  readonly #options: HostHookOptions;
  #hooks: readonly HostHook[] = [];
  /** Inputs that hooks have chosen. They are not asked again about their own input. */
  readonly #chosen = new Map<string, unknown>();

  constructor(options: HostHookOptions) {
    this.#options = options;
  }

  /** Replaces all hooks. `hooks`: the member of `initialize`. */
  register(hooks: unknown): void {
    this.#hooks = hookEvents.flatMap((event) => {
      const matchers = recordOf(hooks)[event];
      return Array.isArray(matchers) ? matchers.flatMap((matcher) => toHooks(event, recordOf(matcher))) : [];
    });
  }

  readonly policy: ToolPolicy = {
    around: async (call, next, { signal }) => {
      const decided = await this.#before(call, signal);
      if (decided !== undefined) return decided;
      const answer = await next();
      if (isWithdrawal(answer) || isInputChange(answer)) return answer;
      return this.#after(call, answer, signal);
    },
  };

  /** Resolves to the reason why the prompt is refused, or to texts to add to it. */
  async onPrompt(
    prompt: string,
    signal: AbortSignal,
  ): Promise<{ readonly block?: string; readonly context: string[] }> {
    const context: string[] = [];
    for (const hook of this.#matching('UserPromptSubmit')) {
      const { output, specific } = await this.#tryCall(hook, { prompt }, signal);
      if (output['decision'] === 'block' || output['continue'] === false) return { block: reasonOf(output), context };
      const added = stringOf(specific['additionalContext']);
      if (added !== undefined) context.push(added);
    }
    return { context };
  }

  /** Resolves to what the agent must do before it may stop. */
  async onStop(lastText: string, isActive: boolean, signal: AbortSignal): Promise<string | undefined> {
    for (const hook of this.#matching('Stop')) {
      const input = { stop_hook_active: isActive, last_assistant_message: lastText };
      const { output, specific } = await this.#tryCall(hook, input, signal);
      if (output['continue'] === false) return undefined;
      if (output['decision'] === 'block') return reasonOf(output);
      const added = stringOf(specific['additionalContext']);
      if (added !== undefined) return added;
    }
    return undefined;
  }

  async #before(call: PolicyCall, signal: AbortSignal): Promise<PolicyAnswer | undefined> {
    if (this.#chosen.has(call.id) && isSame(this.#chosen.get(call.id), call.input)) return undefined;
    for (const hook of this.#matching('PreToolUse', call.name)) {
      const reply = await this.#call(hook, describeCall(call), signal);
      if (typeof reply === 'string') return toErrorAnswer(`hook failed: ${reply} (tool blocked by default)`);
      const decided = await this.#decide(call, reply, signal);
      if (decided !== undefined) return decided;
    }
    return undefined;
  }

  async #decide(
    call: PolicyCall,
    { output, specific }: HookReply,
    signal: AbortSignal,
  ): Promise<PolicyAnswer | undefined> {
    const decision = specific['permissionDecision'];
    const reason = stringOf(specific['permissionDecisionReason']) ?? reasonOf(output);
    if (output['continue'] === false) return { ...toErrorAnswer(reason), endTurn: 'convergence-signal' };
    if (decision === 'deny' || output['decision'] === 'block') return toErrorAnswer(reason);
    if (decision === 'allow' || output['decision'] === 'approve') this.#options.allowCall(call.id);
    const answer = decision === 'ask' ? await this.#askUser(call, reason, signal) : undefined;
    return answer ?? this.#changeInput(call, specific['updatedInput']);
  }

  async #askUser(call: PolicyCall, reason: string, signal: AbortSignal): Promise<PolicyAnswer | undefined> {
    const reply = await this.#options.askUser(call, reason, signal);
    if (typeof reply === 'object' && 'denial' in reply) return toErrorAnswer(reply.denial);
    if (reply === 'no' || reply === 'never') return toErrorAnswer(`The user did not allow ${call.name}.`);
    this.#options.allowCall(call.id);
    return typeof reply === 'object' ? this.#changeInput(call, reply.input) : undefined;
  }

  #changeInput(call: PolicyCall, input: unknown): PolicyAnswer | undefined {
    if (input === undefined || isSame(input, call.input)) return undefined;
    this.#chosen.set(call.id, input);
    return { input };
  }

  async #after(
    call: PolicyCall,
    answer: Exclude<PolicyAnswer, { readonly withdraw: unknown } | { readonly input: unknown }>,
    signal: AbortSignal,
  ): Promise<PolicyAnswer> {
    let current = answer;
    for (const hook of this.#matching(answer.isError === true ? 'PostToolUseFailure' : 'PostToolUse', call.name)) {
      const reply = await this.#tryCall(hook, { ...describeCall(call), ...describeAnswer(current) }, signal);
      current = changeAnswer(current, reply);
    }
    return current;
  }

  #matching(event: HookEvent, tool = ''): HostHook[] {
    return this.#hooks.filter((hook) => hook.event === event && (hook.matcher?.test(tool) ?? true));
  }

  async #tryCall(hook: HostHook, input: object, signal: AbortSignal): Promise<HookReply> {
    const reply = await this.#call(hook, input, signal);
    if (typeof reply !== 'string') return reply;
    if (!signal.aborted) this.#options.warn(`${hook.event} hook: ${reply}`);
    return { output: {}, specific: {} };
  }

  /** Resolves to the problem if the hook failed. */
  async #call(hook: HostHook, input: object, signal: AbortSignal): Promise<HookReply | string> {
    const { event, callbackId, timeout } = hook;
    const limit = AbortSignal.timeout(timeout);
    const request = {
      subtype: 'hook_callback',
      callback_id: callbackId,
      input: { ...this.#options.describe(), hook_event_name: event, ...input },
      tool_use_id: stringOf(recordOf(input)['tool_use_id']) ?? null,
    };
    const outcome = await this.#options.peer.request(request, AbortSignal.any([signal, limit]));
    if (outcome.kind === 'error') return outcome.message;
    if (outcome.kind === 'closed') return 'the host has closed its input';
    if (outcome.kind === 'cancelled') return limit.aborted ? `timed out after ${timeout}ms` : 'cancelled';
    return { output: outcome.response, specific: recordOf(outcome.response['hookSpecificOutput']) };
  }
}

function toHooks(event: HookEvent, { matcher, hookCallbackIds, timeout }: Record<string, unknown>): HostHook[] {
  const ids = Array.isArray(hookCallbackIds) ? hookCallbackIds.filter((id) => typeof id === 'string') : [];
  const seconds = numberOf(timeout);
  const pattern = toPattern(stringOf(matcher) ?? '');
  return ids.map((callbackId) => ({
    event,
    callbackId,
    timeout: seconds === undefined ? defaultTimeout : seconds * 1000,
    ...(pattern === undefined ? {} : { matcher: pattern }),
  }));
}

/** A matcher that is not a valid pattern matches only its own text. */
function toPattern(matcher: string): RegExp | undefined {
  if (matcher === '' || matcher === '*') return undefined;
  try {
    return new RegExp(`^(?:${matcher})$`);
  } catch {
    return new RegExp(`^${matcher.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}$`);
  }
}

function reasonOf(output: Record<string, unknown>): string {
  return stringOf(output['reason']) ?? stringOf(output['stopReason']) ?? 'A hook of the host blocked it.';
}

function describeCall({ id, name, input }: PolicyCall): object {
  return { tool_name: name, tool_input: input, tool_use_id: id };
}

function describeAnswer({ content, isError }: ToolAnswer): object {
  const written = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  return isError === true ? { error: written, is_interrupt: false } : { tool_response: written };
}

function changeAnswer<A extends ToolAnswer>(answer: A, { output, specific }: HookReply): A {
  const replaced = specific['updatedToolOutput'];
  const content = replaced === undefined ? answer.content : [text(toText(replaced))];
  const added = [
    output['decision'] === 'block' ? reasonOf(output) : undefined,
    stringOf(specific['additionalContext']),
  ].filter((each) => each !== undefined);
  const changed = { ...answer, content: [...content, ...added.map((each) => text(each))] };
  return output['continue'] === false ? { ...changed, endTurn: 'convergence-signal' } : changed;
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
