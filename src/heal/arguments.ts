// Healing and checking of tool-call arguments. The one rule for healed ones: a tool with an effect runs only with what
// the model wrote. Notation may be corrected and types converted; content that would have to be completed, chosen,
// dropped or guessed is refused. Which changes those are is a column of the table in flag.ts.

import { formatPath, HealError } from './report/error.ts';
import { isGuess, type Flag, type PathKey } from './report/flag.ts';
import { heal, healInTurns } from './heal.ts';
import type { HealOptions, HealResult } from './option.ts';
import type { InferOutput, SchemaInput } from './schema/schema-input.ts';

export interface ArgumentOptions extends HealOptions {
  /** For a tool without an effect: a wrong guess does no harm there. */
  readonly mayGuess?: boolean;
}

/** Throws `HealError`, of the kind `guess` when the arguments can be read only by guessing. */
export function healArguments<const S extends SchemaInput>(
  text: string,
  schema: S,
  { mayGuess = false, ...options }: ArgumentOptions = {},
): HealResult<InferOutput<S>> {
  const result = heal<SchemaInput>(toObjectText(text), schema, options);
  if (!mayGuess) throwOnGuess(result);
  return result as HealResult<InferOutput<S>>;
}

/** The same, with a pause between slices of a long text, as `healInTurns` does. */
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
 * Arguments as a tool takes them: defaults of the schema are filled in, dates and big integers are decoded, and a
 * library's own validation runs. Repairs nothing: throws `HealError` for a value that does not match the schema.
 * `mayGuess`: an integer may be too large to be exact.
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
  const problem = `it does not match the tool's schema (${listChanges(repairs)})`;
  throw new HealError('strict', problem, { ...result, path: first.path });
}

/** Not a repair: the value is valid, and this is how its schema's type is made from it. */
function isDecoding({ kind, from, to }: Flag): boolean {
  if (kind === 'type-coercion') return from === 'string' && to === 'date';
  return kind === 'used-default-value' || kind === 'unchecked-pattern';
}

/** A tool without parameters is called with no text at all. */
function toObjectText(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

function throwOnGuess(result: HealResult): void {
  const [first, ...others] = result.flags.filter(isGuess);
  if (first === undefined) return;
  throw new HealError('guess', describeGuesses([first, ...others]), { ...result, path: first.path });
}

/** A flag, as messages carry it. */
interface FlagSummary {
  readonly kind: string;
  readonly path: readonly PathKey[];
}

const maxListed = 5;

/** Names the changes that were refused: `closed-truncated at content`. */
export function describeGuesses(guesses: readonly FlagSummary[]): string {
  return `it is incomplete or ambiguous, and completing it would be a guess (${listChanges(guesses)})`;
}

function listChanges(changes: readonly FlagSummary[]): string {
  const named = new Set(changes.map(({ kind, path }) => (path.length === 0 ? kind : `${kind} at ${formatPath(path)}`)));
  const more = named.size > maxListed ? `, and ${named.size - maxListed} more` : '';
  return `${[...named].slice(0, maxListed).join(', ')}${more}`;
}
