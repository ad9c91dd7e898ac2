// Values of the wrong type, as programs in JavaScript and JSON from other languages contain them.

import assert from 'node:assert/strict';

import { SimpleAgentsError } from '../../src/core/error.ts';

export const wrongValues: readonly unknown[] = [
  null,
  0,
  -1,
  1.5,
  NaN,
  true,
  false,
  '',
  'x',
  [],
  [1],
  [null],
  [[]],
  {},
  { a: 1 },
  [{}],
  [{ name: 'f' }],
  [{ name: 1, inputSchema: {} }],
  [{ name: 'f', inputSchema: 3 }],
  [{ type: 'opaque' }],
];

const expectedKinds: readonly string[] = ['bad-request', 'configuration', 'not-found', 'timeout', 'healing'];

/** Rejects unless the call succeeds or names a member. */
export async function accepts(member: string | undefined, run: () => unknown): Promise<void> {
  try {
    await run();
  } catch (error) {
    assert.ok(error instanceof SimpleAgentsError, String(error));
    const { kind, field, message } = error;
    assert.ok(expectedKinds.includes(kind), `${kind}: ${message}`);
    if (member !== undefined && kind === 'bad-request') assert.ok(message.includes(member), message);
    if (field !== undefined) assert.ok(message.includes(field), message);
  }
}
