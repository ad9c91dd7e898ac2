// Makes characters visible that would otherwise change how text is shown: terminal escapes and bidirectional overrides.

/** Control, format and separator characters. */
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;
const controlPictures = 0x2400;
/** Joins letters and emoji, and says where a word may break. */
const harmless = new Set(['\n', '\t', '\u200c', '\u200d', '\u00ad']);

export function visibleText(text: string): string {
  return text.replaceAll(unseen, (character) => {
    if (harmless.has(character)) return character;
    const code = character.codePointAt(0) ?? 0;
    if (character === '\r') return '';
    if (code < 0x20) return String.fromCharCode(controlPictures + code);
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
}
