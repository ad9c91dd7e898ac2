// Documents to damage, each with its JSON Schema. The same seed gives the same documents. Eleven consecutive documents
// allow every kind of damage, and cover what makes healing hard: nesting, arrays of objects, code and prose in strings,
// many scripts, long texts, empty containers, every scalar, unusual keys, unions.

import type { JsonSchema } from '../../../src/core/json.ts';
import type { TypedDocument } from '../../../src/testing/damage/damage.ts';
import { createRandom, type Random } from '../../../src/testing/model/random.ts';

export interface NamedDocument extends TypedDocument {
  readonly name: string;
}

type Builder = (random: Random) => TypedDocument;

export function makeDocuments(seed: string, count: number): NamedDocument[] {
  const names = Object.keys(builders);
  return Array.from({ length: count }, (_, index) => {
    const name = names[index % names.length]!;
    return { name: `${name}-${index}`, ...builders[name]!(createRandom(`${seed}/${index}`)) };
  });
}

const firstNames = ['Ada', 'Grace', 'Linus', 'Margaret', 'Alan', 'Katherine', 'Edsger', 'Barbara'];
const lastNames = ['Lovelace', 'Hopper', 'Hamilton', 'Turing', 'Johnson', 'Liskov'];
const cities = ['Paris', 'Oslo', 'Lima', 'New York', 'Kraków', 'São Paulo', 'Reykjavík'];
const subjects = ['The invoice', 'A small team', 'This sensor', 'The second draft', 'Every customer', 'Our library'];
const verbs = ['was sent to', 'waits for', 'depends on', 'explains', 'replaces', 'came before'];
const objects = ['the warehouse', 'a quiet reader', 'three new parts', 'the old system', 'a long report', 'his answer'];
const scripts = [
  'naïve café',
  '東京タワーは高い',
  'Привет, мир',
  'مرحبا بالعالم',
  'emoji 🎉 and 👩‍🚀 too',
  'Straße nach Köln',
  '한국어 문장입니다',
];
const snippets = [
  'if (list.length > 0) { return list["first"]; } // or "none"',
  'const map = {"a": [1, 2], \'b\': null};\nconsole.log(map);',
  'print(f"total: {total:.2f}")\nreturn {"ok": True}',
  "SELECT \"id\", name FROM users WHERE tags = '{a,b}' AND note <> 'it''s';",
  '```json\n{"nested": "fence"}\n```',
  '<a href="https://example.com/?q=1&r=[2]">link</a>',
  'C:\\Users\\new\\table.csv',
  'regex: ^\\d{3}-[a-z"]+$',
];
const asides = [
  'She said "yes", then left.',
  "It's the user's choice.",
  'Tabs\tand\nnew lines',
  'Ratio 3:2, {not} [JSON]',
  'a / b // c',
];

const text = (value: string): TypedDocument => ({ value, schema: { type: 'string' } });
const integer = (value: number): TypedDocument => ({ value, schema: { type: 'integer' } });
const decimal = (value: number): TypedDocument => ({ value, schema: { type: 'number' } });
const boolean = (value: boolean): TypedDocument => ({ value, schema: { type: 'boolean' } });
const date = (value: string): TypedDocument => ({ value, schema: { type: 'string', format: 'date' } });

function nullable({ value, schema }: TypedDocument, isNull: boolean): TypedDocument {
  return { value: isNull ? null : value, schema: { ...schema, type: [schema['type']!, 'null'] } };
}

function choice(random: Random, options: readonly string[]): TypedDocument {
  return { value: random.pick(options), schema: { type: 'string', enum: options } };
}

function list(items: readonly TypedDocument[], schema: JsonSchema = items[0]!.schema): TypedDocument {
  return { value: items.map((item) => item.value), schema: { type: 'array', items: schema } };
}

function object(members: Readonly<Record<string, TypedDocument>>): TypedDocument {
  const entries = Object.entries(members);
  return {
    value: Object.fromEntries(entries.map(([key, member]) => [key, member.value])),
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([key, member]) => [key, member.schema])),
      required: entries.map(([key]) => key),
      additionalProperties: false,
    },
  };
}

function times(random: Random, least: number, most: number, make: () => TypedDocument): TypedDocument[] {
  return Array.from({ length: random.integer(least, most) }, make);
}

function sentence(random: Random): string {
  return `${random.pick(subjects)} ${random.pick(verbs)} ${random.pick(objects)}`;
}

function fullName(random: Random): string {
  return `${random.pick(firstNames)} ${random.pick(lastNames)}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function day(random: Random): TypedDocument {
  return date(`20${random.integer(10, 29)}-${two(random.integer(1, 12))}-${two(random.integer(1, 28))}`);
}

const url = (random: Random): TypedDocument =>
  text(`https://example.com/${random.pick(['items', 'people', 'docs'])}/${random.integer(1, 999)}`);

const builders: Readonly<Record<string, Builder>> = {
  profile: (random) =>
    object({
      name: text(fullName(random)),
      age: integer(random.integer(18, 90)),
      isActive: boolean(random.chance(0.5)),
      score: decimal(random.integer(1, 99) / 100),
      nickname: nullable(text(random.pick(firstNames)), random.chance(0.5)),
      birthYear: nullable(integer(random.integer(1900, 2010)), random.chance(0.5)),
      tags: list(times(random, 2, 4, () => text(random.pick(['math', 'poetry', 'chess', 'early bird', 'music'])))),
      address: object({
        city: text(random.pick(cities)),
        zipCode: text(random.pick(['02139', '75001', '10115', '04109'])),
      }),
      bio: text(`${sentence(random)}, and ${sentence(random).toLowerCase()}.`),
      joined: day(random),
    }),

  order: (random) =>
    object({
      order_id: text(`A-${random.integer(1000, 9999)}`),
      status: choice(random, ['in_progress', 'on_hold', 'shipped-late']),
      total_cents: integer(random.integer(1_000, 250_000)),
      discount: decimal(random.pick([0.25, 0.5, 0.75])),
      line_items: list(
        times(random, 2, 4, () =>
          object({
            sku: text(`sku-${random.integer(100, 999)}`),
            title: text(sentence(random)),
            quantity: integer(random.integer(1, 12)),
            unit_price: decimal(random.integer(100, 9999) / 100),
            gift: boolean(random.chance(0.3)),
          }),
        ),
      ),
      notes: list([text(`Don't hurry: ${sentence(random)}`)]),
      shipped_on: nullable(day(random), random.chance(0.4)),
    }),

  code: (random) =>
    object({
      file: text(`src/${random.pick(['main', 'index', 'app'])}.ts`),
      language: choice(random, ['typescript', 'python', 'sql']),
      before: text(random.pick(snippets)),
      after: text(random.pick(snippets)),
      explanation: text(`${sentence(random)}. ${random.pick(asides)}`),
      line: integer(random.integer(1, 400)),
      changes: list(
        times(random, 2, 3, () => object({ from: text(random.pick(snippets)), to: text(random.pick(asides)) })),
      ),
    }),

  unicode: (random) =>
    object({
      title: text(random.pick(scripts)),
      ort: text(random.pick(cities)),
      translations: object({
        de: text(random.pick(scripts)),
        ja: text(random.pick(scripts)),
        ar: text(random.pick(scripts)),
      }),
      words: list(times(random, 2, 4, () => text(random.pick(scripts)))),
      count: integer(random.integer(1, 2000)),
      rating: decimal(random.integer(10, 50) / 10),
    }),

  articles: (random) =>
    list(
      times(random, 2, 3, () =>
        object({
          headline: text(sentence(random)),
          author: text(fullName(random)),
          published: day(random),
          views: integer(random.integer(0, 50_000)),
          link: url(random),
          body: text(Array.from({ length: 4 }, () => `${sentence(random)}.`).join(random.pick([' ', '\n']))),
          rating: nullable(decimal(random.integer(1, 5)), random.chance(0.3)),
        }),
      ),
    ),

  tree: (random) => {
    const leaf = (): TypedDocument =>
      object({
        label: text(random.pick(cities)),
        weight: decimal(random.integer(-900, 900) / 100),
        kind: choice(random, ['LEAF', 'NODE']),
      });
    const branch = (children: readonly TypedDocument[]): TypedDocument =>
      object({ label: text(sentence(random)), depth: integer(random.integer(1, 9)), children: list(children) });
    return object({
      root: branch([branch([leaf(), leaf()]), branch([leaf()])]),
      size: integer(random.integer(3, 9)),
      done: boolean(true),
    });
  },

  settings: (random) =>
    object({
      'max tokens': integer(random.integer(100, 4000)),
      'content-type': text(random.pick(['text/plain', 'application/json'])),
      '$schema': url(random),
      'a.b.c': boolean(false),
      empty_list: list([], { type: 'string' }),
      empty_object: { value: {}, schema: { type: 'object', properties: {}, additionalProperties: false } },
      nested: list([
        list([integer(1), integer(-2)]),
        list([], { type: 'integer' }),
        list([integer(random.integer(3, 99))]),
      ]),
      empty_text: text(''),
      quoted: text(random.pick(asides)),
      temperature: decimal(random.pick([0, 0.7, 1.5, -3.25, 1e21])),
      limit: nullable(integer(5), true),
      enabled: boolean(random.chance(0.5)),
      last: text(sentence(random)),
    }),

  flat: (random) =>
    object({
      name: text(fullName(random)),
      city: text(random.pick(['Paris', 'Oslo', 'Lima'])),
      summary: text(`${sentence(random)}, ${random.pick(['as usual', 'for once', 'at last'])}`),
      visits: integer(random.integer(1000, 99_999)),
      price: decimal(random.integer(101, 99_999) / 100),
      percent: integer(random.integer(1, 99)),
      premium: boolean(random.chance(0.5)),
      mood: choice(random, ['very happy', 'calm', 'worn-out']),
    }),

  long: (random) =>
    object({
      title: text(sentence(random)),
      transcript: text(Array.from({ length: 40 }, () => `${sentence(random)}.`).join(' ')),
      paragraphs: list(times(random, 4, 6, () => text(Array.from({ length: 6 }, () => sentence(random)).join(', ')))),
      samples: list(times(random, 20, 40, () => decimal(random.integer(-10_000, 10_000) / 8))),
      flags: list(times(random, 3, 5, () => boolean(random.chance(0.5)))),
      wordCount: integer(random.integer(1000, 9000)),
      closing: text(random.pick(asides)),
    }),

  contacts: (random) =>
    object({
      generatedAt: {
        value: `2026-0${random.integer(1, 9)}-15T08:30:00Z`,
        schema: { type: 'string', format: 'date-time' },
      },
      people: list(
        times(random, 2, 3, () =>
          object({
            id: integer(random.integer(100_000, 999_999)),
            email: text(`${random.pick(firstNames).toLowerCase()}@example.org`),
            phone: text(`+1 (555) ${random.integer(100, 999)}-${random.integer(1000, 9999)}`),
            handle: text(random.pick(['@ada', '#1 fan', 'user:42', 'a=b; c', '50% off!'])),
            roles: list(times(random, 1, 3, () => choice(random, ['ADMIN', 'READ_ONLY', 'GUEST']))),
            'last seen': nullable(text(random.pick(['yesterday, late', 'two days ago'])), random.chance(0.3)),
          }),
        ),
      ),
      matrix: list(times(random, 2, 3, () => list(times(random, 2, 3, () => decimal(random.integer(-50, 50) / 4))))),
      markdown: text(`# Title\n\n- **bold** item\n- [link](https://example.com)\n\n> ${sentence(random)}`),
      total: integer(random.integer(0, 9)),
    }),

  blocks: (random) => {
    const prose = (): TypedDocument =>
      object({ type: { value: 'text', schema: { const: 'text' } }, content: text(sentence(random)) });
    const image = (): TypedDocument =>
      object({
        type: { value: 'image', schema: { const: 'image' } },
        source: url(random),
        width: integer(random.integer(10, 4000)),
      });
    const blocks = [prose(), image(), prose()];
    return object({
      role: choice(random, ['assistant', 'user']),
      blocks: list(blocks, { anyOf: [prose().schema, image().schema] }),
      stop: boolean(random.chance(0.5)),
      usage: object({ inputTokens: integer(random.integer(1, 5000)), outputTokens: integer(random.integer(1, 5000)) }),
    });
  },
};
