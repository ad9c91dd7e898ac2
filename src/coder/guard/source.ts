// Text passed between shells: the output that a substitution keeps, and the source code of a nested shell.

import { tame, textField, type ShellField } from './field.ts';
import type { Output } from './judge-context.ts';
import type { Shell } from './shell.ts';

/** A substitution removes trailing line breaks. */
export function trimmed(output: Output): ShellField {
  const last = output.at(-1);
  if (last?.kind !== 'text') return output;
  const text = last.text.replace(/\n+$/, '');
  return [...output.slice(0, -1), ...textField(text)];
}

/** The source of a nested shell, with a variable for each unknown but harmless piece. Undefined if code is unknown. */
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
