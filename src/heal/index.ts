// The public API of healing, exported as `simple-agents/heal`. Healing has no dependency on the rest of the package.

export { alias, streamDone, streamNotNull, streamState } from './schema/annotation.ts';
export {
  checkArguments,
  describeGuesses,
  healArguments,
  healArgumentsInTurns,
  type ArgumentOptions,
} from './arguments.ts';
export { HealBudget } from './budget.ts';
export { HealError, formatPath, type HealErrorKind } from './report/error.ts';
export { flagTable, isGuess, type Flag, type FlagKind, type PathKey } from './report/flag.ts';
export { flagWeights } from './report/flag-weights.ts';
export { heal, healInTurns, isValidText } from './heal.ts';
export type { HealOptions, HealResult } from './option.ts';
export {
  healArgumentText,
  healText,
  type HealedArguments,
  type HealedEnd,
  type HealedText,
  type HealTextOptions,
} from './stream/committed-text.ts';
export type { DeepPartial, PartialOf } from './stream/partial-type.ts';
export type { Patch } from './stream/patch.ts';
export type { PatternCompiler, PatternTest } from './validate/pattern.ts';
export type { JsonSchema } from './schema/schema.ts';
export { checkSchemaSize } from './schema/schema-size.ts';
export { findContradiction, healStream, type HealStream, type HealStreamOptions } from './stream/stream.ts';
export type { NodeState, WithState } from './stream/visibility.ts';
export type { InferOutput, SchemaInput, StandardSchema } from './schema/schema-input.ts';
