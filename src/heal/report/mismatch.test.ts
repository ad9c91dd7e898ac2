// The messages for a text that does not match its schema: the path, what is expected, and what was found.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HealError, heal } from '../index.ts';

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer' },
    role: { enum: ['hero', 'villain'] },
    home: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
  required: ['name', 'age', 'role', 'home'],
};

const cases: readonly (readonly [text: string, message: string, path: readonly string[]])[] = [
  ['{"name": "Ada"}', 'age: required, but missing from the text', ['age']],
  ['{"name": "Ada", "age": "old"}', 'age: must be a whole number, not "old"', ['age']],
  ['{"name": "Ada", "age": 3, "role": "baker"}', 'role: must be "hero" or "villain", not "baker"', ['role']],
  [
    '{"name":"Ada","age":3,"role":"hero","home":{}}',
    'home.city: required, but missing from the text',
    ['home', 'city'],
  ],
  ['{"name":"Ada","age":3,"role":"hero","home":null}', 'home: must be an object, not null', ['home']],
  ['[3]', 'the value: must be an object, not an array', []],
  ['{"name": {"first": "A", "last": "B"}}', 'name: must be a string, not an object', ['name']],
  [
    '{"name": "Ada", "age": 3, "role": {"hero": 1, "b": 2}}',
    'role: must be "hero" or "villain", not an object',
    ['role'],
  ],
  ['{"name": "Ada" or "Eve", "age": 3}', 'name: must be a string, not several choices: "Ada\\" or \\"Eve"', ['name']],
  ['{"name": string, "age": integer}', 'the value: repeats the schema instead of giving a value', []],
  [
    '{"name":"Ada","age":3,"role":"hero","home":{"city": string}}',
    'home: repeats the schema instead of giving a value',
    ['home'],
  ],
];

describe('a text that does not match', () => {
  for (const [text, message, path] of cases) {
    test(text, () => {
      assert.throws(
        () => heal(text, person),
        (error) => {
          assert.ok(error instanceof HealError);
          assert.equal(error.message, message);
          assert.deepEqual(error.path, path);
          return true;
        },
      );
    });
  }

  test('does not take a field called type for a repeated schema', () => {
    const block = { properties: { type: { const: 'text' }, text: { type: 'string' } }, required: ['type', 'text'] };
    assert.throws(() => heal('{"type": "text"}', block), /^HealError: text: required, but missing/);
    assert.throws(() => heal('{"type": "string", "a": 1}', person), /^HealError: the value: repeats the schema/);
  });

  test('looks into a single object where a list is wanted', () => {
    const people = { type: 'array', items: person };
    assert.throws(
      () => heal('{"name": "Ada", "age": "old"}', people),
      /^HealError: age: must be a whole number, not "old"/,
    );
    assert.throws(() => heal('{"colour": "red"}', people), /^HealError: the value: must be an array, not an object/);
  });

  test('names the branch that is most similar', () => {
    const shape = {
      anyOf: [
        { type: 'object', properties: { radius: { type: 'number' } }, required: ['radius'] },
        {
          type: 'object',
          properties: { width: { type: 'number' }, height: { type: 'number' } },
          required: ['width', 'height'],
        },
      ],
    };
    assert.throws(
      () => heal('{"width": 2, "height": "tall"}', shape),
      /^HealError: height: must be a number, not "tall"/,
    );
    const tools = {
      anyOf: ['get_weather', 'send_email', 'set_reminder'].map((tool) => ({
        type: 'object',
        properties: { tool: { const: tool }, city: { type: 'string' }, [tool]: { type: 'integer' } },
        required: ['tool', 'city', tool],
      })),
    };
    assert.throws(
      () => heal('{"tool": "set_reminder", "get_weather": 1, "city": "Oslo"}', tools),
      /^HealError: set_reminder: required, but missing/,
    );
    assert.throws(
      () => heal('{"tool": "mail", "city": "Oslo", "send_email": 1}', tools),
      /^HealError: tool: must be "send_email" or "get_weather" or "set_reminder", not "mail"/,
    );
    assert.throws(
      () => heal('"round"', { anyOf: [{ type: 'number' }, { type: 'boolean' }] }),
      /a number or true or false/,
    );
  });
});
