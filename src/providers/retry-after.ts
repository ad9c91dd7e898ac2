// Reads how long a server asks to wait before a retry, in milliseconds. The value is not clamped; policies decide about it.

/** `retry-after-ms` is more precise and therefore wins. A time in the past is 0; an invalid value is ignored. */
export function retryAfterOf(headers: Readonly<Record<string, string>>, now = Date.now()): number | undefined {
  return (
    numberOf(headers['retry-after-ms'], 1) ??
    numberOf(headers['retry-after'], 1000) ??
    dateOf(headers['retry-after'], now)
  );
}

function numberOf(text: string | undefined, unit: number): number | undefined {
  if (text === undefined || !/^[+-]?\d+(\.\d+)?$/.test(text.trim())) return undefined;
  return Math.max(0, Number(text) * unit);
}

/** Parses the three formats of HTTP dates. All begin with the name of the day and are in GMT, even without saying so. */
function dateOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined || !/^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i.test(text.trim())) return undefined;
  const time = Date.parse(/GMT|UTC/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
