// Names as people and models vary them: case, accents, and the marks between words do not tell names apart.

const combining = /\p{M}/gu;
const separators = /[\s_\-.]/gu;

/** The name asked for last: one name is often held against many schemas in a row. */
let last = { name: '', normal: '' };

/** Equal for names that differ only in case, accents, width, and `_ - . ` and spaces. */
export function normaliseName(name: string): string {
  if (last.name !== name) last = { name, normal: normalise(name) };
  return last.normal;
}

function normalise(name: string): string {
  return name.normalize('NFKD').replace(combining, '').toLowerCase().replaceAll('ß', 'ss').replace(separators, '');
}
