// How `pattern` in a schema is checked. Healing brings no engine of its own: a developer's schema is matched by RegExp,
// a schema from outside by whatever engine the caller passes in.

/** Whether the pattern occurs in the text; `undefined` when that was not checked. */
export type PatternTest = (text: string) => boolean | undefined;

/** `undefined` for a pattern that cannot be checked with the meaning it has in JSON Schema. */
export type PatternCompiler = (pattern: string) => PatternTest | undefined;

/** May take exponential time: only for patterns that a developer wrote. */
export const regExpPatterns: PatternCompiler = (pattern) => {
  try {
    const expression = new RegExp(pattern, 'u');
    return (text) => expression.test(text);
  } catch {
    return undefined;
  }
};
