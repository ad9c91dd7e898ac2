// Subagents: a task runs in a conversation of its own, with at most the rights of the agent, and everything it spends counts
// to the agent's turn.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createAgent } from '../../src/agent/agent.ts';
import type { PolicyCall, ToolPolicy } from '../../src/agent/policy.ts';
import { defineTool, toErrorAnswer } from '../../src/agent/tool.ts';
import type { Spending } from '../../src/agent/turn-state.ts';
import { createSimulatedProvider } from '../../src/testing/model/provider.ts';
import { eventsOf, inBothWires, linesOf, readRun, startAgent } from '../support/agent-model.ts';
import { change, checkOrder, helper, look, nestedIn, on, subagentModel, task } from '../support/subagent-model.ts';

describe('a task', () => {
  inBothWires('runs in its own conversation and returns its final text', async (context, wire) => {
    const { agent, asked } = await startAgent(context, wire, {
      replies: [
        { text: 'I delegate.', toolCalls: [task('t1', 'Which colour is the sky?')] },
        on('Which colour', { text: 'I look.', toolCalls: [{ name: 'look', id: 'c1', input: { at: 'sky' } }] }),
        on('sky is blue', { text: 'It is blue.' }),
        { text: 'Blue, says the helper.' },
      ],
      system: 'Be brief.',
      tools: [look, change],
      subagents: [{ ...helper, tools: ['look'] }],
    });
    const { events, end } = await readRun(agent.run('What colour?'));
    assert.deepEqual([end.text, end.iterations], ['Blue, says the helper.', 1]);
    checkOrder(events);
    const inner = nestedIn(events, 't1').filter(({ type }) => type !== 'model-event');
    assert.deepEqual(
      inner.map(({ type }) => type),
      ['turn-start', 'tool-start', 'tool-end', 'turn-end'],
    );
    assert.deepEqual(asked()[1], ['system: You are a helper.', 'user: Which colour is the sky?']);
    assert.deepEqual(asked()[3]?.slice(-1), ['user: t1 → It is blue.']);
  });

  test('uses its own tools, model and limits', async () => {
    const subagent = { ...helper, tools: ['look'], model: 'small', limits: { iterations: 1 } };
    const { agent, requests, results } = subagentModel(
      [
        { toolCalls: [task('t1', 'work')] },
        on('work', { text: 'First.', toolCalls: [{ name: 'look', id: 'a', input: { at: 'sky' } }] }),
        on('blue', { toolCalls: [{ name: 'look', id: 'b', input: { at: 'sky' } }] }),
        { text: 'Done.' },
      ],
      { subagents: [subagent], model: 'large' },
    );
    const { events, end } = await readRun(agent.run('Go'));
    assert.equal(end.reason, 'end');
    assert.deepEqual(
      requests.map(({ model }) => model),
      ['large', 'small', 'small', 'large'],
    );
    const namesOf = (index: number) => requests[index]?.tools?.map((tool) => ('name' in tool ? tool.name : ''));
    assert.deepEqual([namesOf(0), namesOf(1)], [['look', 'change', 'Task'], ['look']]);
    assert.equal(eventsOf({ events: nestedIn(events, 't1') }, 'turn-end')[0]?.reason, 'iteration-limit');
    const [result] = results();
    assert.equal(
      result,
      't1 failed: The subagent was stopped after 1 round of tool calls, which is its limit. Its last text:\nFirst.',
    );
  });

  test('has the first subagent as default, and all tools and the system prompt of the agent by default', async () => {
    const { agent, requests } = subagentModel(
      [{ toolCalls: [task('t1', 'work')] }, on('work', { text: 'Yes.' }), { text: 'Done.' }],
      { subagents: [{ name: 'all', description: 'Everything' }, helper], system: 'Be brief.' },
    );
    await readRun(agent.run('Go'));
    assert.deepEqual(requests[1]?.messages.flatMap(linesOf), ['system: Be brief.', 'user: work']);
    assert.equal(requests[1]?.tools?.length, 2);
    const [, , definition] = requests[0]?.tools ?? [];
    const description = definition !== undefined && 'description' in definition ? definition.description : '';
    assert.match(
      description ?? '',
      /- all: Everything \(tools: all of yours\)\n- helper: Helps \(tools: all of yours\)$/,
    );
  });

  test('cannot start another', async () => {
    const { agent, results } = subagentModel([
      { toolCalls: [task('t1', 'work')] },
      on('work', { toolCalls: [task('t2', 'more')] }),
      on('Unknown tool', { text: 'I cannot.' }),
      { text: 'Done.' },
    ]);
    const { events } = await readRun(agent.run('Go'));
    const [inner] = eventsOf({ events: nestedIn(events, 't1') }, 'tool-end');
    assert.match(JSON.stringify(inner?.result), /Unknown tool \\"Task\\"\. Available tools: look, change\./);
    assert.deepEqual(results(), ['t1: I cannot.']);
  });

  test('gives the model a long text with its middle cut', async () => {
    const { agent, results } = subagentModel([
      { toolCalls: [task('t1', 'work')] },
      on('work', { text: `start ${'x'.repeat(150_000)} end` }),
      { text: 'Done.' },
    ]);
    await readRun(agent.run('Go'));
    const [result = ''] = results();
    assert.ok(result.length < 103_000, String(result.length));
    assert.match(result, /^t1: start x+\n… \[shortened: 150010 bytes in total\] …\nx+ end$/);
  });
});

describe('several tasks', () => {
  test('run in parallel with pure calls, results in call order, and one failure leaves the others alone', async () => {
    const gate = Promise.withResolvers<void>();
    const wait = defineTool({
      name: 'wait',
      description: 'Waits',
      effect: 'pure',
      run: async () => (await gate.promise, 'waited'),
    });
    const open = defineTool({ name: 'open', description: 'Opens', run: () => (gate.resolve(), 'opened') });
    const { agent, results } = subagentModel(
      [
        {
          toolCalls: [
            task('t1', 'be slow'),
            { name: 'wait', id: 'p1' },
            task('t2', 'break down'),
            task('t3', 'open the gate'),
          ],
        },
        on('be slow', { toolCalls: [{ name: 'wait', id: 'c1' }] }),
        on('break down', { fault: { status: 400 } }),
        on('open the gate', { toolCalls: [{ name: 'open', id: 'c2' }] }),
        on('opened', { text: 'Open.' }),
        { match: { contains: 'waited', system: 'helper' }, text: 'Slow.' },
        { text: 'Done.' },
      ],
      { tools: [wait, open] },
    );
    const { events, end } = await readRun(agent.run('Go'));
    assert.equal(end.text, 'Done.');
    checkOrder(events);
    assert.deepEqual(
      results().map((line) => line.replace(/failed: .*\(bad-request\)\./, 'failed: …')),
      ['t1: Slow.', 'p1: waited', 't2 failed: …', 't3: Open.'],
    );
  });

  test('run one after the other beside a mutating call', async () => {
    const { agent } = subagentModel([
      { toolCalls: [task('t1', 'one'), { name: 'change', id: 'm1' }, task('t2', 'two')] },
      on('one', { text: '1' }),
      on('two', { text: '2' }),
      { text: 'Done.' },
    ]);
    const { events } = await readRun(agent.run('Go'));
    const order = events.flatMap((event) =>
      event.type === 'tool-start' || event.type === 'tool-end' ? [`${event.type} ${event.id}`] : [],
    );
    assert.deepEqual(
      order,
      ['t1', 'm1', 't2'].flatMap((id) => [`tool-start ${id}`, `tool-end ${id}`]),
    );
  });

  test('are at most eight at a time', async () => {
    let active = 0;
    let most = 0;
    const busy = defineTool({
      name: 'busy',
      description: 'Works',
      run: async () => {
        active += 1;
        most = Math.max(most, active);
        await new Promise((resolve) => setTimeout(resolve, 5));
        active -= 1;
        return 'worked';
      },
    });
    const ids = Array.from({ length: 20 }, (_, index) => `t${index}`);
    const { agent, results } = subagentModel(
      [
        { toolCalls: ids.map((id) => task(id, 'please work')) },
        on('please work', { toolCalls: [{ name: 'busy', id: 'c' }] }),
        { match: { contains: 'worked', system: 'helper' }, text: 'Ready.' },
        { text: 'Done.' },
      ],
      { tools: [busy] },
    );
    await readRun(agent.run('Go'));
    assert.equal(most, 8);
    assert.deepEqual(
      results(),
      ids.map((id) => `${id}: Ready.`),
    );
  });

  test('have calls with ids of their own, even if the model repeats ids', async () => {
    const { agent } = subagentModel([
      { toolCalls: [task('call_1', 'one'), task('call_2', 'two')] },
      on('one', { toolCalls: [{ name: 'look', id: 'call_1', input: { at: 'x' } }] }),
      on('two', { toolCalls: [{ name: 'look', id: 'call_1', input: { at: 'y' } }] }),
      { match: { contains: 'is blue', system: 'helper' }, text: 'Ready.' },
      { toolCalls: [{ name: 'look', id: 'call_1_2', input: { at: 'z' } }] },
      { text: 'Done.' },
    ]);
    const { events } = await readRun(agent.run('Go'));
    const all = events.map((event) => (event.type === 'subagent-event' ? event.event : event));
    const ids = eventsOf({ events: all }, 'tool-start').map(({ id }) => id);
    assert.equal(ids.length, 5);
    assert.equal(new Set(ids).size, 5, ids.join(' '));
    const written = eventsOf({ events: all }, 'model-event').flatMap(({ event }) =>
      event.type === 'block-end' && event.block.type === 'tool-call' ? [event.block.id] : [],
    );
    assert.deepEqual(written.toSorted(), ids.toSorted(), 'the events of the model have the same ids');
  });
});

const usage = (input: number, output: number) => ({ usage: { input, output } });

describe('what subagents spend', () => {
  const replies = [
    { toolCalls: [task('t1', 'one'), task('t2', 'two')], ...usage(100, 10) },
    on('one', { toolCalls: [{ name: 'look', id: 'c', input: { at: 'x' } }], ...usage(7, 1) }),
    { match: { contains: 'x is blue', system: 'helper' }, text: 'A', ...usage(11, 2) },
    on('two', { text: 'B', ...usage(13, 3) }),
    { text: 'Done.', ...usage(200, 20) },
  ];

  test('counts to the turn of the agent, to the cent', async () => {
    const spent: Spending[] = [];
    const { agent } = subagentModel(replies, { onSpend: (spending) => spent.push(spending) });
    const { events, end } = await readRun(agent.run('Go'));
    assert.deepEqual([end.usage.input, end.usage.output], [331, 36]);
    assert.equal(end.cost?.toFixed(6), '0.367000');
    assert.equal(spent.length, 5);
    assert.equal(spent.reduce((sum, { cost = 0 }) => sum + cost, 0).toFixed(6), '0.367000');
    const inner = ['t1', 't2'].map((id) => eventsOf({ events: nestedIn(events, id) }, 'turn-end')[0]);
    assert.deepEqual(
      inner.map((each) => [each?.usage.input, each?.usage.output, each?.cost?.toFixed(3)]),
      [
        [18, 3, '0.021'],
        [13, 3, '0.016'],
      ],
    );
  });

  test('is limited by the cost limit of the turn', async () => {
    const { agent, requests, results } = subagentModel(replies, { limits: { cost: 0.118 } });
    const { end } = await readRun(agent.run('Go'));
    assert.equal(end.reason, 'cost-limit');
    // The first responses of both subagents, and no second one.
    assert.equal(requests.length, 3);
    assert.deepEqual(results(), ['t1 failed: The subagent was stopped because the cost limit is reached.', 't2: B']);
  });

  test('is nothing once the limit is reached', async () => {
    const { agent, requests, results } = subagentModel(replies, { limits: { cost: 0.1 } });
    assert.equal((await readRun(agent.run('Go'))).end.reason, 'cost-limit');
    assert.equal(requests.length, 1);
    assert.match(
      results().join('\n'),
      /t1 failed: The subagent was not started: the cost limit of the turn is reached/,
    );
  });

  test('is unknown if a price is unknown', async () => {
    const provider = createSimulatedProvider({ script: { replies } });
    const agent = createAgent({
      provider: { ...provider, costOf: ({ usage: { input } }) => (input === 13 ? undefined : 1) },
      tools: [look],
      subagents: [helper],
    });
    assert.equal((await readRun(agent.run('Go'))).end.cost, undefined);
  });
});

describe('a subagent that does not finish', () => {
  const cases = [
    {
      name: 'fails at the model',
      reply: { fault: { status: 401 } },
      expected: /^t1 failed: The subagent failed: .* \(auth\)\.$/,
    },
    {
      name: 'is overloaded for too long',
      reply: { fault: { status: 529 } },
      expected: /^t1 failed: The subagent failed: .* \(overloaded\)\.$/,
    },
    {
      name: 'refuses',
      reply: { text: 'No', stopReason: 'refusal' },
      expected: /^t1 failed: The model of the subagent refused to respond\. Its last text:\nNo$/,
    },
    {
      name: 'reaches its token limit too often',
      reply: { text: 'On and on', stopReason: 'length' },
      expected: /^t1 failed: The response of the subagent was cut off at the token limit\. Its last text:\nOn and on/,
    },
    { name: 'says nothing', reply: { blocks: [] }, expected: /^t1: The subagent ended without a text\.$/ },
  ] as const;
  for (const { name, reply, expected } of cases) {
    test(`and ${name} is a result that the model reads`, async () => {
      const { agent, results } = subagentModel([
        { toolCalls: [task('t1', 'work')] },
        { match: { system: 'helper' }, ...reply },
        { text: 'Done.' },
      ]);
      const { events, end } = await readRun(agent.run('Go'));
      assert.deepEqual([end.reason, end.text], ['end', 'Done.']);
      checkOrder(events);
      assert.match(results()[0] ?? '', expected);
    });
  }
});

describe('a damaged call of Task', () => {
  const cases = [
    { input: '{"description":"d","prompt":"work"', expected: /^t1 failed: The input of Task is not valid/ },
    { input: '{"description":"d"}', expected: /^t1 failed: The input of Task is not valid: .*prompt/ },
    { input: '{"description":"d","prompt":"  "}', expected: /^t1 failed: prompt: must not be empty\.$/ },
    {
      input: '{"description":"d","prompt":"work","subagent_type":"nobody"}',
      expected: /^t1 failed: The input of Task is not valid: .*subagent_type/,
    },
    { input: '["work"]', expected: /^t1 failed: The input of Task is not valid/ },
  ];
  for (const { input, expected } of cases) {
    test(`is an error that names the problem: ${input}`, async () => {
      const { agent, requests, results } = subagentModel([
        { toolCalls: [{ name: 'Task', id: 't1', rawInput: input }] },
        { text: 'Done.' },
      ]);
      assert.equal((await readRun(agent.run('Go'))).end.text, 'Done.');
      assert.match(results()[0] ?? '', expected);
      assert.equal(requests.length, 2, 'no subagent ran');
    });
  }
});

describe('policies', () => {
  test('apply to the calls of a subagent and see which subagent calls', async () => {
    const seen: PolicyCall[] = [];
    const policy: ToolPolicy = {
      around: async (call, next) => {
        seen.push(call);
        return call.name === 'change' ? toErrorAnswer('Not allowed.') : next();
      },
    };
    const { agent, results } = subagentModel(
      [
        { toolCalls: [task('t1', 'work')] },
        on('work', { toolCalls: [{ name: 'change', id: 'c1' }] }),
        on('Not allowed', { text: 'I may not.' }),
        { text: 'Done.' },
      ],
      { policies: [policy] },
    );
    await readRun(agent.run('Go'));
    assert.deepEqual(results(), ['t1: I may not.']);
    assert.deepEqual(
      seen.map(({ name, effect, subagent }) => [name, effect, subagent]),
      [
        ['Task', 'delegating', undefined],
        ['change', 'mutating', { callId: 't1', name: 'helper', task: 'do t1' }],
      ],
    );
  });

  test('count per subagent, and a signal in a subagent ends the turn of the agent too', async () => {
    const created: ToolPolicy[] = [];
    const source = (): ToolPolicy => {
      const policy: ToolPolicy = {
        around: async (call, next) => {
          const answer = await next();
          return call.name === 'look' && 'content' in answer ? { ...answer, endTurn: 'convergence-signal' } : answer;
        },
      };
      created.push(policy);
      return policy;
    };
    const { agent, results } = subagentModel(
      [
        { toolCalls: [task('t1', 'work')] },
        on('work', { text: 'Looking.', toolCalls: [{ name: 'look', id: 'c1', input: { at: 'x' } }] }),
        { text: 'unused' },
      ],
      { policies: [source] },
    );
    const { end } = await readRun(agent.run('Go'));
    assert.equal(end.reason, 'convergence-signal');
    assert.equal(created.length, 2);
    assert.match(results()[0] ?? '', /^t1: A hook signalled that the work is done/);
  });
});

describe('createAgent refuses', () => {
  const provider = createSimulatedProvider();
  const cases = [
    { subagent: { ...helper, tools: ['Bash'] }, expected: /subagent "helper": tools: the agent has no tool "Bash"/ },
    { subagent: { ...helper, tools: ['lok'] }, expected: /no tool "lok"; did you mean "look"\?/ },
    { subagent: { ...helper, tools: ['Task'] }, expected: /a subagent cannot start subagents; remove "Task"/ },
    { subagent: { ...helper, name: 'a b' }, expected: /subagent "a b": the name must have/ },
    { subagent: { ...helper, description: ' ' }, expected: /description: must not be empty/ },
  ];
  for (const { subagent, expected } of cases) {
    test(JSON.stringify(subagent), () => {
      assert.throws(() => createAgent({ provider, tools: [look], subagents: [subagent] }), expected);
    });
  }

  test('two subagents of one name, and a tool of the name Task beside them', () => {
    assert.throws(() => createAgent({ provider, subagents: [helper, helper] }), /"helper": is defined twice/);
    const own = defineTool({ name: 'Task', description: 'Mine', run: () => '' });
    assert.throws(
      () => createAgent({ provider, tools: [own], subagents: [helper] }),
      /tools: "Task": is defined twice/,
    );
  });
});
