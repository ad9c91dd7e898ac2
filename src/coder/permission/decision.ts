// Whether a call may run, by the mode the user chose. Pure: everything it depends on comes in, so the whole matrix can be
// tested.
// Invariants: what the guard refuses runs in no mode; `full` never asks; reading needs no permission.

import type { Judgement } from '../guard/verdict.ts';
import type { ToolEffect } from '../../agent/tool.ts';
import type { Grant } from './grant.ts';

/** `piped` is a run nobody watches and that was started without a mode. */
export type PermissionMode = 'ask' | 'auto-edit' | 'read-only' | 'full' | 'piped';

export interface PermissionCase {
  readonly mode: PermissionMode;
  readonly effect: ToolEffect;
  readonly grant: Grant;
  /** What the guard says; only of commands. */
  readonly judgement?: Judgement;
  /** Commands run in a sandbox. */
  readonly hasSandbox: boolean;
  /** The user said "always" to this before. */
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
  if (effect === 'pure' || mode === 'full') return allow;
  if (mode === 'read-only') return refusal('this run may only read (--permission read-only)');
  if (isRemembered) return allow;
  if (mode === 'piped') return decideUnwatched(each);
  if (mode === 'auto-edit' && each.grant.kind === 'edit') return allow;
  return { action: 'ask', reason: reasonToAsk(each) };
}

function decideUnwatched({ grant, judgement, hasSandbox }: PermissionCase): PermissionDecision {
  if (grant.kind === 'edit') return allow;
  if (grant.kind === 'tool') return refusal(`nobody can be asked about ${grant.name}; ${fullFlag}`);
  if (!hasSandbox) return refusal(`there is no sandbox, and nobody can be asked; ${fullFlag}`);
  if (judgement?.verdict === 'allow') return allow;
  return refusal(`nobody can be asked about it (${judgement?.reason ?? 'it was not judged'}); ${fullFlag}`);
}

export const fullFlag = '--permission full allows it';

function reasonToAsk({ grant, judgement, hasSandbox }: PermissionCase): string {
  if (grant.kind === 'edit') return 'changes a file';
  if (grant.kind === 'tool') return 'a tool that may change something';
  if (judgement?.verdict === 'ask') return judgement.reason;
  return hasSandbox ? 'runs a command in the sandbox' : 'runs a command without a sandbox';
}

function refusal(reason: string): PermissionDecision {
  return { action: 'refuse', reason };
}
