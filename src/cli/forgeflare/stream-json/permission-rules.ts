// Permission rules and modes of the claude CLI, such as `Bash(npm test)` and `acceptEdits`, in terms of our own permissions.
// Invariant: a rule that cannot be expressed exactly never allows more than it says. The caller refuses such a rule if it
// denies, and ignores it if it allows.

import { SimpleAgentsError } from '../../../core/error.ts';
import type { PermissionMode } from '../../../coder/permission/decision.ts';
import type { Grant } from '../../../coder/permission/grant.ts';

export const hostModes = ['default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk', 'auto'] as const;
export type HostMode = (typeof hostModes)[number];

/** Without a host that answers, everything that would be asked is refused. */
const modes: Readonly<Record<HostMode, PermissionMode>> = {
  default: 'ask',
  acceptEdits: 'auto-edit',
  plan: 'read-only',
  bypassPermissions: 'full',
  dontAsk: 'refuse',
  auto: 'ask',
};

export function toPermissionMode(mode: HostMode): PermissionMode {
  return modes[mode];
}

/** Our `piped` mode has no name there. */
export function toHostMode(mode: PermissionMode): HostMode {
  return hostModes.find((name) => modes[name] === mode) ?? 'default';
}

export function isHostMode(value: unknown): value is HostMode {
  return hostModes.some((mode) => mode === value);
}

export interface PermissionRule {
  readonly tool: string;
  /** What is in parentheses: `npm test` in `Bash(npm test)`. */
  readonly content?: string;
}

/** Rules are separated by commas or spaces outside parentheses. */
export function parseRules(texts: readonly string[]): PermissionRule[] {
  return texts.flatMap(splitRules).map(parseRule);
}

function splitRules(text: string): string[] {
  const rules = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '(') depth += 1;
    if (character === ')') depth -= 1;
    if (depth <= 0 && /[\s,]/.test(character)) rules.push('');
    else rules.push(`${rules.pop() ?? ''}${character}`);
  }
  return rules.filter((rule) => rule !== '');
}

/** A rule with an unbalanced parenthesis keeps a content, so that it does not become a rule for the whole tool. */
function parseRule(text: string): PermissionRule {
  const [, tool = text, content] = /^([^(]*)\((.*)$/s.exec(text) ?? [];
  if (content === undefined || content === ')' || content === '*)') return { tool };
  return { tool, content: content.endsWith(')') ? content.slice(0, -1) : `${content}*` };
}

export function describeRule({ tool, content }: PermissionRule): string {
  return content === undefined ? tool : `${tool}(${content})`;
}

const editTools: ReadonlySet<string> = new Set(['Edit', 'Write', 'MultiEdit', 'NotebookEdit']);

/** What the rule allows. Undefined: it has a pattern, and we allow only exact commands, all edits or a whole tool. */
export function toGrant({ tool, content }: PermissionRule): Grant | undefined {
  if (content === undefined) return editTools.has(tool) ? { kind: 'edit' } : { kind: 'tool', name: tool };
  const isExact = tool === 'Bash' && !content.includes('*');
  return isExact ? { kind: 'command', command: content } : undefined;
}

/** The names of the tools that the rules take away. A rule with content would take away only a part, so it is refused. */
export function toDeniedTools(rules: readonly PermissionRule[], source: string): ReadonlySet<string> {
  const partial = rules.find(({ content }) => content !== undefined);
  if (partial === undefined) return new Set(rules.map(({ tool }) => tool));
  throw new SimpleAgentsError(
    'bad-request',
    `${source}: the rule ${describeRule(partial)} is not supported; deny the whole tool (${partial.tool}), or block such calls with a hook in .forgeflare/hooks.toml`,
  );
}
