// Heals and checks the arguments of tool calls. A tool with side effects only ever receives what the model wrote:
// healing may correct notation and convert types, but it throws if content would have to be completed, chosen, dropped
// or guessed. The `isGuess` column in report/flag.ts says which changes those are.

import { formatPath, HealError } from './report/error.ts';
import { isGuess, type Flag, type PathKey } from './report/flag.ts';
import { heal, healInTurns } from './heal.ts';
import type { HealOptions, HealResult } from './option.ts';
import type { InferOutput, SchemaInput } from './schema/schema-input.ts';

export interface ArgumentOptions extends HealOptions {
  /** Accept guesses. Only for tools without side effects, where a wrong guess does no harm. */
  readonly mayGuess?: boolean;
}

/** Throws `HealError`, with kind `guess` if the arguments can only be read by guessing. */
export function healArguments<const S extends SchemaInput>(
  text: string,
  schema: S,
  { mayGuess = false, ...options }: ArgumentOptions = {},
): HealResult<InferOutput<S>> {
  const result = heal<SchemaInput>(toObjectText(text), schema, options);
  if (!mayGuess) throwOnGuess(result);
  return result as HealResult<InferOutput<S>>;
}

/** Like `healArguments`, but pauses between slices of a long text, as `healInTurns` does. */
export async function healArgumentsInTurns(
  text: string,
  schema: SchemaInput,
  { mayGuess = false, ...options }: ArgumentOptions,
  pause: () => Promise<void>,
): Promise<HealResult> {
  const result = await healInTurns(toObjectText(text), schema, options, pause);
  if (!mayGuess) throwOnGuess(result);
  return result;
}

/**
 * Converts valid arguments to what the tool expects: fills in defaults, decodes dates and big integers, and runs the
 * schema library's own validation. Repairs nothing: throws `HealError` if the value does not match the schema. With
 * `mayGuess`, an integer may be too large to be represented exactly.
 */
export function checkArguments<const S extends SchemaInput>(
  input: unknown,
  schema: S,
  { mayGuess = false }: Pick<ArgumentOptions, 'mayGuess'> = {},
): InferOutput<S> {
  const result = heal<SchemaInput>(JSON.stringify(input) ?? '', schema, { minConfidence: 0 });
  const repairs = result.flags.filter((flag) => !isDecoding(flag) && !(mayGuess && flag.kind === 'precision-lost'));
  const [first] = repairs;
  if (first === undefined) return result.value as InferOutput<S>;
  const problem = `the arguments do not match the tool's schema (${listChanges(repairs)})`;
  throw new HealError('strict', problem, { ...result, path: first.path });
}

/** A conversion to what the schema describes, not a repair: the value was already valid. */
function isDecoding({ kind, from, to }: Flag): boolean {
  if (kind === 'type-coercion') return from === 'string' && to === 'date';
  return kind === 'used-default-value' || kind === 'dropped-field' || kind === 'unchecked-pattern';
}

/** Models call a tool without parameters with empty arguments. */
function toObjectText(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

/** Throws a `HealError` of kind `guess` if content was completed, chosen, dropped or guessed. */
export function throwOnGuess(result: HealResult): void {
  const [first, ...others] = result.flags.filter(isGuess);
  if (first === undefined) return;
  throw new HealError('guess', describeGuesses([first, ...others]), { ...result, path: first.path });
}

/** The parts of a flag that a message mentions. */
interface FlagSummary {
  readonly kind: string;
  readonly path: readonly PathKey[];
}

const maxListed = 5;

/** Lists the changes that would be guesses, for example `closed-truncated at content`. */
export function describeGuesses(guesses: readonly FlagSummary[]): string {
  return `the arguments are incomplete or ambiguous, and completing them would be a guess (${listChanges(guesses)})`;
}

function listChanges(changes: readonly FlagSummary[]): string {
  const named = new Set(changes.map(({ kind, path }) => (path.length === 0 ? kind : `${kind} at ${formatPath(path)}`)));
  const more = named.size > maxListed ? `, and ${named.size - maxListed} more` : '';
  return `${[...named].slice(0, maxListed).join(', ')}${more}`;
}
