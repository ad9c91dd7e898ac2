// What a user may allow for good in a project, and what of it a call needs.

import { isRecord } from '../../core/json.ts';
import type { PolicyCall } from '../../agent/policy.ts';

/** `edit`: change files of the workspace. `command`: exactly this one. `tool`: one that came from elsewhere. */
export type Grant =
  | { readonly kind: 'edit' }
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'tool'; readonly name: string };

export function grantFor({ name, input }: PolicyCall): Grant {
  if (name === 'Edit' || name === 'Write') return { kind: 'edit' };
  if (name === 'Bash') return { kind: 'command', command: commandOf(input) };
  return { kind: 'tool', name };
}

export function commandOf(input: unknown): string {
  const command = isRecord(input) ? input['command'] : undefined;
  return typeof command === 'string' ? command : '';
}
