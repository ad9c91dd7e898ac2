// Tests the translator: every block in both directions, several tools in one line, and input that is wrong.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { codecFor } from './codec.ts';
import { toPromptOutcome } from './prompt-outcome.ts';
import {
  acpToStreamJson,
  streamJsonToAcp,
  toolResultsToStreamJson,
  toolResultToStreamJson,
  type Translation,
} from './translate.ts';
import type { SessionUpdate } from './types.ts';

function contentOf(translation: Translation<string>): unknown {
  assert.equal(translation.kind, 'translated', JSON.stringify(translation));
  if (translation.kind !== 'translated') return undefined;
  assert.ok(!translation.value.includes('\n'), 'one line');
  return (JSON.parse(translation.value) as { message: { content: unknown } }).message.content;
}

function updatesOf(line: object): SessionUpdate[] {
  const translation = streamJsonToAcp(JSON.stringify(line), 'session');
  assert.equal(translation.kind, 'translated', JSON.stringify(translation));
  return translation.kind === 'translated' ? translation.value.map(({ params }) => params.update) : [];
}

function errorOf(translation: Translation<unknown>): string | undefined {
  return translation.kind === 'error' ? translation.message : undefined;
}

const assistant = (...content: object[]) => ({ type: 'assistant', message: { id: 'msg_1', content } });
const toolUse = (name: string, input: object) => ({ type: 'tool_use', id: 'call_1', name, input });
const outcome = (members: object) => toPromptOutcome({ type: 'result', subtype: 'success', ...members });
const result = (id: string, content: unknown, isError?: boolean) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: isError,
});

describe('a prompt', () => {
  test('that is one text becomes a plain string', () => {
    assert.equal(contentOf(acpToStreamJson([{ type: 'text', text: 'Hello\nthere' }])), 'Hello\nthere');
  });

  test('keeps every block in order, with embedded text at the end', () => {
    const content = contentOf(
      acpToStreamJson([
        { type: 'text', text: 'Look at ' },
        { type: 'resource', resource: { uri: 'file:///w/a.ts', text: 'const a = "</b>";' } },
        { type: 'resource_link', uri: 'file:///w/b.ts', name: 'b.ts' },
        { type: 'image', data: 'aGk=', mimeType: 'image/png' },
        { type: 'resource', resource: { uri: 'file:///w/c.pdf', blob: 'aGk=', mimeType: 'application/pdf' } },
      ]),
    );
    assert.deepEqual(content, [
      { type: 'text', text: 'Look at ' },
      { type: 'text', text: '[@a.ts](file:///w/a.ts)' },
      { type: 'text', text: '[@b.ts](file:///w/b.ts)' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
      { type: 'text', text: '[@c.pdf](file:///w/c.pdf)' },
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' } },
      { type: 'text', text: '\n<context ref="file:///w/a.ts">\nconst a = "</b>";\n</context>' },
    ]);
  });

  test('with binary content that the model cannot read sends the address and warns', () => {
    const resource = { uri: 'file:///w/a.bin', blob: 'aGk=', mimeType: 'application/zip' };
    const translation = acpToStreamJson([{ type: 'resource', resource }]);
    assert.equal(contentOf(translation), '[@a.bin](file:///w/a.bin)');
    assert.match(
      translation.kind === 'translated' ? String(translation.warnings) : '',
      /prompt\[0\].*application\/zip/,
    );
  });

  const wrong: readonly (readonly [prompt: unknown, message: RegExp])[] = [
    [undefined, /^prompt: must be a list/],
    [[], /^prompt: must not be empty$/],
    [[null], /^prompt\[0\]: must be an object$/],
    [[{ type: 'text', text: 'a' }, { type: 'text' }], /^prompt\[1\]\.text: is missing$/],
    [[{ text: 'a' }], /^prompt\[0\]\.type: is missing$/],
    [[{ type: 'image', mimeType: 'image/png' }], /^prompt\[0\]\.data: is missing$/],
    [[{ type: 'resource' }], /^prompt\[0\]\.resource: is missing$/],
    [[{ type: 'resource', resource: { text: 'a' } }], /^prompt\[0\]\.resource\.uri: is missing$/],
    [[{ type: 'audio', data: '', mimeType: 'audio/wav' }], /^prompt\[0\]: audio is not supported/],
    [[{ type: 'toString' }], /^prompt\[0\]\.type: unknown: toString$/],
  ];
  for (const [prompt, message] of wrong) {
    test(`${JSON.stringify(prompt)} is an error that names the member`, () => {
      assert.match(errorOf(acpToStreamJson(prompt)) ?? '', message);
    });
  }
});

describe('a tool result', () => {
  test('becomes a user line', () => {
    assert.deepEqual(contentOf(toolResultToStreamJson('call_1', 'done')), [
      { tool_use_id: 'call_1', type: 'tool_result', content: [{ type: 'text', text: 'done' }] },
    ]);
  });

  test('may have several blocks, be an error, and come with others', () => {
    const content = contentOf(
      toolResultsToStreamJson([
        { id: 'a', result: { content: [{ type: 'content', content: { type: 'text', text: 'no' } }], isError: true } },
        {
          id: 'b',
          result: {
            content: [
              { type: 'text', text: '1' },
              { type: 'text', text: '2' },
            ],
          },
        },
        { id: 'c', result: { content: [] } },
      ]),
    );
    assert.deepEqual(content, [
      { tool_use_id: 'a', type: 'tool_result', content: [{ type: 'text', text: 'no' }], is_error: true },
      {
        tool_use_id: 'b',
        type: 'tool_result',
        content: [
          { type: 'text', text: '1' },
          { type: 'text', text: '2' },
        ],
      },
      { tool_use_id: 'c', type: 'tool_result', content: [] },
    ]);
  });

  test('that is wrong is an error', () => {
    assert.match(errorOf(toolResultToStreamJson('', 'a')) ?? '', /^id:/);
    assert.match(errorOf(toolResultToStreamJson('a', null as unknown as string)) ?? '', /^result: must be/);
    assert.match(
      errorOf(toolResultToStreamJson('a', { content: [{}] })) ?? '',
      /^result\.content\[0\]\.type: is missing/,
    );
    assert.match(errorOf(toolResultsToStreamJson([])) ?? '', /must not be empty/);
  });
});

describe('a line', () => {
  test('gives all its notifications', () => {
    const updates = updatesOf(
      assistant(
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hello' },
        { ...toolUse('Bash', { command: 'ls -l', description: 'List' }), id: 'call_0' },
        toolUse('Read', { file_path: '/w/a.ts', offset: 3, limit: 2 }),
      ),
    );
    assert.deepEqual(updates, [
      { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' }, messageId: 'msg_1' },
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'Hello' }, messageId: 'msg_1' },
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'call_0',
        status: 'pending',
        title: 'ls -l',
        name: 'Bash',
        kind: 'execute',
        content: [{ type: 'content', content: { type: 'text', text: 'List' } }],
        locations: [],
        rawInput: { command: 'ls -l', description: 'List' },
      },
      {
        sessionUpdate: 'tool_call',
        toolCallId: 'call_1',
        status: 'pending',
        title: 'Read /w/a.ts (lines 3–4)',
        name: 'Read',
        kind: 'read',
        content: [],
        locations: [{ path: '/w/a.ts', line: 3 }],
        rawInput: { file_path: '/w/a.ts', offset: 3, limit: 2 },
      },
    ]);
  });

  test('with an edit shows the change, with the names of the CLI and of forgeflare', () => {
    for (const input of [
      { file_path: '/w/a', old_string: 'x', new_string: 'y' },
      { file_path: '/w/a', old_str: 'x', new_str: 'y' },
      { file_path: '/w/a', edits: [{ old_string: 'x', new_string: 'y' }] },
    ]) {
      const [update] = updatesOf(assistant(toolUse('Edit', input)));
      assert.ok(update?.sessionUpdate === 'tool_call');
      assert.deepEqual(update.content, [{ type: 'diff', path: '/w/a', oldText: 'x', newText: 'y' }]);
    }
  });

  test('with a to-do list also gives a plan', () => {
    const todos = [{ content: 'one', status: 'completed' }, { content: 'two', status: 'odd' }, null];
    assert.deepEqual(updatesOf(assistant(toolUse('TodoWrite', { todos })))[1], {
      sessionUpdate: 'plan',
      entries: [
        { content: 'one', priority: 'medium', status: 'completed' },
        { content: 'two', priority: 'medium', status: 'pending' },
      ],
    });
  });

  test('with an unknown tool shows its name', () => {
    for (const name of ['mcp__x__y', 'constructor']) {
      const [update] = updatesOf(assistant(toolUse(name, {})));
      assert.ok(update?.sessionUpdate === 'tool_call');
      assert.deepEqual([update.title, update.kind], [name, 'other']);
    }
  });

  test('with results completes or fails the calls', () => {
    const content = [result('a', 'x ``` y'), result('b', [{ type: 'text', text: 'no' }], true), result('c', undefined)];
    assert.deepEqual(updatesOf({ type: 'user', message: { role: 'user', content } }), [
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'a',
        status: 'completed',
        content: [{ type: 'content', content: { type: 'text', text: '````\nx ``` y\n````' } }],
        rawOutput: 'x ``` y',
      },
      {
        sessionUpdate: 'tool_call_update',
        toolCallId: 'b',
        status: 'failed',
        content: [{ type: 'content', content: { type: 'text', text: '```\nno\n```' } }],
        rawOutput: 'no',
      },
      { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed', rawOutput: '' },
    ]);
  });

  test('of a subagent is not shown as the answer', () => {
    const line = { ...assistant({ type: 'text', text: 'inner' }), parent_tool_use_id: 'call_9' };
    assert.deepEqual(updatesOf(line), [
      {
        sessionUpdate: 'agent_thought_chunk',
        content: { type: 'text', text: 'inner' },
        messageId: 'msg_1',
        _meta: { 'simple-agents/parentToolCallId': 'call_9' },
      },
    ]);
  });

  test('with a delta gives a chunk; progress and modes are reported', () => {
    const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'a' } };
    assert.deepEqual(updatesOf({ type: 'stream_event', event: delta, api_message_id: 'm' }), [
      { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'a' }, messageId: 'm' },
    ]);
    assert.deepEqual(updatesOf({ type: 'tool_progress', tool_use_id: 'a' }), [
      { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'in_progress' },
    ]);
    assert.deepEqual(updatesOf({ type: 'system', subtype: 'status', permissionMode: 'plan' }), [
      { sessionUpdate: 'current_mode_update', currentModeId: 'plan' },
    ]);
  });

  test('without content for the editor gives nothing', () => {
    for (const line of [
      { type: 'system', subtype: 'init' },
      { type: 'result', subtype: 'success' },
      { type: 'user', message: { role: 'user', content: 'hi' }, isReplay: true },
      { type: 'control_request', request_id: 'r', request: { subtype: 'interrupt' } },
    ]) {
      assert.deepEqual(updatesOf(line), []);
    }
  });

  test('of an unknown type gives nothing and one warning', () => {
    assert.deepEqual(streamJsonToAcp('{"type":"novel"}', 's'), {
      kind: 'translated',
      value: [],
      warnings: ['Unknown message type: novel'],
    });
  });

  test('that is wrong is an error', () => {
    assert.match(
      errorOf(streamJsonToAcp('{"type":"assis', 's')) ?? '',
      /^Malformed JSON: .+\. Line: \{"type":"assis\.\.\.$/,
    );
    assert.equal(errorOf(streamJsonToAcp('{"type":"assistant"}', 's')), 'assistant: message is missing');
  });
});

describe('the end of a prompt', () => {
  test('the reason is found before the stop reason of the message', () => {
    const cases: readonly (readonly [members: object, stopReason: string])[] = [
      [{ stop_reason: 'end_turn', terminal_reason: 'completed' }, 'end_turn'],
      [
        {
          subtype: 'error_during_execution',
          terminal_reason: 'aborted_tools',
          stop_reason: 'tool_use',
          is_error: true,
        },
        'cancelled',
      ],
      [{ api_error: 'max_output_tokens', stop_reason: 'stop_sequence', is_error: true }, 'max_tokens'],
      [{ subtype: 'error_max_turns', is_error: true }, 'max_turn_requests'],
      [{ stop_reason: 'refusal', is_error: true }, 'refusal'],
    ];
    for (const [members, stopReason] of cases) assert.deepEqual(outcome(members), { kind: 'stop', stopReason });
  });

  test('errors keep their text; 401 requires authentication', () => {
    assert.deepEqual(outcome({ is_error: true, api_error_status: 401, result: 'Invalid API key' }), {
      kind: 'error',
      code: -32_000,
      message: 'Invalid API key',
    });
    assert.deepEqual(outcome({ is_error: true, api_error_status: 529, result: 'Overloaded' }), {
      kind: 'error',
      code: -32_603,
      message: 'Overloaded',
    });
  });

  test('the result of a background task does not end the prompt', () => {
    assert.equal(outcome({ origin: { kind: 'task-notification' } }), undefined);
  });
});

test('a version without a codec gets the newest', () => {
  for (const version of [1, 0, 99, '1', null, undefined]) assert.equal(codecFor(version).version, 1);
});
