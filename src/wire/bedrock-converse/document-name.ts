// The names of the documents of a request. The API accepts few characters in a name, and no name twice.

import type { Losses } from '../loss.ts';

const longestName = 200;

export class DocumentNames {
  readonly #taken = new Set<string>();
  readonly #losses: Losses;

  constructor(losses: Losses) {
    this.#losses = losses;
  }

  take(title = 'document'): string {
    const plain = toName(title) || 'document';
    if (plain !== title) this.#losses.add('the title of a document was changed to the characters that the API accepts');
    let name = plain;
    for (let number = 2; this.#taken.has(name); number++) name = `${plain} ${number}`;
    this.#taken.add(name);
    return name;
  }
}

/** Letters, digits, single spaces, hyphens, parentheses and square brackets. */
function toName(title: string): string {
  return title
    .replaceAll(/[^a-zA-Z0-9()[\]-]+/g, ' ')
    .trim()
    .slice(0, longestName - 4);
}
