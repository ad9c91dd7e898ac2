// Continuing a response that was cut off: complete, without repetition, and only if allowed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as fc from 'fast-check';
import { answerOf, collectEvents, failing, wordsOf } from '../../../test/support/policies.ts';
import { failsWith } from '../../../test/support/fails-with.ts';
import { eventsOf, never, request } from '../../../test/support/upstream.ts';
import { assemble } from '../../core/assembler.ts';
import type { CallContext } from '../../core/call.ts';
import type { SimpleAgentsError } from '../../core/error.ts';
import type { StreamEvent } from '../../core/event.ts';
import { text } from '../../core/message.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { timeoutError } from '../../core/timeout.ts';
import { withContinuation } from './continuation.ts';
import { createRouter } from '../routing/router.ts';
import { withRetry } from './retry.ts';

const on = { ...collectEvents().context, onCut: 'continue' } as const;

/** Returns the next of the streams for each call. */
function scripted(...streams: readonly (ModelStream | Error)[]) {
  const requests: ChatRequest[] = [];
  const contexts: (CallContext | undefined)[] = [];
  const provider: Provider = {
    name: 'scripted',
    open(asked, _signal, context) {
      const stream = streams[requests.length];
      requests.push(asked);
      contexts.push(context);
      return stream instanceof Error || stream === undefined
        ? Promise.reject(stream ?? failing('internal'))
        : Promise.resolve(stream);
    },
  };
  return { provider, requests, contexts };
}

/** The start of a response, cut off after its last piece. */
function cut(pieces: readonly string[], error: unknown = failing('network', 'the stream was cut')): ModelStream {
  return answerOf('a', wordsOf(...pieces).slice(0, pieces.length + 1), error);
}

const textsOf = (events: readonly StreamEvent[]) => assemble(events).content;

describe('a response that is cut off', () => {
  test('is continued by another call that gets the delivered text', async () => {
    const { provider, requests, contexts } = scripted(
      cut(['The quick ', 'brown']),
      answerOf('b', wordsOf(' fox', '.')),
    );
    const stream = await withContinuation(provider).open(request, never, on);
    const events = await eventsOf(stream);
    assert.deepEqual(textsOf(events), [text('The quick brown fox.')]);
    assert.deepEqual(await stream.ended, { type: 'complete', stopReason: 'end', usage: { input: 1, output: 2 } });
    const [, turn, instruction] = requests[1]?.messages ?? [];
    assert.deepEqual(turn, { role: 'assistant', content: [text('The quick brown')] });
    assert.equal(instruction?.role, 'user');
    assert.deepEqual(contexts[1]?.avoid, ['a']);
    const notices = events.filter((event) => event.type === 'notice');
    assert.deepEqual(notices, [
      {
        type: 'notice',
        kind: 'continuation',
        detail: 'a was cut off after 15 characters (the stream was cut); b continues',
      },
    ]);
    assert.equal(events.filter(({ type }) => type === 'message-start').length, 1);
    assert.equal(events.filter(({ type }) => type === 'block-end').length, 1);
  });

  test('is an error by default, without overhead', async () => {
    const first = cut(['The']);
    const { provider } = scripted(first, answerOf('b', wordsOf('!')));
    assert.equal(await withContinuation(provider).open(request, never), first);
    assert.equal(
      await withContinuation(scripted(first).provider, 'continue').open(request, never, { ...on, onCut: 'fail' }),
      first,
    );
  });

  test('anywhere, with any repetition, in any pieces, is complete and without duplicates', async () => {
    const sentence = 'Alpha bravo charlie delta echo foxtrot golf hotel india juliett.';
    const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: sentence.length - 1 }),
        fc.nat(sentence.length),
        pieces,
        pieces,
        fc.boolean(),
        async (at, repeated, before, after, isEnded) => {
          const from = startOf(sentence, at, repeated);
          const first = wordsOf(...chop(sentence.slice(0, at), before));
          // The block may have ended while the message has not.
          const events = first.slice(0, isEnded ? -1 : -2);
          const streams = [
            answerOf('a', events, failing('network')),
            answerOf('b', wordsOf(...chop(sentence.slice(from), after))),
          ];
          const stream = await withContinuation(scripted(...streams).provider, 'continue').open(request, never);
          assert.deepEqual(textsOf(await eventsOf(stream)), [text(sentence)]);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('may be cut off again, and fails after the third time', async () => {
    const pieces = ['one ', 'two ', 'three ', 'four ', 'five'];
    const streams = pieces.map((piece, ordinal) => (ordinal === 4 ? answerOf('e', wordsOf(piece)) : cut([piece])));
    const thrice = withContinuation(scripted(...streams.slice(0, 3), streams[4]!).provider, 'continue');
    assert.deepEqual(textsOf(await eventsOf(await thrice.open(request, never))), [text('one two three five')]);
    const again = pieces.map((piece) => cut([piece]));
    const stream = await withContinuation(scripted(...again).provider, 'continue').open(request, never);
    await assert.rejects(eventsOf(stream), failsWith('network', /^the stream was cut$/));
    assert.equal((await stream.ended).type, 'failed');
  });

  test('after reasoning keeps it, and drops the reasoning of continuations', async () => {
    const reasoning: StreamEvent = { type: 'reasoning-delta', index: 0, text: 'Hm.' };
    const begun = [{ type: 'message-start', id: 'x', model: 'm' } as const, reasoning];
    const later: StreamEvent[] = [
      { type: 'message-start', id: 'y', model: 'm' },
      { type: 'reasoning-delta', index: 0, text: 'I shall go on.' },
      { type: 'block-end', index: 0, block: { type: 'reasoning', text: 'I shall go on.' } },
      { type: 'text-delta', index: 1, text: 'Yes.' },
      { type: 'block-end', index: 1, block: text('Yes.') },
      { type: 'message-end', stopReason: 'end', usage: { input: 1, output: 1 } },
    ];
    const { provider, requests } = scripted(answerOf('a', begun, failing('overloaded')), answerOf('b', later));
    const events = await eventsOf(await withContinuation(provider, 'continue').open(request, never));
    assert.deepEqual(textsOf(events), [{ type: 'reasoning', text: 'Hm.' }, text('Yes.')]);
    assert.deepEqual(requests[1], request);
  });

  test('may be continued with a tool call, which has its own index', async () => {
    const later: StreamEvent[] = [
      { type: 'tool-call-start', index: 0, id: 't', name: 'look' },
      { type: 'block-end', index: 0, block: { type: 'tool-call', id: 't', name: 'look', input: {} } },
      { type: 'message-end', stopReason: 'tool-calls', usage: { input: 1, output: 1 } },
    ];
    const stream = await withContinuation(scripted(cut(['Wait.']), answerOf('b', later)).provider, 'continue').open(
      request,
      never,
    );
    const content = textsOf(await eventsOf(stream));
    assert.deepEqual(content, [text('Wait.'), { type: 'tool-call', id: 't', name: 'look', input: {} }]);
  });
});

async function fails(
  first: ModelStream,
  expected: (error: unknown) => boolean,
  asked: ChatRequest = request,
  signal = never,
) {
  const { provider, requests } = scripted(first, answerOf('b', wordsOf('never')));
  const stream = await withContinuation(provider, 'continue').open(asked, signal);
  await assert.rejects(eventsOf(stream), expected);
  assert.equal(requests.length, 1);
}

describe('a cut stays an error', () => {
  test('once a tool call has started', async () => {
    const events: StreamEvent[] = [
      ...wordsOf('x').slice(0, 2),
      { type: 'tool-call-start', index: 1, id: 't', name: 'look' },
    ];
    await fails(answerOf('a', events, failing('network')), failsWith('network', /./));
  });

  test('if the response must be JSON', async () => {
    await fails(cut(['{']), failsWith('network', /./), { ...request, responseFormat: { type: 'json' } });
  });

  test('for other kinds of errors, after the total time-out, and after an abort', async () => {
    await fails(cut(['x'], failing('healing')), failsWith('healing', /./));
    await fails(cut(['x'], timeoutError('no complete response arrived', 'total', 5)), failsWith('timeout', /total/));
    const controller = new AbortController();
    const reason = failing('network');
    controller.abort(reason);
    await fails(cut(['x'], reason), (error) => error === reason, request, controller.signal);
  });

  test('if no target can continue, with the reason', async () => {
    const { provider } = scripted(cut(['x']), failing('quota', 'No credit.'));
    const stream = await withContinuation(provider, 'continue').open(request, never);
    const expected = failsWith('network', /^the stream was cut; no other target could continue: No credit\.$/);
    await assert.rejects(eventsOf(stream), (error: SimpleAgentsError) => expected(error));
  });
});

test('leaving the loop closes the current stream', async () => {
  const later = answerOf('b', wordsOf('two', 'three'));
  const stream = await withContinuation(scripted(cut(['one ']), later).provider, 'continue').open(request, never);
  for await (const event of stream) if (event.type === 'text-delta' && event.text === 'two') break;
  assert.equal((await later.ended).type, 'left');
  assert.equal((await stream.ended).type, 'left');
});

test('the next target of a router continues, or the same if there is only one', async () => {
  const { context, events } = collectEvents();
  const asked: string[] = [];
  const target = (name: string, stream: () => ModelStream) => ({
    name: `${name}/m`,
    model: 'm',
    provider: withRetry({ name, open: async () => (asked.push(name), stream()) }, { target: `${name}/m` }),
  });
  const [a, b] = [target('a', () => cut(['one '])), target('b', () => answerOf('b', wordsOf('two')))];
  const both = await withContinuation(createRouter({ targets: [a, b] }), 'continue').open(request, never, context);
  assert.deepEqual(textsOf(await eventsOf(both)), [text('one two')]);
  assert.deepEqual(asked, ['a', 'b']);
  const event = events.find(({ type }) => type === 'continuation');
  assert.ok(event?.type === 'continuation');
  assert.deepEqual([event.from, event.target, event.delivered], ['a/m', 'b/m', 4]);
  const alone = await withContinuation(createRouter({ targets: [a] }), 'continue').open(request, never);
  await assert.rejects(eventsOf(alone), failsWith('network', /./));
  assert.deepEqual(asked, ['a', 'b', 'a', 'a', 'a', 'a']);
});

/** Models repeat from the start of a word, or a long passage. */
function startOf(sentence: string, at: number, repeated: number): number {
  const from = Math.max(0, at - repeated);
  const letters = sentence.slice(from, at).match(/\w/g)?.length ?? 0;
  return letters >= 4 ? from : at;
}

function chop(words: string, sizes: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let from = 0, turn = 0; from < words.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(words.slice(from, from + size));
    from += size;
  }
  return pieces;
}
