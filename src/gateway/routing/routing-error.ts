// What a caller is told when no target answered: one error that names them all. Its kind is that of the last failure
// that may pass by itself, if there is one, for then it is worth trying later; else that of the last.

import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';

export interface TargetFailure {
  readonly target: { readonly name: string };
  readonly error: SimpleAgentsError;
}

export function joinFailures(failures: readonly TargetFailure[]): SimpleAgentsError {
  const telling = failures.findLast(({ error }) => error.retryable) ?? failures.at(-1);
  if (telling === undefined) return new SimpleAgentsError('configuration', 'there is no target to ask');
  const { error } = telling;
  if (failures.length === 1) return error;
  const { kind, status, retryAfterMs, target, field, code, requestId } = error;
  const told = failures.map((failure) => `${failure.target.name}: ${failure.error.message}`);
  const details = { cause: error, status, retryAfterMs, target, field, code, requestId };
  return new SimpleAgentsError(kind, `no target answered. ${told.join('; ')}`, omitUndefined(details));
}
