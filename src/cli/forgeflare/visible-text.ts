// Makes every character of a text visible, for texts that the user decides about: control characters, zero-width characters,
// characters that change the text direction, and unusual spaces.

/** Matches everything except line breaks and tabs. Emoji keep their variation selectors (U+FE0E, U+FE0F). */
const invisible =
  /[^\P{Cc}\n\t]|[\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|[^\P{Zs} ]|[\u115f\u1160\u2800\u3164\uffa0]|\u034f|[\ufe00-\ufe0d]|[\u{e0100}-\u{e01ef}]/gu;

/** Keeps line breaks and tabs. A carriage return is shown like other control characters. */
export function toVisibleText(text: string): string {
  return text.replaceAll(invisible, nameOf);
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? '␡' : `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
