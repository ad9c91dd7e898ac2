// Creating a client from a provider name, a base URL, a file or the user's own provider, and the errors for bad options.

import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import { failsWith } from '../../test/support/fails-with.ts';
import { temporaryFolder } from '../../test/support/temporary-folder.ts';
import { assemble } from '../core/assembler.ts';
import type { CallEvent } from '../core/call.ts';
import { SimpleAgentsError, type ErrorKind } from '../core/error.ts';
import { text, textOf } from '../core/message.ts';
import type { Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import { createSimulatedProvider } from '../testing/model/provider.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { createClient } from '../node.ts';
import type { ClientOptions } from './options.ts';

function setVariables(context: TestContext, variables: Readonly<Record<string, string | undefined>>): void {
  for (const [name, value] of Object.entries(variables)) {
    const before = process.env[name];
    context.after(() => assign(name, before));
    assign(name, value);
  }
}

function assign(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}

/** Records the call and rejects it. */
function wiretap(): Transport & { readonly sent: TransportRequest[] } {
  const sent: TransportRequest[] = [];
  return {
    sent,
    send(request) {
      sent.push(request);
      return Promise.reject(new SimpleAgentsError('network', 'not sent'));
    },
    close: () => Promise.resolve(),
  };
}

async function targetOf(options: ClientOptions, model?: string): Promise<string> {
  const { provider, model: resolved } = await createClient(options).resolve(model);
  return `${provider.name} ${resolved}`;
}

describe('a client', () => {
  test('without options and keys uses the simulated model', async (context) => {
    setVariables(context, { OPENAI_API_KEY: undefined, ANTHROPIC_API_KEY: undefined });
    const completion = await createClient().complete('Hello');
    assert.equal(completion.target, 'simulated');
    assert.match(completion.text, /simulated model/);
  });

  test('takes the short form with messages and a model', async () => {
    const client = createClient({ provider: 'simulated' });
    const completion = await client.complete([{ role: 'user', content: 'Hello!' }], 'gpt-4');
    assert.equal(completion.choices[0].message.content, completion.text);
    assert.equal(completion.model, 'gpt-4');
  });

  test('has a default model', async () => {
    const client = createClient({ provider: 'simulated', model: 'mine' });
    assert.equal((await client.complete('Hi')).model, 'mine');
    assert.equal((await client.complete('Hi', 'other')).model, 'other');
    assert.equal((await client.complete({ messages: 'Hi', model: 'third' }, 'other')).model, 'third');
    assert.equal((await client.stream('Hi').final()).model, 'mine');
  });

  test('calls the vendor whose key is in the environment', async (context) => {
    setVariables(context, { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    const transport = wiretap();
    const client = createClient({ transport });
    await assert.rejects(client.complete('Hi', 'gpt-4'), /not sent/);
    assert.equal(transport.sent[0]?.url, 'http://127.0.0.1:9/v1/chat/completions');
    assert.equal(transport.sent[0].headers['authorization'], 'Bearer sk-1');
  });

  test('prefers options to the environment; an empty key counts as not set', async (context) => {
    setVariables(context, { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' });
    const transport = wiretap();
    const baseUrl = 'http://127.0.0.1:10/v1';
    const said = createClient({ provider: 'openai', apiKey: 'sk-2', baseUrl, headers: { 'x-team': 'a' }, transport });
    await assert.rejects(said.complete('Hi'), /not sent/);
    assert.deepEqual(
      [transport.sent[0]?.url, transport.sent[0]?.headers['authorization'], transport.sent[0]?.headers['x-team']],
      ['http://127.0.0.1:10/v1/chat/completions', 'Bearer sk-2', 'a'],
    );
    await assert.rejects(createClient({ provider: 'openai', apiKey: '', transport }).complete('Hi'), /not sent/);
    assert.equal(transport.sent.at(-1)?.headers['authorization'], 'Bearer sk-1');
  });

  test('calls any OpenAI-compatible server by its base URL alone', async () => {
    const baseUrl = 'http://127.0.0.1:9/v1';
    assert.equal(await targetOf({ provider: 'openai-compatible', baseUrl }, 'llama'), 'openai-compatible llama');
    assert.equal(await targetOf({ provider: 'anthropic-compatible', baseUrl }, 'm'), 'anthropic-compatible m');
    assert.equal(await targetOf({ baseUrl, apiKey: 'k', model: 'org/llama' }), 'openai-compatible org/llama');
  });

  test('passes the model to the named provider unchanged, including slashes', async () => {
    assert.equal(await targetOf({ provider: 'openrouter', model: 'openrouter/auto' }), 'openrouter openrouter/auto');
    assert.equal(await targetOf({ provider: 'openrouter' }, 'anthropic/claude-x'), 'openrouter anthropic/claude-x');
  });
});

describe('the user’s own provider', () => {
  const seen: ChatRequest[] = [];
  const own: Provider = {
    name: 'own',
    open(request, signal) {
      seen.push(request);
      return createSimulatedProvider({ name: 'own' }).open(request, signal);
    },
  };

  test('serves every model name', async () => {
    const client = createClient({ provider: own, model: 'mine' });
    assert.equal((await client.complete('Hi')).target, 'own');
    assert.equal((await client.complete('Hi', 'openai/x')).model, 'openai/x');
    assert.deepEqual(
      seen.map(({ model, stream }) => [model, stream]),
      [
        ['mine', false],
        ['openai/x', false],
      ],
    );
    assert.deepEqual(await client.resolve(), { provider: { name: 'own', type: 'own' }, model: 'mine' });
    await client.close();
  });

  test('needs no model name', async () => {
    assert.equal((await createClient({ provider: createSimulatedProvider() }).complete('Hi')).model, 'simulated');
  });

  test('rejects options for keys and addresses', () => {
    for (const options of [{ apiKey: 'k' }, { baseUrl: 'http://x' }, { headers: {} }, { config: 'f' }] as const) {
      assert.throws(
        () => createClient({ provider: own, ...options }),
        failsWith('configuration', /^\w+: has no effect with your own provider; remove it$/),
      );
    }
  });
});

describe('a configuration file', () => {
  const folder = temporaryFolder();
  const config = folder.write(
    'simple-agents.toml',
    `[client]
default_model = "fast"
max_tokens = 7
[[providers]]
name = "house"
type = "openai-compatible"
base_url = "http://127.0.0.1:9/v1"
model = "llama"
headers = { "x-team" = "file" }
[[providers]]
name = "other"
type = "openai-compatible"
base_url = "http://127.0.0.1:10/v1"
models = ["qwen"]
[models.fast]
targets = ["other/qwen"]
`,
  );

  test('is used without further options', async () => {
    assert.equal(await targetOf({ config }), 'other qwen');
    assert.equal(await targetOf({ config }, 'house'), 'house llama');
  });

  test('is overridden by options, field by field', async () => {
    assert.equal(await targetOf({ config, model: 'house/big' }), 'house big');
    assert.equal(await targetOf({ config, provider: 'house' }), 'house llama');
    assert.equal(await targetOf({ config, provider: 'house', model: 'qwen' }), 'house qwen');
    assert.equal(await targetOf({ config, provider: 'house' }, 'fast'), 'other qwen');
    const transport = wiretap();
    const client = createClient({ config, provider: 'house', apiKey: 'k', headers: { 'x-team': 'code' }, transport });
    await assert.rejects(client.complete('Hi'), /not sent/);
    const [sent] = transport.sent;
    assert.deepEqual(
      [sent?.url, sent?.headers['authorization'], sent?.headers['x-team'], JSON.parse(sent?.body ?? '')],
      [
        'http://127.0.0.1:9/v1/chat/completions',
        'Bearer k',
        'code',
        { model: 'llama', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 7, stream: false },
      ],
    );
  });

  test('that is invalid is reported at the first call, and read again at the next', async () => {
    const broken = folder.write('broken.toml', '[client]\ndefault_modle = "simulated"\n');
    const client = createClient({ config: broken });
    await assert.rejects(
      client.complete('Hi'),
      failsWith('configuration', /broken\.toml:2: .*did you mean "default_model"/),
    );
    await client.close();
    folder.write('broken.toml', '[client]\ndefault_model = "simulated"\n');
    assert.equal((await client.complete('Hi')).target, 'simulated');
    await client.close();
  });
});

describe('an error is reported for', () => {
  const cases: readonly (readonly [what: string, kind: ErrorKind, message: RegExp, options: ClientOptions])[] = [
    ['a missing key', 'auth', /^Mistral needs an API key: set MISTRAL_API_KEY$/, { provider: 'mistral' }],
    [
      'a missing address',
      'configuration',
      /"openai-compatible" needs a base URL/,
      { provider: 'openai-compatible', model: 'm' },
    ],
    [
      'an address that is none',
      'configuration',
      /base URL must be a complete URL/,
      { baseUrl: 'localhost:8000', model: 'm' },
    ],
    ['a missing file', 'configuration', /nowhere\.toml: file not found/, { config: 'nowhere.toml' }],
    ['a time without a unit', 'configuration', /^timeout: "30" has no unit; write "30s"/, { timeout: '30' }],
  ];
  for (const [what, kind, message, options] of cases) {
    test(what, async (context) => {
      setVariables(context, { MISTRAL_API_KEY: undefined });
      const client = createClient(options);
      await assert.rejects(client.complete('Hi'), failsWith(kind, message));
      await client.close();
    });
  }

  test('an unknown provider, before the first call', () => {
    const known = 'Known providers: .*openai, anthropic, .*ollama';
    const unknown: readonly (readonly [string, string])[] = [
      ['antropic', `"antropic"; did you mean "anthropic"\\? ${known}`],
      ['xyz', `"xyz"\\. ${known}`],
      ['', `""\\. ${known}`],
    ];
    for (const [provider, problem] of unknown) {
      const expected = failsWith('configuration', new RegExp(`^provider: there is no provider ${problem}`));
      assert.throws(() => createClient({ provider }), expected);
    }
  });

  test('a provider that the file does not have', async () => {
    const file = temporaryFolder().write('providers.toml', '[[providers]]\nname = "mine"\ntype = "simulated"\n');
    const client = createClient({ provider: 'yours', config: file });
    await assert.rejects(client.complete('Hi'), failsWith('configuration', /^provider: there is no provider "yours"/));
    assert.equal((await createClient({ provider: 'mine', config: file }).complete('Hi')).target, 'mine');
    await client.close();
  });

  test('a key without a provider', () => {
    for (const options of [{ apiKey: 'sk-1' }, { headers: { a: 'b' } }]) {
      assert.throws(() => createClient(options), failsWith('configuration', /^\w+: needs a provider; set provider$/));
    }
  });

  test('an invalid request, before anything is loaded', async () => {
    const client = createClient({ config: 'nowhere.toml' });
    await assert.rejects(client.complete([]), failsWith('bad-request', /^messages: must not be empty$/));
  });
});

describe('a client as a provider', () => {
  test('accepts the client’s model names and knows the cost', async () => {
    const client = createClient({ provider: 'simulated' });
    const request = { model: '', messages: [{ role: 'user' as const, content: [text('Count to 3')] }] };
    const events = [];
    for await (const event of await client.provider.open(request, new AbortController().signal)) events.push(event);
    assert.equal(textOf(assemble(events).content), '1, 2, 3');
    assert.equal(
      client.provider.costOf({ target: 'simulated', usage: { input: 1, output: 1 }, model: 'simulated' }),
      0,
    );
    await client.close();
  });

  test('knows the context window of a model after the first call', async () => {
    const prices = { 'simulated/small': { contextWindow: 1000 } };
    const client = createClient({ provider: 'simulated', prices });
    await client.complete('Hi');
    assert.equal(client.provider.contextWindowOf('simulated/small'), 1000);
    assert.equal(client.provider.contextWindowOf('nowhere/none'), undefined);
    await client.close();
  });

  test('calls the user’s own provider with the client’s model', async () => {
    const asked: string[] = [];
    const inner = createSimulatedProvider();
    const provider: Provider = {
      name: 'own',
      open: (request, signal) => (asked.push(request.model), inner.open(request, signal)),
    };
    const client = createClient({ provider, model: 'mine' });
    const messages = [{ role: 'user' as const, content: [text('Hi')] }];
    await client.provider.open({ model: '', messages }, new AbortController().signal);
    await client.provider.open({ model: 'other', messages }, new AbortController().signal);
    assert.deepEqual(asked, ['mine', 'other']);
  });
});

describe('an abort', () => {
  test('before the call is thrown unchanged', async () => {
    const client = createClient({ provider: 'simulated' });
    const signal = AbortSignal.abort('enough');
    await assert.rejects(client.complete({ messages: 'Hi', signal }), (reason) => reason === 'enough');
    await assert.rejects(client.stream({ messages: 'Hi', signal }).final(), (reason) => reason === 'enough');
  });

  test('in the middle is thrown unchanged, and the partial message is kept', async () => {
    const client = createClient({ provider: createSimulatedProvider() });
    const controller = new AbortController();
    const stream = client.stream({ messages: 'Count to 50', signal: controller.signal });
    await assert.rejects(
      async () => {
        for await (const event of stream) if (event.type === 'text-delta') controller.abort('enough');
      },
      (reason) => reason === 'enough',
    );
    assert.deepEqual(stream.partial.content, [{ type: 'text', text: '1, ' }]);
  });

  test('after the end has no effect', async () => {
    const client = createClient({ provider: 'simulated' });
    const controller = new AbortController();
    const stream = client.stream({ messages: 'Hi', signal: controller.signal });
    for await (const event of stream) if (event.type === 'message-end') controller.abort();
    assert.equal((await stream.final()).stopReason, 'end');
  });
});

describe('several targets for one name', () => {
  const models = { fast: { targets: ['openai-compatible/large', 'simulated/small'] } };
  const nobody = { baseUrl: 'http://127.0.0.1:9/v1' };

  test('are called in order, and the observer gets the events', async () => {
    const told: string[] = [];
    const observer = ({ type }: CallEvent) => void told.push(type);
    const client = createClient({ ...nobody, models, observer, retry: { initialBackoff: 1 } });
    const { target } = await client.complete('Count to 5', 'fast');
    assert.equal(target, 'simulated');
    assert.equal(told.filter((type) => type === 'attempt-start').length, 4);
    assert.deepEqual([told[0], told.at(-1)], ['call-start', 'call-end']);
    await client.close();
  });

  test('can be ordered by a custom strategy', async () => {
    const strategy = { order: <T>(targets: readonly T[]) => targets.toReversed() };
    const client = createClient({ ...nobody, models, router: { strategy }, retry: false });
    assert.equal((await client.complete('Hi', 'fast')).target, 'simulated');
    await client.close();
  });

  test('are rejected with the user’s own provider, but an observer is not', async () => {
    const provider = createSimulatedProvider();
    const told: string[] = [];
    for (const option of [{ models }, { retry: false }, { router: {} }, { breaker: false }] as const) {
      assert.throws(
        () => createClient({ provider, ...option }),
        failsWith('configuration', /has no effect with your own provider/),
      );
    }
    const client = createClient({ provider, observer: ({ type }) => void told.push(type) });
    await client.complete({ messages: 'Hi', onCut: 'continue' });
    assert.deepEqual(told, ['call-start', 'first-token', 'call-end']);
  });
});

test('a pattern that is not an alias, or has no star to take the text from, is rejected', () => {
  const targets = ['simulated/simulated'];
  const wrong: readonly ClientOptions[] = [
    { models: { 'claude-*-*': { targets } } },
    { models: { 'claude-*': { targets: ['*/x'] } } },
    { models: { fast: { targets: ['openai/*'] } } },
    { chains: [{ model: 'gpt-*', targets }] },
  ];
  for (const options of wrong) {
    assert.throws(() => createClient(options), failsWith('configuration', /"[^"]*\*.*"/));
  }
  assert.doesNotThrow(() => createClient({ models: { 'claude-*': { targets: ['openai/claude-*'] } } }));
});

test('an unknown option is an error that names the known one', () => {
  const misspelled = { base_url: 'http://127.0.0.1:1' } as ClientOptions;
  assert.throws(
    () => createClient(misspelled),
    failsWith('configuration', /^base_url: unknown name; did you mean "baseUrl"\?$/),
  );
  const notAnOption = { providers: { openai: {} } } as ClientOptions;
  assert.throws(() => createClient(notAnOption), failsWith('configuration', /^providers: unknown name/));
  assert.doesNotThrow(() => createClient({ unset: undefined } as ClientOptions));
});
