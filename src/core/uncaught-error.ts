// A failure that nobody caught, as a record for a log. What was thrown may be anything, and describing it never throws.

export interface UncaughtRecord {
  readonly error: string;
  readonly stack?: string;
}

export function describeUncaught(thrown: unknown): UncaughtRecord {
  try {
    if (!(thrown instanceof Error)) return { error: String(thrown) };
    const { message, stack } = thrown;
    return stack === undefined ? { error: message } : { error: message, stack };
  } catch {
    return { error: `a value of type ${typeof thrown} that has no description` };
  }
}
