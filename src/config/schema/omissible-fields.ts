// The rule of `drop_fields`. It is apart from the other rules, because it needs the tables of the wires, and some commands
// start without them.

import { didYouMean } from '../../core/suggest.ts';
import { omissibleFields } from '../../providers/left-out-fields.ts';
import type { ValueRule } from './rules.ts';

export const checkOmissibleFields: ValueRule<readonly string[]> = (names) => {
  const unknown = names.find((name) => !omissibleFields.includes(name));
  if (unknown === undefined) return undefined;
  const hint = didYouMean(unknown, omissibleFields) || `; the fields are ${omissibleFields.join(', ')}`;
  return `cannot contain ${JSON.stringify(unknown)}, which is not a field that can be left out${hint}`;
};
