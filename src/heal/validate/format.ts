// The JSON Schema formats that are checked. Every check takes linear time.

const expressions: Readonly<Record<string, RegExp>> = {
  'date': /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/,
  'time': /^\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i,
  'date-time': /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i,
  'uri': /^[a-z][a-z\d+.-]*:\S+$/i,
  'uuid': /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
  'ipv4': /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
};

const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ...Object.entries(expressions).map(([name, form]) => [name, (text: string) => form.test(text)] as const),
  ['email', isEmail],
]);

/** An unknown format accepts every text. */
export function hasFormat(text: string, format: string): boolean {
  return formats.get(format)?.(text) ?? true;
}

/**
 * Requires one `@` with text before it, and a dot inside the part after it. A single regular expression would be
 * quadratic.
 */
function isEmail(text: string): boolean {
  const at = text.indexOf('@');
  if (at < 1 || text.includes('@', at + 1) || /\s/.test(text)) return false;
  const dot = text.indexOf('.', at + 2);
  return dot !== -1 && dot < text.length - 1;
}
