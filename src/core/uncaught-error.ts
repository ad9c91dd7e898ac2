// An uncaught error as a log record. The thrown value may be anything, and describing it never throws.

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
