// Decides whether a call may run in the mode that the user chose. A pure function, so that tests can cover every
// combination.
// Invariants: a command that the guard refuses runs in no mode; `full` never asks; reading needs no permission.

import type { Judgement } from '../guard/verdict.ts';
import type { ToolEffect } from '../../agent/tool.ts';
import { isMcpToolName } from '../../mcp/tool-name.ts';
import type { Grant } from './grant.ts';

/**
 * `piped`: a run that cannot ask the user and was started without a mode. `refuse`: like `ask`, but what would be asked is
 * refused.
 */
export type PermissionMode = 'ask' | 'auto-edit' | 'read-only' | 'full' | 'piped' | 'refuse';

export interface PermissionCase {
  readonly mode: PermissionMode;
  readonly effect: ToolEffect;
  readonly grant: Grant;
  /** The guard's judgement; only for commands. */
  readonly judgement?: Judgement;
  /** Commands run in a sandbox. */
  readonly hasSandbox: boolean;
  /** The user has replied "always" to this before. */
  readonly isRemembered: boolean;
}

export type PermissionDecision =
  | { readonly action: 'allow' }
  | { readonly action: 'ask'; readonly reason: string }
  | { readonly action: 'refuse'; readonly reason: string };

const allow: PermissionDecision = { action: 'allow' };

export function decide(each: PermissionCase): PermissionDecision {
  const { mode, effect, judgement, isRemembered } = each;
  if (judgement?.verdict === 'refuse') return refusal(`the guard refuses it (${judgement.reason})`);
  // A subagent's own calls are decided one by one.
  if (effect !== 'mutating' || mode === 'full') return allow;
  if (mode === 'read-only') return refusal('this run is read-only (--permission read-only)');
  if (isRemembered) return allow;
  if (mode === 'piped') return decideUnwatched(each);
  if (mode === 'auto-edit' && each.grant.kind === 'edit') return allow;
  const reason = reasonToAsk(each);
  if (mode === 'refuse')
    return refusal(`it needs permission (${reason}) and the permission mode is to refuse instead of asking`);
  return { action: 'ask', reason };
}

function decideUnwatched({ grant, judgement, hasSandbox }: PermissionCase): PermissionDecision {
  if (grant.kind === 'edit') return allow;
  if (grant.kind === 'tool')
    return refusal(`${grant.name} needs permission and this run cannot ask the user; ${fullFlag}`);
  if (!hasSandbox) return refusal(`there is no sandbox, and this run cannot ask the user; ${fullFlag}`);
  if (judgement?.verdict === 'allow') return allow;
  return refusal(
    `it needs permission (${judgement?.reason ?? 'it was not judged'}) and this run cannot ask the user; ${fullFlag}`,
  );
}

export const fullFlag = '--permission full allows it';

function reasonToAsk({ grant, judgement, hasSandbox }: PermissionCase): string {
  if (grant.kind === 'edit') return 'changes a file';
  if (grant.kind === 'tool')
    return isMcpToolName(grant.name) ? 'a tool of an MCP server' : 'a tool that may change things';
  if (judgement?.verdict === 'ask') return judgement.reason;
  return hasSandbox ? 'runs a command in the sandbox' : 'runs a command without a sandbox';
}

function refusal(reason: string): PermissionDecision {
  return { action: 'refuse', reason };
}
