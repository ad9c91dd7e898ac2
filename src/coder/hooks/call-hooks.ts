// Runs the hooks of one tool call: guards, then observers, and PostToolUse hooks after the tool. This file defines the JSON
// that hooks receive on stdin.

import type { ToolResultBlock } from '../../core/message.ts';
import { excerpt } from '../../agent/excerpt.ts';
import type { PolicyCall } from '../../agent/policy.ts';
import type { Convergence, Observation } from './convergence.ts';
import type { Hook, HookEvent, HookPhase } from './hook.ts';
import type { HookOutcome } from './process.ts';
import { failureOf, readGuard, readPost, type HookBlock } from './verdict.ts';

const largestResult = 5120;

export interface CallHooksOptions {
  readonly hooks: readonly Hook[];
  readonly cwd: string;
  readonly run: (hook: Hook, input: object, signal: AbortSignal) => Promise<HookOutcome>;
  readonly convergence: Convergence;
  readonly warn: (line: string) => void;
}

export class CallHooks {
  readonly #options: CallHooksOptions;

  constructor(options: CallHooksOptions) {
    this.#options = options;
  }

  /** Resolves to the reason why the call may not run, if any. Observers run in any case. */
  async before(call: PolicyCall, signal: AbortSignal): Promise<HookBlock | undefined> {
    const block = await this.#guard(call, signal);
    const outcome =
      block === undefined
        ? { blocked: false }
        : { blocked: true, 'blocked_by': block.by, 'block_reason': block.reason };
    for (const hook of this.#matching('PreToolUse', call, 'observe')) {
      const input = { event: 'PreToolUse', phase: 'observe', ...this.#describe(call), ...outcome };
      this.#warn(hook, failureOf(await this.#options.run(hook, input, signal), hook.timeout), signal);
    }
    return block;
  }

  /** Resolves to whether a hook signalled. All of them run. */
  async after(call: PolicyCall, result: ToolResultBlock, signal: AbortSignal): Promise<boolean> {
    const observations: Observation[] = [];
    for (const hook of this.#matching('PostToolUse', call)) {
      const shown = { result: toHookText(result), 'is_error': result.isError === true };
      const input = { event: 'PostToolUse', ...this.#describe(call), ...shown };
      const response = readPost(hook, await this.#options.run(hook, input, signal));
      if (typeof response === 'object') observations.push({ ...response, iterations: call.iterations });
      else this.#warn(hook, response, signal);
    }
    if (observations.length > 0) await this.#options.convergence.append(observations);
    return observations.length > 0;
  }

  async #guard(call: PolicyCall, signal: AbortSignal): Promise<HookBlock | undefined> {
    for (const hook of this.#matching('PreToolUse', call, 'guard')) {
      const input = { event: 'PreToolUse', phase: 'guard', ...this.#describe(call) };
      const block = readGuard(hook, await this.#options.run(hook, input, signal));
      if (block !== undefined) return block;
    }
    return undefined;
  }

  #matching(event: HookEvent, { name }: PolicyCall, phase?: HookPhase): Hook[] {
    return this.#options.hooks.filter(
      (hook) =>
        hook.event === event && (hook.matchTool ?? name) === name && (phase === undefined || hook.phase === phase),
    );
  }

  #describe({ name, input, iterations, subagent }: PolicyCall): object {
    const call = { tool: name, input, 'tool_iterations': iterations, cwd: this.#options.cwd };
    return subagent === undefined ? call : { ...call, subagent: subagent.name };
  }

  /** The failure of a cancelled hook is not reported. */
  #warn({ event, command }: Hook, failure: string | undefined, signal: AbortSignal): void {
    if (failure !== undefined && !signal.aborted) this.#options.warn(`${event} hook: ${command} ${failure}`);
  }
}

function toHookText({ content }: ToolResultBlock): string {
  const whole = content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
  return excerpt(whole, largestResult, (total) => `\n... (truncated for hook, full result: ${total} bytes)\n`);
}
