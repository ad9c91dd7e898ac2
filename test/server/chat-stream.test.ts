// `POST /api/chat/stream` over real HTTP, with a scripted model in both wires: text, tools, and everything that can
// fail. The simulator rejects invalid conversations, so each test also shows that ours are valid.

import assert from 'node:assert/strict';
import { describe } from 'node:test';
import * as z from 'zod';
import { defineTool } from '../../src/agent/tool.ts';
import type { ScriptedReply } from '../../src/testing/model/script.ts';
import { inBothWires } from '../support/agent-model.ts';
import { readAnswer, startChat } from '../support/chat-server.ts';

const inputs: unknown[] = [];
const balance = defineTool({
  name: 'balance',
  description: 'The balance of an account',
  effect: 'pure',
  input: z.object({ account: z.string() }),
  run: (input) => {
    inputs.push(input);
    return `${input.account}: 1,234.56`;
  },
});
const broken = defineTool({
  name: 'broken',
  description: 'Fails',
  run: () => {
    throw new Error('SQLITE_BUSY: the database is locked');
  },
});

const call = (id: string, account: string) => ({ name: 'balance', id, input: { account } });
const start = (id: string, name = 'balance') => ({ tool: { id, name, status: 'start' } });
const withoutTime = (event: object) =>
  JSON.parse(JSON.stringify(event).replace(/"durationMs":\d+/, '"durationMs":0')) as object;
const end = (id: string, more: object = {}) => ({
  tool: { id, name: 'balance', status: 'end', durationMs: 0, ...more },
});

describe('a response', () => {
  inBothWires('is text, usage and the end', async (context, wire) => {
    const { ask, asked, model } = await startChat(context, wire, {
      replies: [{ text: 'Hello! How can I help?', usage: { input: 12, output: 7 } }],
      chat: { system: 'You are a bank’s assistant.', model: `${wire}/small` },
    });
    const { text, events } = await readAnswer(await ask('Hello'));
    assert.equal(text, 'Hello! How can I help?');
    // Anthropic's format always has the counts of the prompt cache.
    const cached = wire === 'anthropic' ? { cacheRead: 0, cacheWrite: 0 } : {};
    assert.deepEqual(events, [{ usage: { input: 12, output: 7, ...cached } }]);
    assert.deepEqual(asked(), [['system: You are a bank’s assistant.', 'user: Hello']]);
    const body = model.requests[0]?.body as Record<string, unknown>;
    assert.deepEqual([body['model'], body['temperature'], body['stream']], ['small', 0.3, true]);
    assert.equal(body['max_tokens'] ?? body['max_completion_tokens'], 4096);
  });

  inBothWires('continues the conversation that was sent', async (context, wire) => {
    const { ask, asked } = await startChat(context, wire, { replies: [{ text: 'Fine.' }] });
    const conversation = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello.' }] },
      { role: 'assistant', content: '' },
      { role: 'user', content: 'How are you?' },
    ];
    assert.equal((await readAnswer(await ask(conversation))).text, 'Fine.');
    assert.deepEqual(asked(), [['user: Hi', 'assistant: Hello.', 'user: How are you?']]);
  });

  inBothWires('with a tool call runs the tool with its complete input, and continues', async (context, wire) => {
    inputs.length = 0;
    const { ask, asked, log } = await startChat(context, wire, {
      replies: [
        { text: 'I look.', toolCalls: [call('a', 'Everyday “current” account, line 1\nline 2')] },
        { text: 'You have 1,234.56.' },
      ],
      tools: [balance],
    });
    const { text, events } = await readAnswer(await ask('What’s my account balance?'));
    assert.equal(text, 'I look.You have 1,234.56.');
    assert.deepEqual(events.slice(0, 2).map(withoutTime), [start('a'), end('a')]);
    assert.deepEqual(inputs, [{ account: 'Everyday “current” account, line 1\nline 2' }]);
    assert.equal(asked()[1]?.at(-1), 'user: a → Everyday “current” account, line 1\nline 2: 1,234.56');
    assert.deepEqual(
      log.map(({ level, message }) => `${level} ${message.replace(/\d+ ms/, 'N ms')}`),
      [
        'info [Chat] tool start: balance',
        'info [Chat] tool end: balance (N ms) success',
        'info [Chat] answer end: end (N ms)',
      ],
    );
    assert.ok(!JSON.stringify(log).includes('Everyday'), 'the input is not logged');
    assert.match(String(log[0]?.['request']), /^req_/);
    assert.deepEqual([log[1]?.['tool'], log[1]?.['outcome'], log[1]?.['user']], ['balance', 'success', 'local']);
    assert.equal(typeof log[1]?.['durationMs'], 'number');
  });

  inBothWires('logs tool input if `logToolInput` is set', async (context, wire) => {
    const { ask, log } = await startChat(context, wire, {
      replies: [{ toolCalls: [call('a', 'Savings')] }, { text: 'Done.' }],
      tools: [balance],
      chat: { logToolInput: true },
    });
    await readAnswer(await ask('Go'));
    assert.deepEqual(log[0]?.['input'], { account: 'Savings' });
  });

  inBothWires('reports a failed tool, and the model gets the error', async (context, wire) => {
    const { ask, asked, log } = await startChat(context, wire, {
      replies: [{ toolCalls: [{ name: 'broken', id: 'a' }] }, { text: 'I could not look.' }],
      tools: [broken],
    });
    const { text, tools, errors } = await readAnswer(await ask('Look'));
    assert.equal(text, 'I could not look.');
    assert.deepEqual(errors, []);
    assert.deepEqual([tools[1]?.['status'], tools[1]?.['isError']], ['end', true]);
    assert.ok(!JSON.stringify(tools).includes('SQLITE'), 'the user is not told the details');
    assert.equal(asked()[1]?.at(-1), 'user: a → SQLITE_BUSY: the database is locked');
    const failure = log.find(({ level }) => level === 'warn');
    assert.match(failure?.message ?? '', /^\[Chat\] tool end: broken \(\d+ ms\) failure$/);
    assert.equal(failure?.['error'], 'SQLITE_BUSY: the database is locked');
  });

  for (const interleave of [false, true]) {
    inBothWires(
      `with several tools${interleave ? ', in turns' : ''} runs each with its own input`,
      async (context, wire) => {
        inputs.length = 0;
        const accounts = ['Everyday', 'Savings', 'Credit card'];
        const { ask, asked } = await startChat(context, wire, {
          replies: [
            { toolCalls: accounts.map((account, index) => call(`c${index}`, account)), interleave },
            { toolCalls: [call('last', 'Investments')] },
            { text: 'Done.' },
          ],
          tools: [balance],
        });
        const { tools } = await readAnswer(await ask('All'));
        assert.deepEqual(
          inputs,
          [...accounts, 'Investments'].map((account) => ({ account })),
        );
        assert.deepEqual(new Set(tools.map(({ id }) => id)), new Set(['c0', 'c1', 'c2', 'last']));
        assert.equal(tools.length, 8);
        assert.deepEqual(
          asked()[2]?.filter((line) => line.includes('→')),
          ['c0 → Everyday', 'c1 → Savings', 'c2 → Credit card', 'last → Investments'].map(
            (line) => `user: ${line}: 1,234.56`,
          ),
        );
      },
    );
  }

  inBothWires(
    'heals a tool’s input where it is damaged, and has the model correct what cannot be',
    async (context, wire) => {
      inputs.length = 0;
      const { ask, asked } = await startChat(context, wire, {
        replies: [
          { toolCalls: [{ name: 'balance', id: 'a', rawInput: "{account: 'Savings',}" }] },
          { toolCalls: [{ name: 'balance', id: 'b', rawInput: '{"acount": 5}' }] },
          { text: 'Done.' },
        ],
        tools: [balance],
      });
      const { text, tools } = await readAnswer(await ask('Go'));
      assert.equal(text, 'Done.');
      assert.deepEqual(
        tools.filter(({ status }) => status === 'end').map(({ id, isError }) => [id, isError]),
        [
          ['a', undefined],
          ['b', true],
        ],
      );
      assert.deepEqual(inputs, [{ account: 'Savings' }]);
      assert.match(asked()[2]?.at(-1) ?? '', /^user: b → The input of balance is not valid: .*account/);
    },
  );

  inBothWires('runs a repeated tool call once, warns, and keeps it once', async (context, wire) => {
    inputs.length = 0;
    const { ask, asked, log } = await startChat(context, wire, {
      replies: [{ toolCalls: [call('a', 'Savings'), call('a', 'Savings')] }, { text: 'Done.' }],
      tools: [balance],
    });
    const { tools } = await readAnswer(await ask('Go'));
    assert.deepEqual(inputs, [{ account: 'Savings' }]);
    assert.equal(tools.length, 2);
    assert.deepEqual(asked()[1]?.slice(1), [
      'assistant: a = balance({"account":"Savings"})',
      'user: a → Savings: 1,234.56',
    ]);
    assert.match(
      log.find(({ level }) => level === 'warn')?.message ?? '',
      /^\[Chat\] the provider sent the tool call a twice/,
    );
  });

  inBothWires('that is cut off by the token limit continues seamlessly', async (context, wire) => {
    const { ask } = await startChat(context, wire, {
      replies: [{ text: 'You spent 1,2', stopReason: 'length' }, { text: '34 in all.' }],
    });
    assert.equal((await readAnswer(await ask('Spending?'))).text, 'You spent 1,234 in all.');
  });
});

const overloaded: ScriptedReply = { fault: { status: 529, message: 'secret words of the provider' } };
const dropped: ScriptedReply = { fault: { reset: true } };
const apology = 'Failed to process tool results. Please try again.';

describe('a model call after tools', () => {
  for (const [what, failure] of [
    ['fails', overloaded],
    ['is dropped', dropped],
    ['ends without a word', { text: 'x', fault: { cutAtByte: 0 } }],
  ] as const) {
    inBothWires(`and ${what} is retried after 1 and 2 seconds`, async (context, wire) => {
      const { ask, asked, pauses, log } = await startChat(context, wire, {
        replies: [{ toolCalls: [call('a', 'Savings')] }, failure, failure, { text: 'There it is.' }],
        tools: [balance],
      });
      const { text, errors, tools } = await readAnswer(await ask('Go'));
      assert.deepEqual([text, errors, tools.length], ['There it is.', [], 2]);
      assert.deepEqual(pauses, [1000, 2000]);
      assert.deepEqual(asked()[3], asked()[1]);
      assert.equal(log.filter(({ level }) => level === 'warn').length, 2);
    });

    inBothWires(`and ${what} three times is an error the user understands`, async (context, wire) => {
      const { ask, pauses, log, model } = await startChat(context, wire, {
        replies: [{ toolCalls: [call('a', 'Savings')] }, failure, failure, failure],
        tools: [balance],
      });
      const { text, errors } = await readAnswer(await ask('Go'));
      assert.deepEqual([text, errors], ['', [apology]]);
      assert.deepEqual([pauses, model.requests.length], [[1000, 2000], 4]);
      const failed = log.find(({ level }) => level === 'error');
      assert.match(failed?.message ?? '', /^\[Chat\] answer failed: (overloaded|network)$/);
      assert.ok(!JSON.stringify(log).includes('secret words'), 'a provider’s words stay out of the log');
    });
  }

  inBothWires('and is cut after text was sent is an error, and no text is repeated', async (context, wire) => {
    const { ask, pauses, model } = await startChat(context, wire, {
      replies: [
        { toolCalls: [call('a', 'Savings')] },
        { text: 'one two three four five six', fault: { errorAfterEvents: 5 } },
      ],
      tools: [balance],
    });
    const { text, errors } = await readAnswer(await ask('Go'));
    assert.ok(text.length > 0 && 'one two three four five six'.startsWith(text), text);
    assert.deepEqual([errors, pauses, model.requests.length], [[apology], [], 2]);
  });

  inBothWires('and is cut in the middle of a tool call is retried, because nothing was sent', async (context, wire) => {
    inputs.length = 0;
    const { ask, pauses } = await startChat(context, wire, {
      replies: [
        { toolCalls: [call('a', 'Savings')] },
        { toolCalls: [call('b', 'A very long name of an account, in many pieces')], fault: { errorAfterEvents: 4 } },
        { toolCalls: [call('b', 'Everyday')] },
        { text: 'Done.' },
      ],
      tools: [balance],
    });
    const { text, errors } = await readAnswer(await ask('Go'));
    assert.deepEqual([text, errors, pauses], ['Done.', [], [1000]]);
    assert.deepEqual(inputs, [{ account: 'Savings' }, { account: 'Everyday' }]);
  });
});

describe('a failure without tools', () => {
  for (const [status, words] of [
    [401, /not set up correctly/],
    [404, /not set up correctly/],
    [529, /is busy right now/],
    [500, /is not available right now/],
  ] as const) {
    inBothWires(`with the status ${status} is reported in plain words`, async (context, wire) => {
      const failure = { fault: { status, message: 'invalid x-api-key sk-secret' } };
      const { ask, log } = await startChat(context, wire, { replies: [failure, failure, failure] });
      const response = await ask('Hello');
      const body = await response.text();
      assert.match(body, /^data: \{"error":".*"\}\n\ndata: \[DONE\]\n\n$/);
      assert.match(body, words);
      assert.ok(!body.includes('sk-secret') && !JSON.stringify(log).includes('sk-secret'));
      assert.equal(log.at(-1)?.level, 'error');
      assert.equal(log.at(-1)?.['status'], status);
    });
  }

  inBothWires('that is a refusal or a cut response is reported too', async (context, wire) => {
    const cut: ScriptedReply = { text: 'more ', stopReason: 'length' };
    const { ask } = await startChat(context, wire, {
      replies: [{ text: 'I will not.', stopReason: 'refusal' }, cut, cut, cut, cut],
    });
    const refused = await readAnswer(await ask('Something bad'));
    assert.deepEqual([refused.text, refused.errors.length], ['I will not.', 1]);
    const endless = await readAnswer(await ask('Everything'));
    assert.equal(endless.text, 'more more more more ');
    assert.deepEqual(endless.errors, ['The answer was too long and ends here.']);
  });
});

describe('a model that rejects a temperature', () => {
  const refusal: ScriptedReply = { fault: { status: 400, message: '`temperature` is deprecated for this model.' } };

  inBothWires('is called without it, and from then on too', async (context, wire) => {
    const { ask, model, log, server, pauses } = await startChat(context, wire, {
      replies: [refusal, { text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    });
    assert.equal((await readAnswer(await ask('Hi'))).text, 'One.');
    assert.equal((await readAnswer(await ask('Hi'))).text, 'Two.');
    server.update({ chat: { temperature: 1 } });
    assert.equal((await readAnswer(await ask('Hi'))).text, 'Three.');
    const temperatures = model.requests.map(({ body }) => (body as { temperature?: number }).temperature);
    assert.deepEqual(temperatures, [0.3, undefined, undefined, 1]);
    assert.match(log.find(({ level }) => level === 'warn')?.message ?? '', /the model rejects a temperature/);
    assert.deepEqual(pauses, []);
  });

  inBothWires('is not one that rejects something else', async (context, wire) => {
    const { ask, model, log } = await startChat(context, wire, {
      replies: [refusal, refusal, refusal, { fault: { status: 529 } }, { text: 'At last.' }],
    });
    assert.deepEqual((await readAnswer(await ask('Hi'))).errors, [
      'The assistant is not available right now. Please try again.',
    ]);
    assert.equal((await readAnswer(await ask('Hi'))).text, 'At last.');
    const temperatures = model.requests.map(({ body }) => (body as { temperature?: number }).temperature);
    assert.deepEqual(temperatures, [0.3, undefined, 0.3, undefined, 0.3]);
    assert.ok(!log.some(({ message }) => message.includes('rejects a temperature')));
  });
});
