// What the models are asked: eight extraction tasks, each with a schema, one worked example and inputs. The inputs are
// ours; the schemas and the names of the tasks are those of real-answers.jsonl.

import type { JsonSchema } from '../../src/core/json.ts';

export interface Task {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly instruction: string;
  /** The value in words, as a prompt without a schema describes it. */
  readonly shape: string;
  readonly example: { readonly input: string; readonly value: unknown };
  readonly inputs: readonly string[];
}

const text: JsonSchema = { type: 'string' };
const integer: JsonSchema = { type: 'integer' };
const number: JsonSchema = { type: 'number' };
const boolean: JsonSchema = { type: 'boolean' };
const date: JsonSchema = { type: 'string', format: 'date' };

function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

function closedObject(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

const sentiment: Task = {
  name: 'sentiment',
  schema: closedObject({ sentiment: { enum: ['POSITIVE', 'NEGATIVE', 'NEUTRAL'] }, score: number, reason: text }),
  instruction: 'Judge the sentiment of this review.',
  shape: '{"sentiment": "POSITIVE" or "NEGATIVE" or "NEUTRAL", "score": number from 0 to 1, "reason": string}',
  example: {
    input: 'The lamp is bright and the cable is long enough. Love it.',
    value: { sentiment: 'POSITIVE', score: 0.9, reason: 'The reviewer likes the light and the cable.' },
  },
  inputs: [
    'The hotel room smelled of smoke and nobody at the desk cared.',
    'Great keyboard, quiet keys, and the battery lasts for weeks.',
    'The parcel came on Friday. It contains what I ordered.',
    'My daughter calls it "the best book ever", and I agree.',
    'Not bad for the price, but the zipper broke after a month.',
    'Worst concert of my life: two hours late, and 45 minutes long.',
    'The manual is in German. I have not tried the device yet.',
    'Coffee was excellent; the cake was dry. We will come back anyway.',
    'It works. The app could be faster, though version 2.1 is better.',
  ],
};

const events: Task = {
  name: 'events',
  schema: listOf(closedObject({ title: text, date, duration_minutes: integer, attendees: listOf(text) })),
  instruction: 'List the events in this text.',
  shape: '[{"title": string, "date": "YYYY-MM-DD", "duration_minutes": integer, "attendees": [string]}]',
  example: {
    input: 'Lunch with Ann and Joe on 2025-03-14, one hour.',
    value: [{ title: 'Lunch', date: '2025-03-14', duration_minutes: 60, attendees: ['Ann', 'Joe'] }],
  },
  inputs: [
    'Kick-off on 2025-02-03, 2 hours, with Nora, Ben and Yusuf. Retrospective on 2025-02-14, 45 minutes, Nora only.',
    'Piano lesson 2025-10-07, 30 minutes, Clara.',
    'Call with "Team Blue" (Ida, Max) on 3 March 2025, half an hour; site visit on 4 March 2025 with Max, 3 hours.',
    'On 2026-01-15 there is a fire drill, 20 minutes, all staff. On 2026-01-16 a 90 minute training with Omar.',
    'Yoga 2025-08-01 (60 min), yoga 2025-08-08 (60 min), yoga 2025-08-15 (60 min). With Petra.',
    'Interview: Sam Lee, 2025-11-20, 50 minutes. Interviewers: Kim and Jo.',
    'Wedding of Tim & Lisa, 21 June 2025, all day (8 hours).',
    'Sprint planning 2025-05-05 for 1.5 hours with Ava, Leo, Zoe and Finn.',
    'Board game night on 2025-12-30, from 19:00 to 23:00, with Greta, Hugo and "Mo".',
  ],
};

const label: Task = {
  name: 'label',
  schema: { enum: ['BUG', 'FEATURE_REQUEST', 'QUESTION', 'OTHER'] },
  instruction: 'Label this ticket.',
  shape: 'one of "BUG", "FEATURE_REQUEST", "QUESTION", "OTHER"',
  example: { input: 'The app crashes when I open the settings.', value: 'BUG' },
  inputs: [
    'Saving a file with an umlaut in its name gives an empty file.',
    'Could you add a dark mode?',
    'Where do I find my invoices?',
    'Happy new year to the whole team!',
    'The export button does nothing in Firefox.',
    'It would be nice to sort the table by date.',
    'Is there a limit on the number of users?',
    'Please delete my account.',
    'Scrolling is slow since version 4.2, is that a known problem?',
  ],
};

const tool: Task = {
  name: 'tool',
  schema: {
    anyOf: [
      closedObject({ tool: { const: 'get_weather' }, city: text, unit: { enum: ['celsius', 'fahrenheit'] } }),
      closedObject({ tool: { const: 'send_email' }, to: text, subject: text }),
      closedObject({ tool: { const: 'set_reminder' }, text, minutes: integer }),
    ],
  },
  instruction: 'Choose the tool for this request and give its arguments.',
  shape:
    '{"tool": "get_weather", "city": string, "unit": "celsius" or "fahrenheit"} or {"tool": "send_email", "to": string, ' +
    '"subject": string} or {"tool": "set_reminder", "text": string, "minutes": integer}',
  example: {
    input: 'Remind me in half an hour to call Tom.',
    value: { tool: 'set_reminder', text: 'call Tom', minutes: 30 },
  },
  inputs: [
    'What is the weather in Lisbon? Celsius, please.',
    'Write to anna@example.org, subject "Lunch on Monday".',
    'Wake me in 20 minutes.',
    'Is it hot in Phoenix today? I use Fahrenheit.',
    'E-mail support@shop.example that order 8812 is late.',
    'In two hours remind me to move the car.',
    'Temperature in São Paulo in °C?',
    'Send "Minutes of the board" to board@club.example.',
    'Remind me to drink water in 15 min.',
  ],
};

const invoice: Task = {
  name: 'invoice',
  schema: closedObject({
    invoice_number: text,
    date,
    customer: closedObject({ name: text, city: text }),
    items: listOf(closedObject({ description: text, quantity: integer, unit_price: number })),
    total: number,
    paid: boolean,
  }),
  instruction: 'Extract the invoice from this text.',
  shape:
    '{"invoice_number": string, "date": "YYYY-MM-DD", "customer": {"name": string, "city": string}, "items": ' +
    '[{"description": string, "quantity": integer, "unit_price": number}], "total": number, "paid": true or false}',
  example: {
    input:
      'Invoice A-17 of 2024-03-09 for Bakery Rossi in Turin: 4 sacks of flour at 22.50. Total 90.00, not paid yet.',
    value: {
      invoice_number: 'A-17',
      date: '2024-03-09',
      customer: { name: 'Bakery Rossi', city: 'Turin' },
      items: [{ description: 'sack of flour', quantity: 4, unit_price: 22.5 }],
      total: 90,
      paid: false,
    },
  },
  inputs: [
    'Invoice 5530, 2025-02-18, Garcia Garden Ltd, Bristol: 2 shovels at 15.00, 1 wheelbarrow at 89.90. Total 119.90. Paid.',
    'No. 2025/114 dated 5 May 2025. To: Hotel Alpenblick, Innsbruck. 40 towels, 6.20 each. Total 248.00. Due in 30 days.',
    "INV-88, 2024-12-01, customer O'Neill & Co from Dublin, 3 monitors at 199.00 and 3 cables at 7.50. Sum: 619.50. Open.",
    'Bill #71 from 2025-06-30: Kyoto Tea House, Kyoto, 10 tins of matcha at $18.00, total $180.00, paid by card.',
    'Facture F-302 du 2025-04-11, Librairie Voltaire, Paris: 25 cahiers à 1,80. Total 45,00. Payée.',
    'Invoice 1002 (2025-01-31) for "Pixel" Studios, Austin: 12 hours of design at $85.00, 1 domain at $14.99. Total $1,034.99. Unpaid.',
    'Receipt 0009, 2025-03-03, Lake Bikes, Zug. 1 tyre 34.00, 2 tubes 6.50 each, total 47.00, paid in cash.',
    'Invoice X9, 14 August 2025, to Farm Olsen, Bergen. 100 seed bags at 0.95. Total 95.00. Reminder sent, not paid.',
    'Invoice 640, dated 2025-09-22, City Clinic, Porto: 5 boxes of gloves at 8.40, 2 lamps at 120.00. Total 282.00. Paid.',
  ],
};

const recipe: Task = {
  name: 'recipe',
  schema: closedObject({
    title: text,
    servings: integer,
    ingredients: listOf(closedObject({ name: text, amount: text })),
    steps: listOf(text),
  }),
  instruction: 'Extract the recipe from this text.',
  shape:
    '{"title": string, "servings": integer, "ingredients": [{"name": string, "amount": string}], "steps": [string]}',
  example: {
    input: 'Iced tea for 4: 1 l water, 3 tea bags, 1 lemon. Boil the water, steep the tea, add lemon, cool.',
    value: {
      title: 'Iced tea',
      servings: 4,
      ingredients: [
        { name: 'water', amount: '1 l' },
        { name: 'tea bags', amount: '3' },
        { name: 'lemon', amount: '1' },
      ],
      steps: ['Boil the water', 'Steep the tea', 'Add lemon', 'Cool'],
    },
  },
  inputs: [
    'Scrambled eggs for 2: 4 eggs, 1 tbsp butter, salt. Whisk the eggs, melt the butter, cook slowly while stirring.',
    'Tomato soup (serves 4): 800 g tomatoes, 1 onion, 500 ml stock. Fry the onion, add tomatoes and stock, simmer 20 minutes, blend.',
    'Banana smoothie, one glass: 1 banana, 250 ml milk, 1 tsp honey. Blend everything.',
    'Guacamole for six: 3 avocados, 1 lime, 1/2 onion, coriander. Mash the avocados, chop the rest, mix, season.',
    'Oatmeal for 1: 50 g oats, 200 ml water, a pinch of salt. Boil, stir for 5 minutes, rest.',
    'Greek salad (4 people): 2 cucumbers, 4 tomatoes, 200 g feta, olives to taste. Cut, mix, add oil.',
    'Grandma\'s "quick" waffles, makes 8: 250 g flour, 2 eggs, 300 ml milk, 100 g sugar. Mix, wait 10 minutes, bake in the iron.',
    'Rice for 3: 300 g rice, 600 ml water. Rinse the rice, bring to a boil, cover, 12 minutes on low heat.',
    'Toast with beans, serves 2: 4 slices bread, 1 can beans. Toast the bread. Heat the beans. Pour over.',
  ],
};

const product: Task = {
  name: 'product',
  schema: closedObject({
    name: text,
    price: number,
    currency: { enum: ['USD', 'EUR', 'GBP'] },
    in_stock: boolean,
    rating: { anyOf: [number, { type: 'null' }] },
    tags: listOf(text),
  }),
  instruction: 'Extract the product from this text.',
  shape:
    '{"name": string, "price": number, "currency": "USD" or "EUR" or "GBP", "in_stock": true or false, "rating": number ' +
    'or null, "tags": [string]}',
  example: {
    input: 'Steel bottle, €24.90, available, 4.5 stars. Tags: outdoor, sport.',
    value: {
      name: 'Steel bottle',
      price: 24.9,
      currency: 'EUR',
      in_stock: true,
      rating: 4.5,
      tags: ['outdoor', 'sport'],
    },
  },
  inputs: [
    'Desk lamp "Nova", $39.50, 4.2 stars, in stock. office, LED',
    'Rain jacket, 89 EUR, sold out, not rated. Tags: outdoor, blue, men.',
    'USB-C hub with 7 ports, £29.99, available, rated 3.9 of 5. computer, travel',
    'Ceramic mug 350 ml, €12, in stock, no reviews. kitchen',
    'Gaming chair XL, was $299, now $249.00, 4.7/5, only 2 left. gaming, furniture',
    'Notebook A5, pack of 3, £7.50, out of stock, 5 stars. paper, school, office',
    'E-bike "City 500", 2.199,00 EUR, in stock from Monday, rating 4.4. bike, electric',
    'Dog leash, 2 m, $14.95, available. Customers give it 4.8 stars. pets',
    'Vinyl record: Blue Hour (2 LP), £31, preorder, unrated. music, jazz',
  ],
};

const contact: Task = {
  name: 'contact',
  schema: closedObject({
    name: text,
    email: text,
    age: integer,
    phone: { anyOf: [text, { type: 'null' }] },
    subscribed: boolean,
  }),
  instruction: 'Extract the contact from this text.',
  shape: '{"name": string, "email": string, "age": integer, "phone": string or null, "subscribed": true or false}',
  example: {
    input: 'This is Rita Moss, 36, rita@moss.example, 020 7946 0018. Yes to the newsletter.',
    value: { name: 'Rita Moss', email: 'rita@moss.example', age: 36, phone: '020 7946 0018', subscribed: true },
  },
  inputs: [
    'I am Paul Kern, 27, paul.kern@mail.example. My number is 0176 5550 123. Sign me up.',
    'Contact: Aisha Khan, aged 45, aisha@khan.example, no phone, does not want the newsletter.',
    'Hello, Tomás Rey here (tomas@rey.example), 31 years old, subscribe me please! Tel. +34 600 555 010.',
    'Mrs. Jane "JJ" Jones, 70, jj@jones.example, landline 555-0199, unsubscribe.',
    'Wei Chen, wei_chen@lab.example, 22. Newsletter: yes. Phone: none.',
    'Please note the new address of Olga Petrova: olga.p@post.example (38 years, phone 8-800-555-01-01, subscribed).',
    'Name: Ben; mail: ben@ben.example; age: 19; phone: 07700 900123; newsletter: no',
    'My name is Fatou Diop. I am 53. Reach me at fatou@diop.example or (415) 555-0142. No mails, thanks.',
    'Luca, 16 years, luca@school.example, has no phone and would like to get the newsletter.',
  ],
};

export const tasks: readonly Task[] = [sentiment, events, label, tool, invoice, recipe, product, contact];
