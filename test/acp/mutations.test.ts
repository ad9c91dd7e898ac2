// Damaged lines of recorded sessions: neither the decoder nor the translator throws, each line gives at most one error, and
// the notifications of the lines that are still readable are valid.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { streamJsonToAcp } from '../../src/acp/translate.ts';
import { StreamJsonDecoder } from '../../src/streamjson/decoder.ts';
import { acpNotificationSchema } from '../support/acp-schema.ts';
import { runs } from '../support/enumeration.ts';
import { generator, mutate } from '../support/mutated-line.ts';
import { linesOf, sessions } from '../support/transcripts.ts';

const skip = sessions[0]?.skip ?? false;

test('mutated lines of recorded sessions', { skip }, () => {
  const lines = sessions.flatMap(({ name }) => linesOf(name, 'from-agent')).map((line) => JSON.parse(line) as object);
  const random = generator(11);
  const schema = acpNotificationSchema();
  let decoder = new StreamJsonDecoder();
  let errors = 0;
  const total = runs(100_000, 4000);
  for (let count = 0; count < total; count += 1) {
    if (count % 100 === 0) decoder = new StreamJsonDecoder();
    const line = mutate(lines[random(lines.length)] as object, random);
    const decoded = decoder.push(line);
    const translation = streamJsonToAcp(line, 'session');
    if (translation.kind === 'error') {
      errors += 1;
      assert.deepEqual(decoded, translation);
      assert.ok(translation.message.length > 0 && translation.message.length < 400, translation.message);
    } else {
      for (const { params } of translation.value) {
        const problem = schema.safeParse(params).error?.message;
        assert.equal(problem, undefined, `${JSON.stringify(params)} of ${line}`);
      }
    }
  }
  assert.ok(errors > total / 10 && errors < total, String(errors));
});
