// The lexer of marked with a bound: text that is nested deeper stays text, so neither the lexer nor the drawing of its
// tokens can run out of stack, and no text takes long.

import { getDefaults, Lexer, Tokenizer, type Token, type Tokens } from 'marked';

/** Quotations and lists inside each other count twice, styles once. People nest fewer than ten quotations. */
const deepest = 24;
/** Texts that are lexed on their own. Marked lexes a quotation again for each line that is quoted less deeply. */
const mostTexts = 3000;

export function lexMarkdown(text: string): Token[] {
  return new BoundedLexer(new Nesting()).lex(text);
}

class Nesting {
  depth = 0;

  within<T>(run: () => T): T {
    this.depth++;
    try {
      return run();
    } finally {
      this.depth--;
    }
  }
}

class BoundedLexer extends Lexer {
  readonly #nesting: Nesting;
  #texts = 0;

  constructor(nesting: Nesting) {
    super({ ...getDefaults(), tokenizer: new NestedTokenizer(nesting) });
    this.#nesting = nesting;
  }

  override blockTokens<List extends Token[]>(text: string, given?: List, isClipped?: boolean): List {
    const tokens: Token[] = given ?? [];
    return this.#bounded(text, tokens, () => super.blockTokens(text, tokens, isClipped)) as List;
  }

  override inlineTokens(text: string, tokens: Token[] = []): Token[] {
    return this.#bounded(text, tokens, () => super.inlineTokens(text, tokens));
  }

  #bounded(text: string, tokens: Token[], lex: () => Token[]): Token[] {
    if (this.#nesting.depth < deepest && ++this.#texts <= mostTexts) return this.#nesting.within(lex);
    tokens.push({ type: 'text', raw: text, text, escaped: false });
    return tokens;
  }
}

/** Quotations and lists also call each other without the lexer. */
class NestedTokenizer extends Tokenizer {
  readonly #nesting: Nesting;

  constructor(nesting: Nesting) {
    super();
    this.#nesting = nesting;
  }

  override blockquote(text: string): Tokens.Blockquote | undefined {
    return this.#nesting.within(() => super.blockquote(text));
  }

  override list(text: string): Tokens.List | undefined {
    return this.#nesting.within(() => super.list(text));
  }
}
