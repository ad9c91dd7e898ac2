// The agent loop with a scripted model over real HTTP, in both wires: stop reasons, what is kept, and what is sent next.
// The simulator rejects invalid conversations, so every test here also shows that ours are valid.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import * as z from 'zod';
import type { Tool } from '../../src/agent/tool.ts';
import { defineTool } from '../../src/agent/tool.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { createAgent } from '../../src/agent/agent.ts';
import { createSimulateServer } from '../../src/testing/simulate/server.ts';
import { anthropicMessages } from '../../src/wire/anthropic-messages/client.ts';
import { eventsOf, hastyClock, inBothWires, noticesOf, readRun, startAgent } from '../support/agent-model.ts';
import { startHttpServer } from '../support/server.ts';
import { begin, close, finish, providerFor, start, streams, write, type Script } from '../support/upstream.ts';
import { createClient } from '../../src/node.ts';

const look = defineTool({
  name: 'look',
  description: 'Looks somewhere',
  effect: 'pure',
  input: z.object({ at: z.string() }),
  run: ({ at }) => `${at} is blue`,
});

const cut = (reply: ScriptedReply): ScriptedReply => ({ ...reply, stopReason: 'length' });
const call = (id: string, at: string) => ({ name: 'look', id, input: { at } });

describe('an answer that has ended', () => {
  inBothWires('ends the turn, and the next one continues from it', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        { text: 'Hello.', usage: { input: 10, output: 2 } },
        { text: 'Again.', usage: { input: 20, output: 3 } },
      ],
      system: 'Be brief.',
    });
    const { end, types } = await readRun(agent.run('Hi'));
    assert.deepEqual(types, ['turn-start', 'turn-end']);
    assert.deepEqual([end.reason, end.text, end.iterations], ['end', 'Hello.', 0]);
    assert.deepEqual([end.usage.input, end.usage.output], [10, 2]);
    const result = await agent.run('More').result();
    assert.equal(result.text, 'Again.');
    assert.deepEqual(asked(), [
      ['system: Be brief.', 'user: Hi'],
      ['system: Be brief.', 'user: Hi', 'assistant: Hello.', 'user: More'],
    ]);
    assert.deepEqual(result.messages, agent.messages);
  });

  inBothWires('without text leaves a conversation that can continue', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ blocks: [] }, { blocks: [{ type: 'text', text: '  \n' }] }, { text: 'Here.' }],
    });
    assert.equal((await readRun(agent.run('Hi'))).end.text, '');
    assert.equal((await readRun(agent.run('Hello?'))).end.reason, 'end');
    await readRun(agent.run('Anyone?'));
    assert.deepEqual(asked()[2], [
      'user: Hi',
      'assistant: [Empty response]',
      'user: Hello?',
      'assistant: [Empty response]',
      'user: Anyone?',
    ]);
  });

  inBothWires('with the reason tool-calls but without a call ends the turn', async (context, wire) => {
    const { agent, server } = await startAgent(context, wire, {
      replies: [{ text: 'I would call.', stopReason: 'tool-calls' }],
      tools: [look],
    });
    assert.equal((await readRun(agent.run('Look'))).end.reason, 'end');
    assert.equal(server.requests.length, 1);
  });

  inBothWires('at a stop sequence ends the turn', async (context, wire) => {
    const { agent } = await startAgent(context, wire, { replies: [{ text: 'One', stopReason: 'stop-sequence' }] });
    assert.equal((await readRun(agent.run('Count'))).end.reason, 'end');
  });

  inBothWires('with a refusal is not kept, and neither is what was refused', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ text: 'Hello.' }, { text: 'I will not.', stopReason: 'refusal' }, { text: 'Gladly.' }],
    });
    await readRun(agent.run('Hi'));
    const { end } = await readRun(agent.run('Something bad'));
    assert.deepEqual([end.reason, end.text], ['refusal', 'I will not.']);
    await readRun(agent.run('Something good'));
    assert.deepEqual(asked()[2], ['user: Hi', 'assistant: Hello.', 'user: Something good']);
  });

  test('with a pause goes back as it is, and what follows is the same answer (anthropic)', async (context) => {
    const { agent, asked } = await startAgent(context, 'anthropic', {
      replies: [{ text: 'Searching ', stopReason: 'pause' }, { text: ' and found.' }, { text: 'Bye.' }],
    });
    const { end } = await readRun(agent.run('Search'));
    assert.deepEqual([end.reason, end.text, end.iterations], ['end', 'Searching  and found.', 1]);
    await readRun(agent.run('Thanks'));
    assert.deepEqual(asked().slice(1), [
      ['user: Search', 'assistant: Searching'],
      ['user: Search', 'assistant: Searching', 'assistant:  and found.', 'user: Thanks'],
    ]);
  });
});

describe('tool calls', () => {
  inBothWires('are run, and all results go back in one message, in call order', async (context, wire) => {
    const gates = new Map<string, () => void>();
    const slow = defineTool({
      name: 'look',
      description: 'Looks somewhere, in its own time',
      effect: 'pure',
      input: z.object({ at: z.string() }),
      run: ({ at }) => new Promise<string>((resolve) => gates.set(at, () => resolve(`${at}!`))),
    });
    const { agent, asked, server } = await startAgent(context, wire, {
      replies: [
        { text: 'Looking.', toolCalls: [call('a', 'sky'), call('b', 'sea'), call('c', 'land')] },
        { text: 'Done.' },
      ],
      tools: [slow],
    });
    const run = agent.run('Look everywhere');
    const reading = readRun(run);
    while (gates.size < 3) await new Promise((resolve) => setImmediate(resolve));
    for (const place of ['land', 'sky', 'sea']) gates.get(place)?.();
    const { end, types, events } = await reading;
    assert.equal(end.reason, 'end');
    assert.equal(end.iterations, 1);
    assert.deepEqual(types.slice(1, 4), ['tool-start', 'tool-start', 'tool-start']);
    assert.deepEqual(
      eventsOf({ events }, 'tool-end').map(({ id }) => id),
      ['c', 'a', 'b'],
    );
    assert.deepEqual(asked()[1]?.slice(5), ['user: a → sky!', 'user: b → sea!', 'user: c → land!']);
    const bodies = server.requests[1]?.body as { messages: unknown[] };
    assert.equal(bodies.messages.length, wire === 'anthropic' ? 3 : 5);
  });

  inBothWires('run one after the other when one of them changes something', async (context, wire) => {
    const order: string[] = [];
    const tool = (name: string, effect: 'pure' | 'mutating') =>
      defineTool({
        name,
        description: name,
        effect,
        run: async () => {
          order.push(`${name} starts`);
          await new Promise((resolve) => setImmediate(resolve));
          order.push(`${name} ends`);
          return name;
        },
      });
    const { agent } = await startAgent(context, wire, {
      replies: [{ toolCalls: [{ name: 'read' }, { name: 'write' }, { name: 'read', id: 'r2' }] }, { text: 'Done.' }],
      tools: [tool('read', 'pure'), tool('write', 'mutating')],
    });
    await readRun(agent.run('Go'));
    const sequence = ['read starts', 'read ends', 'write starts', 'write ends', 'read starts', 'read ends'];
    assert.deepEqual(order, sequence);
  });

  inBothWires('that fail are reported to the model and do not affect the others', async (context, wire) => {
    const fail = defineTool({
      name: 'fail',
      description: 'Fails',
      effect: 'pure',
      run: () => {
        throw new Error('the door is locked');
      },
    });
    const nothing = defineTool({ name: 'nothing', description: 'Says nothing', effect: 'pure', run: () => undefined });
    const { agent, asked, server } = await startAgent(context, wire, {
      replies: [
        { toolCalls: [{ name: 'fail', id: 'f' }, call('a', 'sky'), { name: 'nothing', id: 'n' }] },
        { text: 'Done.' },
      ],
      tools: [fail, look, nothing],
    });
    const { events } = await readRun(agent.run('Go'));
    assert.deepEqual(asked()[1]?.slice(4), [
      'user: f → the door is locked',
      'user: a → sky is blue',
      'user: n → (no output)',
    ]);
    assert.deepEqual(
      eventsOf({ events }, 'tool-end').map(({ id, result }) => [id, result.isError === true]),
      [
        ['f', true],
        ['a', false],
        ['n', false],
      ],
    );
    assert.equal(JSON.stringify(server.requests[1]?.body).includes('"is_error":true'), wire === 'anthropic');
  });

  inBothWires('show their output while they run, and nothing afterwards', async (context, wire) => {
    let late: (() => void) | undefined;
    const talk = defineTool({
      name: 'talk',
      description: 'Talks',
      run: (_input, { output }) => {
        output('one ');
        output('');
        output('two');
        late = () => output('too late');
        return 'done';
      },
    });
    const { agent } = await startAgent(context, wire, {
      replies: [{ toolCalls: [{ name: 'talk', id: 't' }] }, { text: 'Done.' }],
      tools: [talk],
    });
    const events = [];
    for await (const event of agent.run('Go')) {
      if (event.type === 'tool-end') late?.();
      events.push(event);
    }
    const outputs = eventsOf({ events }, 'tool-output').map(({ id, chunk }) => `${id} ${chunk}`);
    assert.deepEqual(outputs, ['t one ', 't two']);
  });

  inBothWires('streamed in turns are put together', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ toolCalls: [call('a', 'the sky'), call('b', 'the sea')], interleave: true }, { text: 'Done.' }],
      tools: [look],
    });
    await readRun(agent.run('Look'));
    assert.deepEqual(asked()[1]?.slice(3), ['user: a → the sky is blue', 'user: b → the sea is blue']);
  });

  inBothWires('with damaged arguments are healed, and kept healed', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ toolCalls: [{ name: 'look', id: 'a', rawInput: "{at: 'sky',}" }] }, { text: 'Done.' }],
      tools: [look],
    });
    await readRun(agent.run('Look'));
    assert.deepEqual(asked()[1]?.slice(1), ['assistant: a = look({"at":"sky"})', 'user: a → sky is blue']);
  });

  inBothWires('whose arguments mean nothing are answered with the field that is wrong', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        {
          toolCalls: [
            { name: 'look', id: 'a', rawInput: '{"where": 1' },
            { name: 'look', id: 'b', input: {} },
          ],
        },
        { text: 'Done.' },
      ],
      tools: [look],
    });
    const { end } = await readRun(agent.run('Look'));
    assert.equal(end.reason, 'end');
    const results = asked()[1]?.filter((line) => line.startsWith('user: ') && line.includes('→')) ?? [];
    assert.equal(results.length, 2);
    for (const result of results) {
      assert.match(result, /→ The input of look is not valid: .*\bat\b.*Correct it and call the tool again\.$/);
    }
  });

  inBothWires('of a tool that is not there name the one that is', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [{ toolCalls: [{ name: 'loook', id: 'a' }] }, { text: 'Done.' }],
      tools: [look],
    });
    await readRun(agent.run('Look'));
    assert.equal(asked()[1]?.at(-1), 'user: a → Unknown tool "loook"; did you mean "look"? Available tools: look.');
  });

  inBothWires('that come twice run once, and are kept once', async (context, wire) => {
    let runs = 0;
    const count = defineTool({ name: 'count', description: 'Counts', run: () => String((runs += 1)) });
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        {
          toolCalls: [
            { name: 'count', id: 'a' },
            { name: 'count', id: 'a' },
          ],
        },
        { text: 'Done.' },
      ],
      tools: [count],
    });
    const { events } = await readRun(agent.run('Count'));
    assert.equal(runs, 1);
    assert.deepEqual(asked()[1], ['user: Count', 'assistant: a = count({})', 'user: a → 1']);
    const warned = events.some(
      ({ type, ...rest }) => /sent the tool call a twice/.test(JSON.stringify(rest)) && type === 'model-event',
    );
    assert.ok(warned, 'the wire warned');
  });

  test('that come twice from a provider that lets them pass run once, with a warning', async () => {
    let runs = 0;
    const count = defineTool({ name: 'count', description: 'Counts', run: () => String((runs += 1)) });
    const twice = [
      { name: 'count', id: 'a' },
      { name: 'count', id: 'a' },
    ];
    const provider = createSimulatedProvider({ script: { replies: [{ toolCalls: twice }, { text: 'Done.' }] } });
    const reading = await readRun(createAgent({ provider, tools: [count], clock: hastyClock() }).run('Count'));
    assert.equal(runs, 1);
    assert.deepEqual(noticesOf(reading), ['call-duplicate: the call of count arrived twice (a) and runs once']);
  });

  inBothWires('get unique ids if a server restarts its numbering with each response', async (context, wire) => {
    const replies: ScriptedReply[] = [
      { toolCalls: [call('c0', 'sky')] },
      { toolCalls: [call('c0', 'sea')] },
      { text: 'Done.' },
    ];
    const { agent, asked } = await startAgent(context, wire, { replies, tools: [look] });
    await readRun(agent.run('Look'));
    assert.deepEqual(asked()[2]?.slice(1), [
      'assistant: c0 = look({"at":"sky"})',
      'user: c0 → sky is blue',
      'assistant: c0_2 = look({"at":"sea"})',
      'user: c0_2 → sea is blue',
    ]);
  });

  inBothWires('stop after fifty rounds, and the conversation can continue', async (context, wire) => {
    const { agent, server, asked } = await startAgent(context, wire, {
      replies: [
        { match: { lastRole: 'tool' }, toolCalls: [{ name: 'look', input: { at: 'on' } }] },
        { match: { contains: 'Look' }, text: 'So be it.', toolCalls: [{ name: 'look', input: { at: 'on' } }] },
        { match: { contains: 'Enough' }, text: 'Yes.' },
      ],
      tools: [look],
    });
    const reading = await readRun(agent.run('Look'));
    assert.deepEqual([reading.end.reason, reading.end.iterations], ['iteration-limit', 50]);
    assert.deepEqual(noticesOf(reading), [
      'iteration-limit: the model called tools 50 times, which is the limit; the turn ends',
    ]);
    assert.equal(server.requests.length, 51);
    assert.equal((await readRun(agent.run('Enough'))).end.text, 'Yes.');
    assert.deepEqual(asked()[51]?.slice(-2), ['assistant: [Stopped after 50 rounds of tools]', 'user: Enough']);
  });

  inBothWires('stop at the limit of responses, once the calls of the last one have run', async (context, wire) => {
    const { agent, server } = await startAgent(context, wire, {
      replies: [
        { match: { contains: 'Enough' }, text: 'Yes.' },
        { text: 'So be it.', toolCalls: [{ name: 'look', input: { at: 'on' } }] },
        { text: 'So be it.', toolCalls: [{ name: 'look', input: { at: 'on' } }] },
      ],
      tools: [look],
      limits: { responses: 2 },
    });
    const reading = await readRun(agent.run('Look'));
    assert.deepEqual([reading.end.reason, reading.end.iterations], ['iteration-limit', 2]);
    assert.equal(server.requests.length, 2);
    assert.equal((await readRun(agent.run('Enough'))).end.text, 'Yes.');
  });

  inBothWires('keep the thoughts that led to them', async (context, wire) => {
    const { agent, server } = await startAgent(context, wire, {
      replies: [
        { reasoning: 'I must look.', toolCalls: [call('a', 'sky')] },
        { reasoning: 'Seen.', text: 'Blue.' },
      ],
      tools: [look],
      reasoning: { budgetTokens: 2000 },
    });
    assert.equal((await readRun(agent.run('Look'))).end.text, 'Blue.');
    assert.equal(JSON.stringify(server.requests[1]?.body).includes('I must look.'), wire === 'anthropic');
  });
});

describe('an answer cut by the length limit', () => {
  inBothWires('is continued three times at most', async (context, wire) => {
    const replies = ['one ', 'two ', 'three ', 'four'].map((text) => cut({ text }));
    const { agent, asked, server } = await startAgent(context, wire, { replies: [...replies, { text: 'Well.' }] });
    const reading = await readRun(agent.run('Count'));
    assert.deepEqual([reading.end.reason, reading.end.text], ['continuation-cap', 'one two three four']);
    assert.equal(reading.end.iterations, 0);
    assert.equal(server.requests.length, 4);
    const asks = [1, 2, 3].map(
      (n) => `continuation: Response truncated at max_tokens, requesting continuation (${n}/3)`,
    );
    assert.deepEqual(noticesOf(reading).slice(0, 3), asks);
    assert.match(noticesOf(reading)[3] ?? '', /^continuation-cap: /);
    assert.deepEqual(asked()[1], ['user: Count', 'assistant: one ', 'user: Continue from where you left off.']);
    await readRun(agent.run('And?'));
    assert.deepEqual(asked()[4]?.slice(-2), ['assistant: four', 'user: And?']);
  });

  inBothWires('and then finished is one answer', async (context, wire) => {
    const { agent } = await startAgent(context, wire, { replies: [cut({ text: 'Hel' }), { text: 'lo.' }] });
    const result = await agent.run('Hi').result();
    assert.deepEqual([result.reason, result.text], ['end', 'Hello.']);
  });

  inBothWires('with complete tool calls runs them, and does not count as a continuation', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [cut({ text: 'Look:', toolCalls: [call('a', 'sky')] }), { text: 'Done.' }],
      tools: [look],
    });
    const reading = await readRun(agent.run('Look'));
    assert.deepEqual([reading.end.reason, reading.end.iterations], ['end', 1]);
    assert.deepEqual(noticesOf(reading), []);
    assert.equal(asked()[1]?.at(-1), 'user: a → sky is blue');
  });

  inBothWires('drops the incomplete call and runs the one before it', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        cut({ toolCalls: [call('a', 'sky'), { name: 'look', id: 'b', rawInput: '{"at": "se' }] }),
        { text: 'Done.' },
      ],
      tools: [look],
    });
    const reading = await readRun(agent.run('Look'));
    assert.deepEqual(noticesOf(reading), ['call-drop: the call of look was cut off and is dropped']);
    assert.deepEqual(asked()[1], ['user: Look', 'assistant: a = look({"at":"sky"})', 'user: a → sky is blue']);
  });

  inBothWires('with text and half a call continues from the text', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [cut({ text: 'I look.', toolCalls: [{ name: 'look', rawInput: '{"at' }] }), { text: 'Done.' }],
      tools: [look],
    });
    const reading = await readRun(agent.run('Look'));
    assert.equal(reading.end.reason, 'end');
    assert.deepEqual(asked()[1], ['user: Look', 'assistant: I look.', 'user: Continue from where you left off.']);
  });

  inBothWires('with half a call only stops, and leaves a mark', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [cut({ toolCalls: [{ name: 'look', rawInput: '{"at' }] }), { text: 'Yes?' }],
      tools: [look],
    });
    const reading = await readRun(agent.run('Look'));
    assert.equal(reading.end.reason, 'length');
    assert.equal(asked().length, 1);
    await readRun(agent.run('And?'));
    assert.deepEqual(asked()[1], ['user: Look', 'assistant: [Response truncated]', 'user: And?']);
  });

  inBothWires('with nothing stops', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, { replies: [cut({ blocks: [] }), { text: 'Yes?' }] });
    assert.equal((await readRun(agent.run('Hi'))).end.reason, 'length');
    await readRun(agent.run('And?'));
    assert.deepEqual(asked()[1], ['user: Hi', 'assistant: [Response truncated]', 'user: And?']);
  });

  inBothWires('in the middle of a thought stops, and the thought is not kept', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [cut({ reasoning: 'Let me see' }), { text: 'Yes?' }],
      reasoning: { budgetTokens: 2000 },
    });
    assert.equal((await readRun(agent.run('Hi'))).end.reason, 'length');
    await readRun(agent.run('And?'));
    assert.deepEqual(asked()[1], ['user: Hi', 'assistant: [Response truncated]', 'user: And?']);
  });
});

describe('a turn’s account', () => {
  inBothWires('adds up the tokens of all its responses, and starts at zero in the next turn', async (context, wire) => {
    const { agent } = await startAgent(context, wire, {
      replies: [
        { toolCalls: [call('a', 'sky')], usage: { input: 100, output: 10, cacheRead: 50 } },
        { text: 'Done.', usage: { input: 200, output: 20, cacheRead: 70 } },
        { text: 'Yes.', usage: { input: 1, output: 1 } },
      ],
      tools: [look],
    });
    const { usage } = (await readRun(agent.run('Look'))).end;
    assert.deepEqual([usage.input, usage.output, usage.cacheRead], [300, 30, 120]);
    assert.equal((await readRun(agent.run('Well?'))).end.usage.input, 1);
  });

  inBothWires('adds up what a client’s answers cost', async (context, wire) => {
    const usage = { input: 1_000, output: 100 };
    const replies = [
      { toolCalls: [call('a', 'sky')], usage },
      { text: 'Done.', usage },
    ];
    const server = await createSimulateServer({ script: { replies } });
    context.after(() => server.close());
    const prices = { [`${wire}/m`]: { input: 2, output: 10 } };
    const client = createClient({ provider: wire, apiKey: 'any', baseUrl: `${server.url}/v1`, prices });
    context.after(() => client.close());
    const { cost } = await createAgent({ client, model: `${wire}/m`, tools: [look] })
      .run('Look')
      .result();
    assert.equal(cost?.toFixed(6), '0.006000');
  });

  inBothWires('is given with every answer, also with summaries', async (context, wire) => {
    const usage = { input: 1_000, output: 100 };
    const spent: number[] = [];
    const { agent } = await startAgent(context, wire, {
      replies: [
        { text: 'Done.', usage },
        { text: '', usage },
        { text: 'A summary.', usage },
      ],
      onSpend: ({ usage: each }) => void spent.push(each.input),
    });
    await readRun(agent.run('Tell'));
    await assert.rejects(agent.compact(), /the summary is empty/);
    assert.notEqual(await agent.compact(), undefined);
    assert.deepEqual(spent, [1_000, 1_000, 1_000]);
  });

  test('counts what was reported of an answer that was cut, and of one that was cancelled', async (context) => {
    const tries: Script[] = [
      (response) => void response.end(start + begin + write('Once')),
      (response) => void response.end(start + begin + write('Done.') + close + finish),
      (response) => void response.write(start + begin + write('Once')),
    ];
    const listener = streams((response, incoming) => tries.shift()?.(response, incoming));
    const { origin } = await startHttpServer(context, listener);
    const spent: number[] = [];
    const agent = createAgent({
      provider: providerFor(context, origin, { wire: anthropicMessages }),
      model: 'm',
      clock: hastyClock(),
      onSpend: ({ usage }) => void spent.push(usage.input),
    });
    const { end } = await readRun(agent.run('Tell'));
    assert.deepEqual([end.text, end.usage.input, end.usage.output], ['Done.', 6, 3]);
    const cancel = new AbortController();
    for await (const event of agent.run('Again', { signal: cancel.signal })) {
      if (event.type === 'model-event' && event.event.type === 'text-delta') cancel.abort();
      if (event.type === 'turn-end') assert.deepEqual([event.reason, event.usage.input], ['cancelled', 3]);
    }
    assert.deepEqual(spent, [3, 3, 3]);
  });

  test('adds up the cost, and ends the turn at its limit', async (context) => {
    const tools: Tool[] = [look];
    const { agent } = await startAgent(context, 'openai', { replies: [{ text: 'Hi.' }], tools });
    assert.equal((await readRun(agent.run('Hi'))).end.cost, undefined, 'the price is unknown');
    const script = {
      replies: [{ toolCalls: [call('a', 'sky')] }, { toolCalls: [call('b', 'sea')] }, { text: 'Done.' }],
    };
    const provider = { ...createSimulatedProvider({ script }), costOf: () => 0.25 };
    const limited = createAgent({ provider, tools, limits: { cost: 0.5 } });
    const { end } = await readRun(limited.run('Look'));
    assert.deepEqual([end.reason, end.cost, end.iterations], ['cost-limit', 0.5, 2]);
    assert.equal(limited.messages.at(-1)?.role, 'assistant');
  });
});
