// The states of the machine, and the transitions that its parts return.

import type { ContainerFrame } from './frame.ts';
import type { Tree } from './tree.ts';

/** What is expected next. */
export type State = 'prose' | 'key' | 'colon' | 'value' | 'next' | 'string' | 'word' | 'block';

/** The result of a step: the next state, the `same` state, or `more` text needed. */
export type Transition = State | 'same' | 'more';

/** The state after a completed value. */
export function afterValue(tree: Tree): State {
  return tree.frame === undefined ? 'prose' : 'next';
}

/** Prepares the container for its next child. */
export function expectChild(tree: Tree, frame: ContainerFrame): State {
  tree.expectChild(frame);
  return frame.node.kind === 'object' ? 'key' : 'value';
}

/** Adds a missing value. */
export function addMissingValue(tree: Tree): State {
  tree.addMissing();
  return afterValue(tree);
}
