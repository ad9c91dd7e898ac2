// Recognises what a model repeats from its prompt instead of filling it in: names of types as values, the choices of a
// value, a JSON Schema.

import type { Node } from '../parse/node.ts';

const typeName = /^(?:string|number|integer|int|float|boolean|bool)(?:\[\])?$/i;

/**
 * `{"name": string, "tags": [string]}`: every unquoted word is the name of a type. Children for which `isExempt` returns
 * true do not count.
 */
export function hasOnlyTypeNames({ children }: Node, isExempt?: (index: number) => boolean): boolean {
  const words = children.filter((child, index) => isUnquotedWord(child) && isExempt?.(index) !== true);
  return words.length > 0 && words.every(({ raw }) => typeName.test(raw));
}

/** `{"type": "string"}` in place of a value. */
export function isTypeDeclaration({ keys: [key], children: [child] }: Node): boolean {
  return key === 'type' && typeof child?.value === 'string' && typeName.test(child.value);
}

const choices = /^[^"]+(?:" (?:or|\|) "[^"]+)+$/;

/** `"celsius" or "fahrenheit"`, read as a string with unescaped quotes inside. */
export function isListOfChoices(text: string): boolean {
  return text.includes('" ') && choices.test(text);
}

function isUnquotedWord({ kind, bare }: Node): boolean {
  return kind === 'string' && bare;
}
