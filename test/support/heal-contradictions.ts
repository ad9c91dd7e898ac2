// Cases of other projects' test suites that we do not follow, by index in the corpus file, each with the reason. A
// contradiction is a case that one of our rules forbids: a numbered policy, or a rule that holds for all of healing. A
// quirk is a case that none of our rules decides; quirks count as failures.

export interface Contradiction<Case = number> {
  /** The number of the policy, or the name of the rule. */
  readonly rule: number | Rule;
  readonly why: string;
  readonly cases: readonly Case[];
}

export type Rule =
  /** Valid JSON is never changed. */
  | 'valid JSON'
  /** Line breaks and other characters in a string are part of it. */
  | 'characters survive'
  /** Text around a value is skipped. */
  | 'prose'
  /** Literals of JSON, Python and JavaScript are read, also at the top level. */
  | 'literals'
  /** A text without a value is an error, not an empty value. */
  | 'no-value'
  /** Nesting is not limited by the stack. */
  | 'depth'
  /** The case tests an option, or a combination of options, that we do not have. */
  | 'option';

export interface Quirk {
  readonly why: string;
  readonly cases: readonly number[];
}

export interface Exceptions {
  readonly contradictions: readonly Contradiction[];
  readonly quirks: readonly Quirk[];
}

/** Both ends included. */
function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

/** By the id of the case. */
export const bamlContradictions: readonly Contradiction<string>[] = [
  { rule: 16, why: 'a missing list is not an empty one', cases: ['test_class::test_ekinsdrow'] },
];

export const jsonrepairExceptions: Exceptions = {
  contradictions: [
    { rule: 1, why: 'values in a row make a list only where a list is wanted', cases: [389, ...range(391, 398)] },
    { rule: 1, why: 'of two values one is chosen; it refuses', cases: [408] },
    { rule: 3, why: 'a key without colon and value is null; it refuses', cases: [406, 409] },
    { rule: 3, why: 'a minus alone is a missing value; it makes it 0', cases: [372, 375] },
    { rule: 4, why: 'an open string keeps its commas and its plus', cases: [74, 82, 88, 356, 357] },
    { rule: 18, why: 'numbers with leading zeros are numbers; it makes them strings', cases: [336, 337, 343, 344] },
    { rule: 18, why: 'numbers with leading zeros are numbers; it makes them strings', cases: range(399, 404) },
    { rule: 18, why: 'an invalid escape keeps its characters; it refuses', cases: [412, 413, 414] },
    { rule: 20, why: 'NUL and other control characters survive; it refuses', cases: [415, 416] },
    { rule: 'prose', why: 'words around the value are passed over; it refuses', cases: [240, 410, 411] },
  ],
  quirks: [
    { why: 'a comment ends a string that has no end quote', cases: [91, 92, 93] },
    { why: 'a string without end quote, joined with the next', cases: [355] },
    { why: 'a lone minus or point is 0', cases: [328, 345] },
    { why: 'a member without a key is refused', cases: [407] },
    { why: 'a regular expression is a text', cases: [348] },
    { why: 'half a key is a key', cases: [103, 116] },
    { why: 'two braces in a list are two objects', cases: [292] },
  ],
};

export const jsonRepairPyExceptions: Exceptions = {
  contradictions: [
    { rule: 1, why: 'several values: one is chosen; it makes a list of them', cases: [15, 17, 18, 19, 164] },
    { rule: 2, why: 'strict: the fast path does not look for keys that occur twice', cases: [431] },
    { rule: 3, why: 'a missing value is null; it makes it an empty string', cases: [32, 150, 162] },
    { rule: 3, why: 'a missing value is not made up: 0, false, empty text', cases: [314] },
    { rule: 3, why: 'an optional field without a value is left out; it makes it an empty list', cases: [346] },
    { rule: 3, why: 'members without a value are null; it refuses', cases: [398] },
    {
      rule: 3,
      why: 'a key without a value is null; it makes it an item, or takes what follows for it',
      cases: [103, 160],
    },
    { rule: 3, why: 'a key without a value is null; it makes it an empty string', cases: [148] },
    { rule: 4, why: 'an open string is kept completely; it trims or splits the text', cases: [36, 37, 46] },
    { rule: 4, why: 'an open string is kept completely; it looks for keys inside', cases: [201, 202, 203, 204, 301] },
    { rule: 6, why: 'an incomplete escape is dropped; it keeps the backslash', cases: [35] },
    { rule: 11, why: 'a list inside a string is parsed', cases: [331] },
    { rule: 12, why: 'a list where one is wanted: an element is taken; it refuses', cases: [413] },
    { rule: 16, why: 'what is required and missing takes its default; it refuses', cases: [315] },
    { rule: 16, why: 'what is required and missing is not made up from constants and examples', cases: [410] },
    { rule: 16, why: 'a missing list is not an empty one', cases: [409] },
    { rule: 17, why: 'an item that does not fit is dropped; it refuses', cases: [392] },
    { rule: 18, why: 'an invalid escape keeps its character, not its backslash', cases: [206, 217, 218] },
    { rule: 19, why: 'a quote inside an item is text; it makes two items', cases: [78, 79, 80] },
    { rule: 19, why: 'a quote inside a string is text, the last one ends it', cases: [122, 129] },
    {
      rule: 'valid JSON',
      why: 'the text is valid; it cuts off white space, or unescapes once more',
      cases: [230, 298],
    },
    {
      rule: 'characters survive',
      why: 'it cuts off the line break at the end of a string',
      cases: [208, ...range(231, 240), ...range(243, 272), ...range(347, 356), ...range(359, 384)],
    },
    { rule: 'characters survive', why: 'a fence inside a string is text; it parses it', cases: [228] },
    { rule: 'characters survive', why: 'a bare string keeps its commas', cases: [133] },
    { rule: 'literals', why: 'True and null alone are values; it takes them for nothing', cases: [283, 284, 285] },
    {
      rule: 'literals',
      why: 'a string alone is a value; it takes it for nothing',
      cases: [172, 205, 320, 342, 343],
    },
    { rule: 'no-value', why: 'nothing is nothing; it gives an empty string', cases: [47, 81, 118, 170, 171] },
    { rule: 'depth', why: 'it refuses deep nesting', cases: [33] },
    { rule: 'option', why: 'strict with a schema is refused', cases: [317] },
    { rule: 'option', why: 'a mode that needs a schema', cases: [415] },
    { rule: 'option', why: 'a mode in which strings are not parsed as objects', cases: [327] },
    { rule: 'option', why: 'strict: an empty key is refused', cases: [432] },
    { rule: 'option', why: 'the schema could not be recorded', cases: [338, 339] },
  ],
  quirks: [
    { why: 'an object that was only opened is left out', cases: [45] },
    { why: 'a key that was cut off becomes a list of its own', cases: [67] },
    { why: 'on one line, a comment of // hides the rest', cases: [83] },
    { why: 'a quote before a word ends a string that has no other', cases: [299] },
    { why: 'four quotes where a key should be begin a new object', cases: [145] },
    { why: 'escapes of different depth in one string are evened out', cases: [149] },
    { why: 'words in braces become a list, with the brace', cases: [159] },
    { why: 'a quote in a word without quotes ends it', cases: [311] },
    { why: 'a list becomes an object by position', cases: [397] },
  ],
};
