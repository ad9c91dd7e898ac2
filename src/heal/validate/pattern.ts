// How `pattern` keywords are checked. A developer's own schemas are matched by RegExp. For untrusted schemas the caller
// passes in a linear-time engine; healing has none of its own.

/** Whether the pattern occurs in the text; `undefined` if that could not be checked. */
export type PatternTest = (text: string) => boolean | undefined;

/** Returns `undefined` for a pattern whose JSON Schema meaning cannot be checked. */
export type PatternCompiler = (pattern: string) => PatternTest | undefined;

/** May take exponential time. Use it only for patterns that a developer wrote. */
export const regExpPatterns: PatternCompiler = (pattern) => {
  // Unicode mode rejects needless escapes such as `\_`, which many schemas have.
  const expression = compile(pattern, 'u') ?? compile(pattern, '');
  return expression && ((text) => expression.test(text));
};

function compile(pattern: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return undefined;
  }
}
