// The examples: a schema, a question for a model, and an answer as models really write it, with several mistakes at once.

export interface Example {
  readonly name: string;
  readonly schema: object;
  readonly question: string;
  readonly answer: string;
}

export const examples: readonly [Example, ...Example[]] = [
  {
    name: 'Character',
    question:
      'Invent a dwarf "Brunna Ironvein" for a role-playing game, with the items "war hammer" and "lantern". Level 7.',
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string' },
        class: { enum: ['fighter', 'wizard', 'rogue', 'cleric'] },
        level: { type: 'integer', minimum: 1, maximum: 20 },
        hitPoints: { type: 'number' },
        isNpc: { type: 'boolean' },
        inventory: {
          type: 'array',
          items: {
            type: 'object',
            properties: { item: { type: 'string' }, quantity: { type: 'integer' } },
            required: ['item', 'quantity'],
          },
        },
        motto: { type: 'string' },
      },
      required: ['name', 'class', 'level', 'inventory'],
    },
    answer: `Sure! Here is your character:

\`\`\`json
{
  name: 'Brunna Ironvein',
  "class": "Fighter",
  "level": "7",  // as requested
  "hit_points": 58.5
  "isNpc": False,
  "inventory": [
    {"item": "war hammer", "quantity": "1"},
    {"item": "oil lantern", quantity: 2,},
    {"item": "rope, 15 m", "quantity": 1
  ],
  "motto": "She said "no retreat" and meant it",
}
\`\`\`

Let me know if you want a backstory!`,
  },
  {
    name: 'Invoice',
    question:
      'Extract: invoice "INV-2048" from "Nordlicht GmbH", 3 "desk lamp" at 39.90 and 1 "standing desk" at 549, in EUR.',
    schema: {
      type: 'object',
      properties: {
        number: { type: 'string' },
        vendor: { type: 'string' },
        currency: { enum: ['EUR', 'USD', 'GBP'] },
        lines: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              description: { type: 'string' },
              quantity: { type: 'integer' },
              unitPrice: { type: 'number' },
            },
            required: ['description', 'quantity', 'unitPrice'],
          },
        },
        total: { type: 'number' },
        paid: { type: 'boolean', default: false },
      },
      required: ['number', 'vendor', 'currency', 'lines', 'total', 'paid'],
    },
    answer: `<think>The total is 3 × 39.90 + 549 = 668.70. The user wants JSON only.</think>
{
  "Number": "INV-2048",
  "vendor": “Nordlicht GmbH”,
  "currency": "eur",
  "lines": [
    { "description": "desk lamp", "quantity": 3, "unit_price": "39.90" },
    { "description": "standing desk", "quantity": 1, "unit_price": "$549.00" }
  ];
  "total": "€668.70"`,
  },
  {
    name: 'Ticket',
    question: 'Classify: "My card was charged twice and nobody answers!!" Priority is high, the team is "billing".',
    schema: {
      type: 'object',
      properties: {
        category: { enum: ['BILLING', 'BUG', 'QUESTION', 'OTHER'] },
        priority: { enum: ['LOW', 'MEDIUM', 'HIGH'] },
        summary: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        needsHuman: { type: 'boolean' },
        confidence: { type: 'number' },
      },
      required: ['category', 'priority', 'summary', 'tags', 'needsHuman'],
    },
    answer: `{'category': 'billing', 'priority': 'high', 'summary': 'Customer's card was charged twice', 'tags': 'double charge', 'needs_human': 'yes', 'confidence': '92%'}`,
  },
];

export function formatSchema(schema: object): string {
  return JSON.stringify(schema, undefined, 2);
}
