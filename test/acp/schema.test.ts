// Every notification that the translator makes of the recorded sessions is valid in the official schema of ACP.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { streamJsonToAcp } from '../../src/acp/translate.ts';
import { acpNotificationSchema } from '../support/acp-schema.ts';
import { linesOf, sessions } from '../support/transcripts.ts';

describe('the official schema', () => {
  const schema = acpNotificationSchema();

  for (const { name, skip } of sessions) {
    test(`accepts every notification of ${name}`, { skip }, () => {
      const results = linesOf(name, 'from-agent').map((line) => streamJsonToAcp(line, 'session'));
      const notifications = results.flatMap((result) => (result.kind === 'translated' ? result.value : []));
      assert.ok(results.every(({ kind }) => kind === 'translated'));
      assert.ok(notifications.length > 0);
      for (const { params } of notifications) {
        const verdict = schema.safeParse(params);
        assert.ok(verdict.success, `${JSON.stringify(params)}\n${verdict.error?.message}`);
      }
    });
  }

  test('rejects what is wrong', () => {
    const wrong = [
      { update: { sessionUpdate: 'plan', entries: [] } },
      { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: 'a', title: 1 } },
      { sessionId: 's', update: { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'a', kind: 'run' } },
      { sessionId: 's', update: { sessionUpdate: 'agent_message_chunk' } },
    ];
    for (const params of wrong) assert.equal(schema.safeParse(params).success, false, JSON.stringify(params));
  });
});
