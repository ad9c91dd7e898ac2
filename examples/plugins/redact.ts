// A plugin that adds the guardrail `redact`: it replaces e-mail addresses, card numbers and texts of your own in everything
// that a model writes. It works on streams too: the end of the text is held back until it is certain.

import type { PluginApi, TextFilter } from '../../src/exports/gateway.ts';

export const apiVersion = 1;

interface Settings {
  readonly words: readonly string[];
  readonly replacement: string;
}

export function register(api: PluginApi): void {
  api.addGuardrail({
    name: 'redact',
    settings: {
      type: 'object',
      properties: {
        words: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 100 }, default: [] },
        replacement: { type: 'string', default: '[redacted]' },
      },
      additionalProperties: false,
    },
    create: (settings) => createFilter(settings as Settings),
  });
}

const email = String.raw`[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}`;
const card = String.raw`(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)`;

function createFilter({ words, replacement }: Settings): TextFilter {
  const literal = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const pattern = new RegExp([...literal, email, card].join('|'), 'gi');
  return {
    // The longest text that the patterns need to see: an e-mail address.
    window: 400,
    *find(text, from) {
      pattern.lastIndex = from;
      for (const { index, 0: found } of text.matchAll(pattern)) {
        yield { start: index, end: index + found.length, replacement };
      }
    },
  };
}
