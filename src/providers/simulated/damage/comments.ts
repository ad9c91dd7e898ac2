// Comments and signs of omission, which JSON does not have.

import { extra, places, replace, type Draft } from './draft.ts';
import type { Kind } from './kind.ts';
import type { Random } from '../random.ts';
import { atEnd, before, isFilled } from './marks.ts';

const remarks = ['see above', 'as asked', 'example value', 'the default'];
/** Remarks that look like JSON to whoever does not see the comment. */
const trickyRemarks = ["don't change {this}", 'was "old": [1, 2]', 'e.g. {"a": 1}, or so', 'optional, may be "none"'];

export const commentKinds = {
  'line-comment': comment((remark) => ` // ${remark}\n`, remarks),
  'block-comment': comment((remark) => ` /* ${remark} */ `, remarks),
  'hash-comment': comment((remark) => ` # ${remark}\n`, remarks),
  'tricky-line-comment': comment((remark) => ` // ${remark}\n`, trickyRemarks),
  'tricky-block-comment': comment((remark) => `/* ${remark} */`, trickyRemarks),
  'tricky-hash-comment': comment((remark) => ` # ${remark}\n`, trickyRemarks),
  'comment-before-comma': {
    phase: 'place',
    damage: (draft, random) => {
      const found = places(draft, ({ role }) => role === 'comma');
      return found.length === 0 ? undefined : before(draft, random.pick(found), ` /* ${random.pick(remarks)} */`);
    },
  },
  'comment-at-end': {
    phase: 'place',
    damage: (draft, random) => {
      const found = places(draft, (token, index) => token.role === 'close' && isFilled(draft, index));
      return found.length === 0 ? undefined : atEnd(draft, random.pick(found), ` // ${random.pick(remarks)}\n`);
    },
  },
  'comments': {
    phase: 'notation',
    damage: (draft, random) => {
      let isChanged = false;
      const tokens = draft.tokens.flatMap((token) => {
        if (token.role !== 'comma') return [token];
        isChanged = true;
        return [token, extra(` // ${random.pick(remarks)}\n`)];
      });
      return isChanged ? { ...draft, tokens } : undefined;
    },
  },
  'ellipsis-in-list': ellipsis(']', ['...', '…', '// ... and so on\n']),
  'ellipsis-in-object': ellipsis('}', ['...', '…', '// ... more fields\n']),
} as const satisfies Readonly<Record<string, Kind>>;

function comment(form: (remark: string) => string, from: readonly string[]): Kind {
  return {
    phase: 'place',
    damage: (draft, random) => {
      const found = places(draft, ({ role }) => role === 'open' || role === 'comma' || role === 'colon');
      if (found.length === 0) return undefined;
      const index = random.pick(found);
      return replace(draft, index, draft.tokens[index]!, extra(form(random.pick(from))));
    },
  };
}

/** "And so on" after the last item: nothing follows from it, so the value is what is written. */
function ellipsis(closer: ']' | '}', signs: readonly string[]): Kind {
  return {
    phase: 'place',
    damage: (draft: Draft, random: Random) => {
      const found = places(draft, (token, index) => token.text === closer && token.role === 'close' && isFilled(draft, index));
      if (found.length === 0) return undefined;
      const index = random.pick(found);
      const space = draft.tokens[index - 1];
      const gap = space?.role === 'space' ? `${space.text}  ` : ' ';
      return atEnd(draft, index, `,${gap}${random.pick(signs)}`);
    },
  };
}
