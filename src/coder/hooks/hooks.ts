// The hooks of one agent: a policy around its tools, and the hooks that run when a turn has ended.

import { SimpleAgentsError } from '../../core/error.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { TurnEnd, TurnEndReason } from '../../agent/event.ts';
import type { ToolPolicy } from '../../agent/policy.ts';
import { scrubEnvironment } from '../sandbox/environment.ts';
import { withOutsidePath } from '../sandbox/search-path.ts';
import { CallHooks } from './call-hooks.ts';
import { Convergence, convergencePath } from './convergence.ts';
import type { Hook, HookTable } from './hook.ts';

import { HookPolicy } from './policy.ts';
import { runHook, type HookOutcome } from './process.ts';
import { failureOf } from './verdict.ts';

export interface HookOptions {
  readonly table: HookTable;
  /** The working directory of hooks, also passed to them as `cwd`. */
  readonly cwd: string;
  /** Secrets are removed before it is passed to a hook. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Known secrets, such as the provider's key. Variables that contain one are removed as well. */
  readonly secrets?: readonly string[];
  /** The names of the agent's tools. A guard for an unknown tool is an error. Default: names are not checked. */
  readonly tools?: readonly string[];
  /** Receives warnings: an observer failed, or a file could not be written. */
  readonly warn: (line: string) => void;
  /** Receives the stderr of hooks. Default: they inherit the stderr of this process. */
  readonly stderr?: (chunk: string) => void;
}

export interface Hooks {
  /** Creates a policy for one turn, because blocks are counted per turn. Must come before the permission policy. */
  readonly policy: () => ToolPolicy;
  /**
   * Called once when the agent starts: deletes the convergence file of the previous run. Rejects with `configuration` if a
   * guard names a tool that does not exist.
   */
  begin(): Promise<void>;
  /** Called after every `turn-end`. An abort stops it early, unless it already ended the turn. Never rejects. */
  end(end: TurnEnd, signal?: AbortSignal): Promise<void>;
}

const never = new AbortController().signal;

export function createHooks(options: HookOptions): Hooks {
  const { table, cwd, warn, stderr, secrets = [] } = options;
  const { hooks } = table;
  const environment = withOutsidePath(scrubEnvironment(options.environment, { secrets }), table.folder);
  const convergence = new Convergence(convergencePath(table.folder), warn);
  const run = (hook: Hook, input: object, signal: AbortSignal): Promise<HookOutcome> => {
    const { command, timeout } = hook;
    const sink = stderr === undefined ? {} : { stderr };
    return runHook({ command, timeout, input, cwd, environment, signal, ...sink });
  };
  const calls = new CallHooks({ hooks, cwd, run, convergence, warn });
  return {
    policy: () => new HookPolicy(calls),
    async begin() {
      if (options.tools !== undefined) checkMatches(table, options.tools, warn);
      await convergence.clear();
    },
    async end({ reason: why, iterations, usage }, given = never) {
      // Stop hooks also run after a cancelled turn.
      const signal = given.aborted ? never : given;
      const reason = stopReasons[why];
      const totalTokens = usage.input + usage.output;
      // Before the hooks, because they may read the file.
      await convergence.finish({ reason, iterations, totalTokens });
      const input = { event: 'Stop', reason, 'tool_iterations': iterations, 'total_tokens': totalTokens, cwd };
      for (const hook of hooks.filter(({ event }) => event === 'Stop')) {
        const failure = failureOf(await run(hook, input, signal), hook.timeout);
        if (failure !== undefined && !signal.aborted) warn(`Stop hook: ${hook.command} ${failure}`);
      }
    },
  };
}

/**
 * A guard for a tool that does not exist would never run, so the agent does not start. For an observer or a PostToolUse
 * hook a warning is enough, because it cannot block anything. A guard for an MCP tool also only causes a warning, because
 * its server may be absent.
 */
function checkMatches({ hooks, file }: HookTable, tools: readonly string[], warn: HookOptions['warn']): void {
  const refused: string[] = [];
  for (const { matchTool, command, event, phase } of hooks) {
    if (matchTool === undefined || tools.includes(matchTool)) continue;
    const isGuard = event === 'PreToolUse' && phase === 'guard';
    const guess = didYouMean(matchTool, tools) || `; the tools are: ${tools.join(', ')}`;
    const problem = `${file}: match_tool ${JSON.stringify(matchTool)} of the ${isGuard ? 'guard' : `${event} hook`} ${JSON.stringify(command)}: there is no such tool${guess}`;
    if (isGuard && !matchTool.startsWith('mcp__')) refused.push(problem);
    else warn(problem);
  }
  if (refused.length > 0) throw new SimpleAgentsError('configuration', refused.join('\n'), { field: 'match_tool' });
}

/** The names of the turn's end reasons in Stop hooks and convergence.json. */
const stopReasons: Readonly<Record<TurnEndReason, string>> = {
  end: 'end_turn',
  length: 'continuation_cap',
  'continuation-cap': 'continuation_cap',
  'iteration-limit': 'iteration_limit',
  'cost-limit': 'cost_limit',
  refusal: 'refusal',
  cancelled: 'cancelled',
  error: 'api_error',
  'block-limit-consecutive': 'block_limit_consecutive',
  'block-limit-total': 'block_limit_total',
  'convergence-signal': 'convergence_signal',
};
