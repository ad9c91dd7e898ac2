// Grants: what a user can allow permanently in a project, and which grant a call needs.

import { isRecord } from '../../core/json.ts';
import type { PolicyCall } from '../../agent/policy.ts';

/** `edit`: change files of the workspace. `command`: run exactly this command. `tool`: call any other tool. */
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
