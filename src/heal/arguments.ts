// Healing of tool-call arguments, and the one rule for them: a tool with an effect runs only with what the model wrote.
// Notation may be corrected and types converted; content that would have to be completed, chosen, dropped or guessed is
// refused. Which changes those are is a column of the table in flag.ts.

import { formatPath, HealError } from './error.ts';
import { isGuess, type PathKey } from './flag.ts';
import { heal, healInTurns } from './heal.ts';
import type { HealOptions, HealResult } from './option.ts';
import type { InferOutput, SchemaInput } from './standard.ts';

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
  if (!mayGuess) refuseGuesses(result);
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
  if (!mayGuess) refuseGuesses(result);
  return result;
}

/** A tool without parameters is called with no text at all. */
function toObjectText(text: string): string {
  return text.trim() === '' ? '{}' : text;
}

function refuseGuesses(result: HealResult): void {
  const [first, ...others] = result.flags.filter(isGuess);
  if (first === undefined) return;
  throw new HealError('guess', describeGuesses([first, ...others]), { ...result, path: first.path });
}

/** A flag, as messages carry it. */
interface Change {
  readonly kind: string;
  readonly path: readonly PathKey[];
}

const mostNamed = 5;

/** Names the changes that were refused: `closed-truncated at content`. */
export function describeGuesses(guesses: readonly Change[]): string {
  const named = new Set(guesses.map(({ kind, path }) => (path.length === 0 ? kind : `${kind} at ${formatPath(path)}`)));
  const more = named.size > mostNamed ? `, and ${named.size - mostNamed} more` : '';
  const list = [...named].slice(0, mostNamed).join(', ');
  return `it is incomplete or ambiguous, and completing it would be a guess (${list}${more})`;
}
