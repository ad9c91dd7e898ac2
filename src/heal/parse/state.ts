// What the machine expects next, and how its parts tell it.

import type { ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';

/** What is expected next. */
export type State = 'prose' | 'key' | 'colon' | 'value' | 'next' | 'string' | 'word' | 'block';

/** What a step came to: the state that follows, the `same` as before, or that `more` text is needed. */
export type Transition = State | 'same' | 'more';

/** A value is complete. */
export function afterValue(tree: Tree): State {
  return tree.frame === undefined ? 'prose' : 'next';
}

/** A child of the container comes next. */
export function expectChild(tree: Tree, frame: ContainerFrame): State {
  tree.expectChild(frame);
  return frame.node.kind === 'object' ? 'key' : 'value';
}

/** A value should be here, and is not. */
export function missValue(tree: Tree): State {
  tree.addMissing();
  return afterValue(tree);
}
