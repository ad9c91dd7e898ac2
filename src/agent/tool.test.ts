// Tool definitions: what the model receives, how the input is checked, and what a call returns.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import { failsWith } from '../../test/support/fails-with.ts';
import { sameType } from '../../test/support/same-type.ts';
import { alias, HealError } from '../heal/index.ts';
import { defineTool, indexTools, toAnswer, type ToolEffect } from './tool.ts';

const run = () => '';

describe('a tool', () => {
  test('has a schema for the model, and one with aliases for healing', () => {
    const { definition } = defineTool({
      name: 'forecast',
      description: 'The weather of the next days',
      input: z.object({ city: alias(z.string(), 'town'), days: z.int().optional() }),
      run: () => '',
    });
    assert.deepEqual(definition, {
      name: 'forecast',
      description: 'The weather of the next days',
      inputSchema: {
        type: 'object',
        properties: { city: { type: 'string' }, days: { type: 'integer' } },
        required: ['city'],
      },
      healingSchema: {
        type: 'object',
        properties: { city: { 'type': 'string', 'x-alias': ['town'] }, days: { type: 'integer' } },
        required: ['city'],
      },
    });
  });

  test('has an input of its schema’s type: zod', () => {
    const tool = defineTool({
      name: 'a',
      description: 'a',
      input: z.object({
        when: z.string().transform((value) => new Date(value)),
        tags: z.array(z.string()).default([]),
      }),
      run(input) {
        sameType<typeof input, { when: Date; tags: string[] }>(true);
        return input.when.getFullYear() + input.tags.length;
      },
    });
    const input = tool.checkInput({ when: '2026-11-15' });
    assert.equal(tool.run(input, undefined as never), 2026);
  });

  test('has an input of its schema’s type: JSON Schema', () => {
    const tool = defineTool({
      name: 'a',
      description: 'a',
      input: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          unit: { enum: ['C', 'F'] },
          days: { type: 'array', items: { type: 'integer' } },
          more: { $ref: '#' },
        },
        required: ['city', 'days'],
      },
      run(input) {
        type Expected = {
          readonly city: string;
          readonly days: readonly number[];
          readonly unit?: 'C' | 'F';
          readonly more?: unknown;
        };
        sameType<typeof input, Expected>(true);
        return input;
      },
    });
    assert.deepEqual(tool.checkInput({ city: 'Rome', days: [1, 2] }), { city: 'Rome', days: [1, 2] });
    assert.throws(() => tool.checkInput({ city: 'Rome', days: ['1', 2] }), /schema \(type-coercion at days\[0\]\)/);
  });

  test('decodes what its schema’s type needs, and changes nothing else', () => {
    const input = z.object({ day: z.date(), size: z.bigint().optional(), unit: z.enum(['C', 'F']).default('C') });
    const tool = defineTool({ name: 'a', description: 'a', input, run });
    const day = new Date('2026-11-15T00:00:00Z');
    assert.deepEqual(tool.checkInput({ day: day.toJSON(), size: 3 }), { day, size: 3n, unit: 'C' });
    for (const wrong of [{ day: 'soon' }, { Day: day.toJSON() }, { day: day.toJSON(), unit: 'c' }, [], null, 'text']) {
      assert.throws(() => tool.checkInput(wrong), HealError, JSON.stringify(wrong));
    }
  });

  test('takes an integer that is not exact only when it has no effect', () => {
    const input = { type: 'object', properties: { id: { type: 'integer' } } } as const;
    const given = { id: 12_345_678_901_234_567_000 };
    const tool = (effect: ToolEffect) => defineTool({ name: 'a', description: 'a', input, effect, run });
    assert.deepEqual(tool('pure').checkInput(given), given);
    assert.throws(() => tool('mutating').checkInput(given), /precision-lost at id/);
  });

  test('without parameters takes nothing', () => {
    const tool = defineTool({ name: 'now', description: 'The time', run: () => 'noon' });
    assert.deepEqual(tool.definition.inputSchema, { type: 'object', properties: {} });
    assert.deepEqual(tool.checkInput({}), {});
    assert.equal(tool.effect, 'mutating');
  });

  test('names the field that is wrong', () => {
    const input = z.object({ user: z.object({ age: z.int().max(150) }) });
    const tool = defineTool({ name: 'a', description: 'a', input, run: () => '' });
    assert.throws(() => tool.checkInput({ user: {} }), /user\.age/);
    assert.throws(() => tool.checkInput({ user: { age: 200 } }), /user\.age/);
  });

  test('that is invalid is rejected with the name of the field', () => {
    const named = (name: string) => () => defineTool({ name, description: 'a', run });
    assert.throws(
      named('two words'),
      failsWith('configuration', /^tool "two words": the name must have 1 to 64 letters/),
    );
    assert.throws(named(''), failsWith('configuration', /^tool ""/));
    assert.throws(
      () => defineTool({ name: 'a', description: 'a', input: z.string(), run }),
      failsWith('configuration', /^tool "a": input: must be the schema of an object/),
    );
    const tool = defineTool({ name: 'a', description: 'a', run });
    assert.throws(() => indexTools([tool, tool]), failsWith('configuration', /^tools: "a": is defined twice/));
  });
});

describe('what a tool gives back', () => {
  const part = { type: 'text', text: 'so' } as const;
  for (const [output, expected] of [
    ['words', { content: [{ type: 'text', text: 'words' }] }],
    [{ total: 3 }, { content: [{ type: 'text', text: '{"total":3}' }] }],
    [[1, 2], { content: [{ type: 'text', text: '[1,2]' }] }],
    [0, { content: [{ type: 'text', text: '0' }] }],
    [undefined, { content: [] }],
    [null, { content: [] }],
    [{ content: 'data of its own' }, { content: [{ type: 'text', text: '{"content":"data of its own"}' }] }],
    [
      { content: [part], isError: true },
      { content: [part], isError: true },
    ],
  ] as const) {
    test(`is read as intended: ${JSON.stringify(output)}`, () => assert.deepEqual(toAnswer(output), expected));
  }
});
