// How `pattern` keywords are checked. A developer's own schemas are matched by RegExp. For untrusted schemas the caller
// passes in a linear-time engine; healing has none of its own.

/** Whether the pattern occurs in the text; `undefined` if that could not be checked. */
export type PatternTest = (text: string) => boolean | undefined;

/** Returns `undefined` for a pattern whose JSON Schema meaning cannot be checked. */
export type PatternCompiler = (pattern: string) => PatternTest | undefined;

/** May take exponential time. Use it only for patterns that a developer wrote. */
export const regExpPatterns: PatternCompiler = (pattern) => {
  try {
    const expression = new RegExp(pattern, 'u');
    return (text) => expression.test(text);
  } catch {
    return undefined;
  }
};
