// Renders the table of flags in docs/healing.md from the examples. `node test/support/heal-flag-table.ts` prints it.

import { flagTable, flagWeights, type JsonSchema } from '../../src/heal/index.ts';
import { flagExamples, type FlagExample } from './heal-examples.ts';

const longest = 60;

export function renderFlagTable(): string {
  const head = '| flag | weight | arguments | meaning | text | schema | value |\n|---|---|---|---|---|---|---|';
  return [head, ...flagExamples.map(renderRow)].join('\n');
}

function renderRow({ flag, note, text, schema, value, refused, early }: FlagExample): string {
  const remark = refused === true ? ' (refused by default)' : early === true ? ' (`healText` only)' : '';
  const cells = [
    `\`${flag}\``,
    `${flagWeights[flag]}`,
    flagTable[flag].isGuess ? 'refused' : 'allowed',
    note + remark,
    code(text),
    schema === undefined ? '' : code(describe(schema)),
    code(JSON.stringify(value)),
  ];
  return `| ${cells.join(' | ')} |`;
}

/** A table cell can hold neither a line break (shown as ⏎) nor a no-break space (⍽). */
function code(text: string): string {
  const shown = text
    .replaceAll('\n', '⏎')
    .replaceAll('\u00a0', '⍽')
    .replaceAll('|', String.raw`\|`);
  const short = shown.length > longest ? `${shown.slice(0, longest)}…` : shown;
  return short.includes('`') ? `\`\`\`\` ${short} \`\`\`\`` : `\`${short}\``;
}

/** A schema in the notation of TypeScript. */
function describe({ type, properties, required, items, enum: choices, default: filling }: JsonSchema): string {
  if (Array.isArray(choices)) return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  if (type === 'array') return `${describe(items as JsonSchema)}[]`;
  if (type === 'object') {
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const members = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
      ([key, member]) => `${key}${needed.includes(key) ? '' : '?'}: ${describe(member)}`,
    );
    return `{ ${members.join(', ')} }`;
  }
  const name = Array.isArray(type) ? type.join(' | ') : String(type);
  return filling === undefined ? name : `${name} = ${JSON.stringify(filling)}`;
}

if (import.meta.main) console.log(renderFlagTable());
