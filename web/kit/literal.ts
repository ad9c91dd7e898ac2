// Text as a literal of the languages in which the page shows commands.

/** For a POSIX shell. */
export function shellLiteral(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** For JavaScript, in single quotes if the text needs no escape. */
export function scriptLiteral(text: string): string {
  return /^[\w ./:@-]*$/.test(text) ? `'${text}'` : JSON.stringify(text);
}

/** For Python. Its escapes include those of JSON. */
export function pythonLiteral(text: string): string {
  return JSON.stringify(text);
}
