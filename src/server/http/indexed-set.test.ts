// An indexed set behaves like a `Set`, whatever is added and removed.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import * as fc from 'fast-check';

import { IndexedSet, type Indexed } from './indexed-set.ts';

interface Member extends Indexed {
  readonly name: number;
}

function createMember(name: number): Member {
  return { name, index: -1 };
}

test('an indexed set has the same members as a `Set`', () => {
  const step = fc.record({ comes: fc.boolean(), name: fc.nat(20) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const members = Array.from({ length: 21 }, (_, name) => createMember(name));
      const [roster, set] = [new IndexedSet<Member>(), new Set<Member>()];
      for (const { comes, name } of steps) {
        const member = members[name]!;
        if (comes && !set.has(member)) {
          roster.add(member);
          set.add(member);
        } else if (!comes) {
          roster.delete(member);
          set.delete(member);
        }
        assert.equal(roster.size, set.size);
      }
      assert.deepEqual(new Set(roster), set);
    }),
  );
});

test('members may be removed during iteration', () => {
  const roster = new IndexedSet<Member>();
  for (let name = 0; name < 5; name += 1) roster.add(createMember(name));
  const seen: number[] = [];
  for (const member of roster) {
    seen.push(member.name);
    roster.delete(member);
  }
  assert.deepEqual(seen, [0, 1, 2, 3, 4]);
  assert.equal(roster.size, 0);
});
