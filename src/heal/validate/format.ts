// The JSON Schema formats that are checked. Every check takes linear time.

const expressions: Readonly<Record<string, RegExp>> = {
  'time': /^\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?$/i,
  'uri': /^[a-z][a-z\d+.-]*:\S+$/i,
  'uuid': /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i,
  'ipv4': /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/,
};

const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ...Object.entries(expressions).map(([name, form]) => [name, (text: string) => form.test(text)] as const),
  ['date', isDate],
  ['date-time', isDateTime],
  ['email', isEmail],
]);

/** An unknown format accepts every text. */
export function hasFormat(text: string, format: string): boolean {
  return formats.get(format)?.(text) ?? true;
}

/** A day that the calendar has. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  return /^.{10}[Tt ]/.test(text) && isDate(text.slice(0, 10)) && hasFormat(text.slice(11), 'time');
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
