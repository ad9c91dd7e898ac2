// When a server says to come back, in milliseconds from now. Neither clamped nor judged: that is a policy's business.

/** `retry-after-ms` is finer and therefore wins. A time that has passed means at once; garbage means nothing was said. */
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

/** One of the three forms of HTTP dates; they all begin with the day's name, and mean GMT even where they do not say so. */
function dateOf(text: string | undefined, now: number): number | undefined {
  if (text === undefined || !/^[a-z]{3,9},? .*\d\d:\d\d:\d\d/i.test(text.trim())) return undefined;
  const time = Date.parse(/GMT|UTC/.test(text) ? text : `${text} GMT`);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}
