// Filters keys between the keyboard and readline, which treats every line break as Enter. Pasted text, whether the terminal
// marks it (bracketed paste) or it arrives in one chunk, becomes part of the line: its line breaks become marks, and a long
// text becomes a placeholder. A synchronous machine: keys in, keys for readline out; input may be split anywhere.

const pasteStart = '\u001b[200~';
const pasteEnd = '\u001b[201~';

/** Turn bracketed paste mode of the terminal on and off. */
export const markPastes = '\u001b[?2004h';
export const unmarkPastes = '\u001b[?2004l';

/** Stands for a line break inside a line. */
export const breakMark = '⏎';

/** readline measures the complete line again for every key, so longer texts would stall it. */
const longestInline = 400;

export class KeyFilter {
  readonly #pastes: string[] = [];
  /** The pasted text so far; undefined while keys are typed. */
  #paste: string | undefined;
  /** A possible beginning of a mark. */
  #carry = '';

  push(chunk: string): string {
    let rest = this.#carry + chunk;
    this.#carry = '';
    let keys = '';
    while (rest !== '') {
      const [before, after] = this.#split(rest);
      keys += this.#take(before, after !== undefined);
      rest = after ?? '';
    }
    return keys;
  }

  /** Restores the line breaks and the pasted texts of a line. */
  expand(line: string): string {
    const whole = line.replaceAll(/\[paste (\d+): \d+ lines?\]/g, (placeholder, number) => {
      return this.#pastes[Number(number) - 1] ?? placeholder;
    });
    return whole.replaceAll(breakMark, '\n');
  }

  /** The text before the next mark, and the text after it if there is one. */
  #split(text: string): [before: string, after?: string] {
    const isTyped = this.#paste === undefined;
    const mark = isTyped ? pasteStart : pasteEnd;
    const place = text.indexOf(mark);
    if (place >= 0) return [text.slice(0, place), text.slice(place + mark.length)];
    // A lone Escape is a key, not the beginning of a mark; inside a paste there are no keys.
    const begun = beginningOf(mark, text, isTyped ? 3 : 1);
    this.#carry = text.slice(text.length - begun);
    return [text.slice(0, text.length - begun)];
  }

  #take(text: string, isMarked: boolean): string {
    if (this.#paste === undefined) {
      if (isMarked) this.#paste = '';
      return this.#typed(text);
    }
    this.#paste += text;
    if (!isMarked) return '';
    const pasted = this.#paste;
    this.#paste = undefined;
    return this.#toInline(pasted);
  }

  /** A line break followed by text in the same chunk was not typed by hand. Alt-Enter is an intended line break. */
  #typed(text: string): string {
    const keys = text.replaceAll('\u001b\r', breakMark);
    if (!/[\r\n]\P{Cc}/u.test(keys)) return keys;
    const end = keys.search(/[\r\n]\p{Cc}*$/u);
    return end === -1 ? this.#toInline(keys) : this.#toInline(keys.slice(0, end)) + keys.slice(end);
  }

  #toInline(pasted: string): string {
    const text = pasted
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll(/[^\P{Cc}\n\t]/gu, '')
      .replace(/\n+$/, '');
    if (text.length <= longestInline) return text.replaceAll('\n', breakMark);
    this.#pastes.push(text);
    const lines = text.split('\n').length;
    return `[paste ${this.#pastes.length}: ${lines} ${lines === 1 ? 'line' : 'lines'}]`;
  }
}

/** The number of characters at the end that may begin the mark; fewer than `least` count as 0. */
function beginningOf(mark: string, text: string, least: number): number {
  for (let length = mark.length - 1; length >= least; length--) {
    if (text.endsWith(mark.slice(0, length))) return length;
  }
  return 0;
}
