// Names as people and models vary them: case, accents, and the marks between words do not tell names apart.

const combining = /\p{M}/gu;
const separators = /[\s_\-.]/gu;

/** Equal for names that differ only in case, accents, width, and `_ - . ` and spaces. */
export function normaliseName(name: string): string {
  return name.normalize('NFKD').replace(combining, '').toLowerCase().replaceAll('ß', 'ss').replace(separators, '');
}
