// Scripts: errors name the field, and playback selects the right reply.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { SimpleAgentsError } from '../../core/error.ts';
import type { ChatRequest } from '../../core/request.ts';
import { Playback } from './playback.ts';
import { contentOf, parseScript } from './script.ts';

function ask(question: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return { model: 'simulated', messages: [{ role: 'user', content: [{ type: 'text', text: question }] }], ...more };
}

function words(playback: Playback, request: ChatRequest): string | undefined {
  return playback.next(request)?.text;
}

function refusal(document: unknown): string {
  try {
    parseScript(document);
  } catch (error) {
    assert.ok(error instanceof SimpleAgentsError);
    assert.equal(error.kind, 'bad-request');
    return error.message;
  }
  return assert.fail('the script was taken');
}

describe('an invalid script is an error that names the field', () => {
  const cases: readonly (readonly [string, unknown])[] = [
    ['the top level: must be an object', []],
    ['replies: is required', {}],
    ['reples: unknown name `reples`; did you mean `replies`?', { reples: [] }],
    ['replies: must be a list', { replies: {} }],
    ['replies[0]: must be an object', { replies: ['hi'] }],
    ['replies[0].txt: unknown name `txt`; did you mean `text`?', { replies: [{ txt: 'hi' }] }],
    [
      'replies[2].toolCalls[0].name: must be a string',
      { replies: [{ text: 'a' }, { text: 'b' }, { toolCalls: [{ name: 1 }] }] },
    ],
    ['replies[0].toolCalls[0].name: is required', { replies: [{ toolCalls: [{ input: {} }] }] }],
    [
      'replies[0].toolCalls[0].rawInput: cannot be combined with input; remove one of them',
      { replies: [{ toolCalls: [{ name: 'a', input: 1, rawInput: '' }] }] },
    ],
    [
      'replies[0].blocks[1].type: unknown name `txet`; did you mean `text`?',
      { replies: [{ blocks: [{ type: 'text', text: '' }, { type: 'txet' }] }] },
    ],
    [
      'replies[0].text: cannot be combined with blocks; add it to the list of blocks',
      { replies: [{ text: 'a', blocks: [] }] },
    ],
    ['replies[0]: has no content; add text, json, toolCalls, blocks or a fault', { replies: [{ match: 'a' }] }],
    ['replies[0].match: is empty; leave it out to reply in order', { replies: [{ match: {}, text: 'a' }] }],
    ['replies[0].times: must be an integer, 1 or more', { replies: [{ times: 0, text: 'a' }] }],
    [
      'replies[0].stopReason: unknown name `because`; valid names are end, length, tool-calls, stop-sequence, refusal, pause',
      { replies: [{ text: 'a', stopReason: 'because' }] },
    ],
    ['replies[0].fault.statos: unknown name `statos`; did you mean `status`?', { replies: [{ fault: { statos: 1 } }] }],
    ['replies[0].fault.status: must be an integer, from 400 to 599', { replies: [{ fault: { status: 200 } }] }],
    [
      'replies[0].fault.damage: unknown name `fences`; did you mean `fence`?',
      { replies: [{ fault: { damage: 'fences' } }] },
    ],
    ['replies[0].fault.stallMs: requires stallAtByte', { replies: [{ fault: { stallMs: 1 } }] }],
  ];
  for (const [message, document] of cases) test(message, () => assert.equal(refusal(document), message));

  test('an invalid regular expression', () => {
    assert.match(
      refusal({ replies: [{ match: { regex: '(' }, text: 'a' }] }),
      /^replies\[0\]\.match\.regex: is not a regular expression/u,
    );
  });
});

describe('playback', () => {
  test('ordered replies are used one by one, then comes an error', () => {
    const playback = new Playback(parseScript({ replies: [{ text: 'one' }, { text: 'two', times: 2 }] }));
    assert.deepEqual(
      [1, 2, 3].map(() => words(playback, ask('x'))),
      ['one', 'two', 'two'],
    );
    assert.throws(
      () => playback.next(ask('x')),
      /all 2 ordered replies in the script are used up.*"otherwise": "reply"/u,
    );
  });

  test('a match takes precedence over the order, as often as `times` allows', () => {
    const playback = new Playback(
      parseScript({
        replies: [{ text: 'one' }, { match: 'WEATHER', times: 1, text: 'sun' }, { match: { regex: '^w' }, text: 'w' }],
      }),
    );
    const asked = ['the weather', 'weather again', 'hello', 'what'];
    assert.deepEqual(
      asked.map((text) => words(playback, ask(text))),
      ['sun', 'w', 'one', 'w'],
    );
  });

  test('every condition must hold', () => {
    const playback = new Playback(
      parseScript({
        otherwise: 'reply',
        replies: [
          { match: { contains: 'go', model: 'big', lastRole: 'user', system: 'pirate', tool: 'sail' }, text: 'aye' },
        ],
      }),
    );
    const system = { role: 'system', content: [{ type: 'text', text: 'Talk like a Pirate.' }] } as const;
    const full: ChatRequest = {
      model: 'big',
      messages: [system, ...ask('go!').messages],
      tools: [{ name: 'sail', inputSchema: {} }],
    };
    assert.equal(words(playback, full), 'aye');
    assert.equal(words(playback, { ...full, model: 'small' }), undefined);
    assert.equal(words(playback, { ...full, messages: ask('go!').messages }), undefined);
    assert.equal(words(playback, { ...full, tools: [] }), undefined);
  });

  test('tool results can be matched by role and by text', () => {
    const playback = new Playback(
      parseScript({ otherwise: 'reply', replies: [{ match: { lastRole: 'tool', contains: 'sunny' }, text: 'nice' }] }),
    );
    const result = { type: 'tool-result', callId: 'c', content: [{ type: 'text', text: 'Sunny' }] } as const;
    assert.equal(words(playback, { model: 'm', messages: [{ role: 'user', content: [result] }] }), 'nice');
    assert.equal(words(playback, ask('sunny')), undefined);
  });

  test('the short fields become blocks in a fixed order; without them, the model composes the reply', () => {
    const [full, only] = parseScript({
      replies: [{ toolCalls: [{ name: 'f' }], json: [1], text: 'hi', reasoning: 'hm' }, { fault: { status: 500 } }],
    }).replies;
    assert.deepEqual(
      contentOf(full!)?.map(({ type }) => type),
      ['reasoning', 'text', 'json', 'tool-call'],
    );
    assert.equal(contentOf(only!), undefined);
  });
});
