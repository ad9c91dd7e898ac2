// Words from a command line as a value of a file. What the words cannot mean is left as it is, for the check of the
// file to say what is wrong with it.

import { parseToml } from '../core/toml.ts';
import type { ConfigField, FieldType } from './schema/definition.ts';

/** Types that are written as a string in the file. */
const texts: ReadonlySet<FieldType> = new Set(['string', 'URL', 'path', 'choice', 'duration', 'map of strings']);

export async function parseCliValue(words: readonly string[], { type }: ConfigField): Promise<unknown> {
  const text = words.join(' ');
  if (texts.has(type)) return text;
  if (type === 'list of strings' && !text.trim().startsWith('[')) {
    return words.flatMap((word) => word.split(',')).map((word) => word.trim());
  }
  try {
    return (await parseToml(`value = ${text}`, 'value'))['value'];
  } catch {
    return text;
  }
}
