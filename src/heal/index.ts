// The face of healing, usable alone: `simple-agents/heal`.

export { alias, streamDone, streamNotNull, streamState } from './annotate.ts';
export {
  checkArguments,
  describeGuesses,
  healArguments,
  healArgumentsInTurns,
  type ArgumentOptions,
} from './arguments.ts';
export { HealBudget } from './budget.ts';
export { HealError, formatPath, type HealErrorKind } from './error.ts';
export { flagTable, flagWeights, isGuess, type Flag, type FlagKind, type PathKey } from './flag.ts';
export { heal, healInTurns } from './heal.ts';
export type { HealOptions, HealResult } from './option.ts';
export { healArgumentText, healText, type HealedArguments, type HealedEnd, type HealedText } from './commit.ts';
export type { DeepPartial, PartialOf } from './partial.ts';
export type { Patch } from './patch.ts';
export type { PatternCompiler, PatternTest } from './pattern.ts';
export type { JsonSchema } from './schema.ts';
export { checkSchemaSize } from './schema-size.ts';
export { healStream, type HealStream } from './stream.ts';
export type { NodeState, WithState } from './shown.ts';
export type { InferOutput, SchemaInput, StandardSchema } from './standard.ts';
