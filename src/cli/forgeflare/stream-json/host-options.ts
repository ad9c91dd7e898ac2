// What the flags and settings of a host mean for the agent that is started.

import { SimpleAgentsError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { AssembleOptions } from '../../../coder/assemble.ts';
import type { Grant } from '../../../coder/permission/grant.ts';
import type { RunFlags } from '../flags.ts';
import { checkHostFlags } from './flags.ts';
import { parseAgents } from './host-agents.ts';
import {
  describeRule,
  parseRules,
  toDeniedTools,
  toGrant,
  toPermissionMode,
  type HostMode,
} from './permission-rules.ts';
import { loadHostSettings, type HostSettings } from './settings.ts';

export interface HostOptions {
  readonly assemble: Pick<
    AssembleOptions,
    'permission' | 'grants' | 'offersTool' | 'systemPrompt' | 'maxResponses' | 'maxCost' | 'isRecorded' | 'subagents'
  >;
  readonly model?: string;
  /** As the host names it. */
  readonly permissionMode?: HostMode;
  /** What was ignored. */
  readonly notes: readonly string[];
}

export async function toHostOptions(flags: RunFlags, cwd: string): Promise<HostOptions> {
  const ignored = checkHostFlags(flags);
  const settings = await loadSettings(flags, cwd);
  const permissionMode = modeOf(flags, settings);
  const allowed = parseRules([...(flags.allowedTools ?? []), ...settings.allow]);
  const { systemPrompt: replace, appendSystemPrompt: append, maxTurns, maxBudgetUsd } = flags;
  const names = [...ignored, ...settings.ignored.map((name) => `--settings ${name}`)];
  return {
    assemble: {
      grants: allowed.map(toGrant).filter((grant): grant is Grant => grant !== undefined),
      offersTool: toToolFilter(flags, settings),
      isRecorded: flags.sessionPersistence,
      subagents: typeof flags.agents === 'string' ? parseAgents(flags.agents) : [],
      ...omitUndefined({
        permission: permissionMode === undefined ? flags.permission : toPermissionMode(permissionMode),
        maxResponses: maxTurns,
        maxCost: maxBudgetUsd ?? flags.maxCost,
      }),
      systemPrompt: omitUndefined({ replace, append }),
    },
    notes: [
      ...(names.length === 0 ? [] : [`without effect: ${names.join(', ')}`]),
      ...(permissionMode === 'auto' ? ['the permission mode auto is not supported; using default'] : []),
      ...allowed
        .filter((rule) => toGrant(rule) === undefined)
        .map((rule) => `the rule ${describeRule(rule)} is ignored, because only exact commands can be allowed`),
    ],
    ...omitUndefined({ model: flags.model ?? settings.model, permissionMode }),
  };
}

async function loadSettings({ settings, managedSettings }: RunFlags, cwd: string): Promise<HostSettings> {
  const given = settings === undefined ? none : await loadHostSettings(settings, cwd, '--settings');
  if (managedSettings === undefined) return given;
  const managed = await loadHostSettings(managedSettings, cwd, '--managed-settings');
  return {
    ...given,
    ...managed,
    allow: [...given.allow, ...managed.allow],
    deny: [...given.deny, ...managed.deny],
    ignored: [...given.ignored, ...managed.ignored],
  };
}

const none: HostSettings = { allow: [], deny: [], ignored: [] };

function modeOf(flags: RunFlags, settings: HostSettings): HostMode | undefined {
  const { permissionMode, dangerouslySkipPermissions: skips, permission } = flags;
  if (skips && permissionMode !== undefined && permissionMode !== 'bypassPermissions') {
    const problem = `cannot be combined with --permission-mode ${permissionMode}`;
    throw new SimpleAgentsError('bad-request', `--dangerously-skip-permissions: ${problem}`);
  }
  if (skips) return 'bypassPermissions';
  return permissionMode ?? (permission === undefined ? settings.permissionMode : undefined);
}

function toToolFilter({ tools, disallowedTools = [] }: RunFlags, { deny }: HostSettings): (name: string) => boolean {
  const denied = new Set([
    ...toDeniedTools(parseRules(disallowedTools), '--disallowedTools'),
    ...toDeniedTools(parseRules(deny), '--settings: permissions.deny'),
  ]);
  const offered = tools === undefined ? undefined : new Set(parseRules(tools).map(({ tool }) => tool));
  const offersAll = offered === undefined || offered.has('default');
  return (name) => !denied.has(name) && (offersAll || offered.has(name));
}
