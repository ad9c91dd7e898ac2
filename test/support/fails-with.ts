// An expectation for `assert.throws` and `assert.rejects`: an error with a kind, a message and details.

import assert from 'node:assert/strict';
import { SimpleAgentsError, type ErrorKind } from '../../src/core/error.ts';

export function failsWith(kind: ErrorKind, message: RegExp, details: Partial<SimpleAgentsError> = {}) {
  return (error: unknown) => {
    assert.ok(error instanceof SimpleAgentsError, String(error));
    assert.match(error.message, message);
    assert.equal(error.kind, kind);
    for (const [name, value] of Object.entries(details)) {
      assert.equal(error[name as keyof SimpleAgentsError], value, name);
    }
    return true;
  };
}
