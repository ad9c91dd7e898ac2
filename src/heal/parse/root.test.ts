// Which roots are kept because they may still be chosen.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { createNode } from './node.ts';
import { chooseRoot, contenders, type Root } from './root.ts';

function root(size: number, fenced: boolean, thinkCount: number): Root {
  const node = createNode('object', 0, { value: {} });
  node.end = size;
  return { node, fenced, thinkCount, isThinking: false, marks: [], unlisted: undefined };
}

test('a dropped root would never have been chosen, whatever follows', () => {
  const kinds = [root(5, false, 0), root(9, false, 0), root(2, true, 0), root(3, false, 1), root(1, true, 1)];
  for (const first of kinds) {
    for (const second of kinds.filter(({ thinkCount }) => thinkCount >= first.thinkCount)) {
      for (const third of kinds.filter(({ thinkCount }) => thinkCount >= second.thinkCount)) {
        // As many `</think>` tags as before the last value, or one more.
        for (const last of [third.thinkCount, third.thinkCount + 1]) {
          const kept = chooseRoot([...contenders([first, second]), third], last);
          assert.equal(kept, chooseRoot([first, second, third], last));
        }
      }
    }
  }
});
