// The schema editor: errors at their line.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { examples, formatSchema } from '../../web/healing/examples.ts';
import { JsonSyntaxError, parsePlaced } from '../../web/healing/json-place.ts';
import { checkSchema } from '../../web/healing/live-healer.ts';
import { readSchema } from '../../web/healing/schema-source.ts';

describe('parsePlaced', () => {
  test('gives the value of JSON.parse, and the line of each part', () => {
    const text = '{\n "a": [1, -2.5e3,\n true],\n "b/c": {"d~": null},\r\n "e": "x\\n\\u00e9"\n}\n';
    const { value, lines } = parsePlaced(text);
    assert.deepEqual(value, JSON.parse(text));
    assert.equal(lines.get('#/a/2'), 3);
    assert.equal(lines.get('#/b~1c/d~0'), 4);
    for (const { schema } of examples) assert.deepEqual(parsePlaced(formatSchema(schema)).value, schema);
  });

  const broken: [text: string, line: number, message: RegExp][] = [
    ['', 1, /expected a value, found the end/],
    ['{\n "a": 1,\n}', 3, /expected a key in double quotes, found "}"/],
    ['{\n "a": 1\n "b": 2}', 3, /expected a comma or }/],
    ['{"a"\n 1}', 2, /expected a colon after the key "a"/],
    ['[1,\n 01]', 2, /"01" is not a value/],
    ['["x\n"]', 1, /no end on this line/],
    ['{"a": True}', 1, /"True" is not a value/],
    ['{}\n\n{}', 3, /after the end/],
    ['["\\x"]', 1, /invalid escape/],
  ];
  for (const [text, line, message] of broken) {
    test(`names the line of ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parsePlaced(text),
        (error) => error instanceof JsonSyntaxError && error.line === line && message.test(error.message),
      );
      assert.throws(() => JSON.parse(text));
    });
  }

  test('refuses deep nesting with an error of its own', () => {
    assert.throws(() => parsePlaced('['.repeat(100_000)), JsonSyntaxError);
  });
});

test('a schema that healing refuses is shown at the line of the wrong part', () => {
  const text = '{\n "type": "object",\n "properties": {\n  "a": { "type": "strin" }\n }\n}';
  assert.deepEqual(readSchema(text, checkSchema).problem?.line, 4);
  assert.match(readSchema(text, checkSchema).problem?.message ?? '', /unknown type "strin"/);
  assert.equal(readSchema('{"type": "string"}', checkSchema).problem, undefined);
});
