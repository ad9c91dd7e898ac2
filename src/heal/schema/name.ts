// Normalises names, so that they match regardless of case, accents and separators.

const combining = /\p{M}/gu;
const separators = /[\s_\-.]/gu;

/** The last result. The same name is often compared with many schemas in a row. */
let last = { name: '', normal: '' };

/** Two names have the same normal form if they differ only in case, accents, width, spaces and `_`, `-`, `.`. */
export function normaliseName(name: string): string {
  if (last.name !== name) last = { name, normal: normalise(name) };
  return last.normal;
}

function normalise(name: string): string {
  return name.normalize('NFKD').replace(combining, '').toLowerCase().replaceAll('ß', 'ss').replace(separators, '');
}
