// Damage: comments and ellipses, which JSON does not have.

import { extra, type Token } from './draft.ts';
import { slip, type DamageDefinition } from './damage-definition.ts';
import { after, atEnd, before, isFilledCloser } from './marks.ts';

const remarks = ['see above', 'as asked', 'example value', 'the default'];
/** Remarks that look like JSON to a parser that does not recognize the comment. */
const trickyRemarks = ["don't change {this}", 'was "old": [1, 2]', 'e.g. {"a": 1}, or so', 'optional, may be "none"'];

export const commentKinds = {
  'line-comment': comment((remark) => ` // ${remark}\n`, remarks),
  'block-comment': comment((remark) => ` /* ${remark} */ `, remarks),
  'hash-comment': comment((remark) => ` # ${remark}\n`, remarks),
  'tricky-line-comment': comment((remark) => ` // ${remark}\n`, trickyRemarks),
  'tricky-block-comment': comment((remark) => `/* ${remark} */`, trickyRemarks),
  'tricky-hash-comment': comment((remark) => ` # ${remark}\n`, trickyRemarks),
  'comment-before-comma': slip(isComma, (draft, index, random) =>
    before(draft, index, ` /* ${random.pick(remarks)} */`),
  ),
  'comment-at-end': slip(isFilledCloser, (draft, index, random) =>
    atEnd(draft, index, ` // ${random.pick(remarks)}\n`),
  ),
  'comments': {
    phase: 'notation',
    damage: (draft, random) => {
      if (!draft.tokens.some(isComma)) return undefined;
      const remark = (): Token => extra(` // ${random.pick(remarks)}\n`);
      return { ...draft, tokens: draft.tokens.flatMap((token) => (isComma(token) ? [token, remark()] : [token])) };
    },
  },
  'ellipsis-in-list': ellipsis(']', ['...', '…', '// ... and so on\n']),
  'ellipsis-in-object': ellipsis('}', ['...', '…', '// ... more fields\n']),
} as const satisfies Readonly<Record<string, DamageDefinition>>;

function isComma({ role }: Token): boolean {
  return role === 'comma';
}

function comment(form: (remark: string) => string, from: readonly string[]): DamageDefinition {
  return slip(
    ({ role }) => role === 'open' || role === 'comma' || role === 'colon',
    (draft, index, random) => after(draft, index, form(random.pick(from))),
  );
}

/** An ellipsis after the last item. The value consists of the items that are written. */
function ellipsis(closer: ']' | '}', signs: readonly string[]): DamageDefinition {
  return slip(
    (token, index, draft) => token.text === closer && isFilledCloser(token, index, draft),
    (draft, index, random) => {
      const space = draft.tokens[index - 1];
      const gap = space?.role === 'space' ? `${space.text}  ` : ' ';
      return atEnd(draft, index, `,${gap}${random.pick(signs)}`);
    },
  );
}
