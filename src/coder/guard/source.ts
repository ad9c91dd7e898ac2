// Texts between shells: what a substitution leaves of an output, and the source a nested shell gets.

import { tame, textField, type ShellField } from './field.ts';
import type { Output } from './judge-context.ts';
import type { Shell } from './shell.ts';

/** Substitutions lose the line ends at their end. */
export function trimmed(output: Output): ShellField {
  const last = output.at(-1);
  if (last?.kind !== 'text') return output;
  const text = last.text.replace(/\n+$/, '');
  return [...output.slice(0, -1), ...textField(text)];
}

/** The text a nested shell gets, with a variable for what is unknown but harmless. */
export function toSource(code: ShellField, shell: Shell): string | undefined {
  let text = '';
  for (const piece of code) {
    if (piece.kind !== 'unknown') text += piece.text;
    else if (piece.origin === 'number') text += '0';
    else if (piece.origin === 'environment' && piece.name !== undefined) text += `\${${piece.name}}`;
    else if (piece.origin === 'tame') text += '${__tame}';
    else return undefined;
  }
  if (text.includes('${__tame}')) shell.variables.set('__tame', [[[tame]]]);
  return text;
}
