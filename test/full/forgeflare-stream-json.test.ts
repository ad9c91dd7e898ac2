// `forgeflare --output-format stream-json` as a real process: what a host reads and writes.

import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import {
  forgeflare,
  forgeflareLauncher,
  projects,
  reaching,
  startModel,
  type Project,
} from '../support/forgeflare-process.ts';

const project = projects();
const hosted = ['--input-format', 'stream-json', '--output-format=stream-json', '--sandbox', 'off'];
const asking = [...hosted, '--permission-prompt-tool', 'stdio'];

type Line = Readonly<Record<string, unknown>> & { readonly type: string };

/** A host that writes lines to the agent and reads its lines. */
class Host {
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  err = '';
  #out = '';
  readonly #closed: Promise<unknown>;

  constructor(
    context: TestContext,
    { path, home }: Project,
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
  ) {
    this.child = spawn(process.execPath, [forgeflareLauncher, ...argv], {
      cwd: path,
      env: { PATH: process.env['PATH'], HOME: home, ...env },
    });
    context.after(() => this.child.kill('SIGKILL'));
    this.#closed = once(this.child, 'close');
    this.child.stdin?.on('error', () => undefined);
    this.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.err += chunk));
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => this.#read(chunk));
  }

  send(line: object | string): void {
    this.child.stdin?.write(`${typeof line === 'string' ? line : JSON.stringify(line)}\n`);
  }

  prompt(content: unknown, uuid?: string): void {
    this.send({ type: 'user', message: { role: 'user', content }, ...(uuid === undefined ? {} : { uuid }) });
  }

  /** Sends a control request and resolves to its response. */
  async request(request: object, id = `host-${this.lines.length}`): Promise<Record<string, unknown>> {
    this.send({ type: 'control_request', request_id: id, request });
    const line = await this.sees(
      ({ type, response }) => type === 'control_response' && (response as Line)['request_id'] === id,
    );
    return line['response'] as Record<string, unknown>;
  }

  reply(request: Line, response: object): void {
    const body = { subtype: 'success', request_id: request['request_id'], response };
    this.send({ type: 'control_response', response: body });
  }

  async sees(condition: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(condition);
      if (found !== undefined) return found;
      assert.equal(this.child.exitCode, null, `it has ended: ${this.err}`);
      await Promise.race([once(this.child, 'line'), this.#closed]);
    }
  }

  asks(subtype: string): Promise<Line> {
    return this.sees(({ type, request }) => type === 'control_request' && (request as Line)['subtype'] === subtype);
  }

  async results(count: number): Promise<Line[]> {
    await this.sees(() => this.#results().length >= count);
    return this.#results();
  }

  /** Closes the input. Resolves to the exit code. */
  async end(): Promise<number | null> {
    this.child.stdin?.end();
    await this.#closed;
    return this.child.exitCode;
  }

  #results(): Line[] {
    return this.lines.filter(({ type }) => type === 'result');
  }

  #read(chunk: string): void {
    const parts = (this.#out + chunk).split('\n');
    this.#out = parts.pop() ?? '';
    for (const part of parts) this.lines.push(JSON.parse(part) as Line);
    this.child.emit('line');
  }
}

interface Setting {
  readonly host: Host;
  readonly place: Project;
  readonly asked: () => string[];
}

async function start(
  context: TestContext,
  replies: readonly object[],
  {
    argv = hosted,
    place = project(),
    env = {},
  }: { argv?: readonly string[]; place?: Project; env?: Record<string, string> } = {},
): Promise<Setting> {
  const server = await startModel(context, { replies });
  const host = new Host(context, place, argv, { ...reaching(server), ...env });
  return { host, place, asked: () => server.requests.map(({ body }) => JSON.stringify(body)) };
}

const write = (path: string, content = 'x\n') => ({
  toolCalls: [{ name: 'Write', id: 'call-1', input: { file_path: path, content } }],
});
const bash = (command: string) => ({ toolCalls: [{ name: 'Bash', id: 'call-1', input: { command } }] });
const done = { text: 'Done.' };
const initialize = (hooks: object) => ({ subtype: 'initialize', hooks });

describe('one prompt', () => {
  test('as an argument gives init, messages and a result, and nothing else on stdout', async (context) => {
    const server = await startModel(context, { replies: [{ text: 'Hello.', usage: { input: 1000, output: 10 } }] });
    const argv = ['-p', '--output-format', 'stream-json', '--verbose', 'Say hello'];
    const { out, exitCode } = await forgeflare(project(), argv, { env: reaching(server) });
    const lines = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Line);
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['system', 'assistant', 'result'],
    );
    assert.equal(exitCode, 0);
    const result = lines[2];
    assert.equal(result?.['result'], 'Hello.');
    const usage = Object.values(result?.['modelUsage'] as Record<string, Record<string, number>>)[0];
    assert.equal(usage?.['inputTokens'], 1000);
    assert.ok((usage?.['contextWindow'] ?? 0) >= 200_000);
    assert.ok((result?.['total_cost_usd'] as number) > 0);
  });

  test('on standard input is one prompt too', async (context) => {
    const server = await startModel(context, { replies: [{ match: { contains: 'from a pipe' }, text: 'Hello.' }] });
    const argv = ['--output-format', 'stream-json'];
    const { out } = await forgeflare(project(), argv, { env: reaching(server), input: 'from a pipe' });
    assert.match(out, /"result":"Hello\."/);
  });

  test('that fails has an error result and exit code 1', async (context) => {
    const server = await startModel(context, { replies: [{ fault: { status: 401 } }] });
    const { out, exitCode } = await forgeflare(project(), ['--output-format', 'stream-json', 'Say hello'], {
      env: reaching(server),
    });
    const result = JSON.parse(out.trimEnd().split('\n').at(-1) ?? '') as Line;
    assert.deepEqual([result['is_error'], result['api_error_status'], exitCode], [true, 401, 1]);
  });
});

describe('lines of the host', () => {
  test('several prompts run one after the other, also those that arrive during a turn', async (context) => {
    const { host } = await start(context, [
      { match: { contains: 'three' }, text: '3' },
      { match: { contains: 'two' }, text: '2' },
      { match: { contains: 'one' }, text: '1', delayMs: 200 },
    ]);
    host.prompt('one');
    host.prompt([{ type: 'text', text: 'two' }]);
    await host.sees(({ subtype }) => subtype === 'init');
    host.prompt('three');
    assert.equal(await host.end(), 0);
    assert.deepEqual(
      (await host.results(3)).map(({ result }) => result),
      ['1', '2', '3'],
    );
  });

  test('that are malformed get one error each, and the session goes on', async (context) => {
    const { host } = await start(context, [{ text: 'Hello.' }]);
    const wrong = [
      '{"type":"user","mess',
      '[1]',
      '{"type":"user"}',
      '{"type":"strange"}',
      '{"type":"user","message":{"content":[{"type":"text"}]}}',
    ];
    for (const line of wrong) host.send(line);
    host.send('');
    host.send('{"type":"keep_alive"}');
    host.prompt('hi');
    assert.equal(await host.end(), 0);
    const errors = host.lines
      .filter(({ subtype }) => subtype === 'input_error')
      .map(({ content }) => content as string);
    assert.equal(errors.length, wrong.length);
    assert.match(errors[0] ?? '', /^Malformed JSON: .* Line: \{"type":"user","mess\.\.\.$/);
    assert.equal(errors[2], 'user: message is missing');
    assert.equal(errors[4], 'user: message.content[0].text is missing');
    assert.equal((await host.results(1))[0]?.['result'], 'Hello.');
  });

  test('a line that is too long is dropped', async (context) => {
    const { host } = await start(context, [{ text: 'Hello.' }]);
    host.send(`{"type":"user","message":{"role":"user","content":"${'x'.repeat(33 * 1024 * 1024)}"}}`);
    host.prompt('hi');
    assert.equal(await host.end(), 0);
    assert.match(JSON.stringify(host.lines[0]), /is longer than 33554432 bytes/);
    assert.equal((await host.results(1))[0]?.['result'], 'Hello.');
  });

  test('a prompt that the agent cannot use has an error result', async (context) => {
    const { host } = await start(context, [{ text: 'Hello.' }]);
    host.prompt('');
    host.prompt('hi');
    await host.end();
    assert.deepEqual(
      (await host.results(2)).map(({ is_error: isError }) => isError),
      [true, false],
    );
  });

  test('prompts are replayed with their ids on request', async (context) => {
    const { host } = await start(context, [done], { argv: [...hosted, '--replay-user-messages', ''] });
    host.prompt('hi', 'my-uuid');
    const replay = await host.sees(({ isReplay }) => isReplay === true);
    assert.equal(replay['uuid'], 'my-uuid');
    await host.end();
  });
});

describe('permission', () => {
  test('is asked with what the host needs to show, and "always" holds', async (context) => {
    const { host, place } = await start(context, [bash('touch a'), done, bash('touch a'), done], { argv: asking });
    host.prompt('go');
    const asked = await host.asks('can_use_tool');
    const { tool_name: name, input, tool_use_id: id, permission_suggestions: suggestions } = asked['request'] as Line;
    assert.deepEqual([name, input, id], ['Bash', { command: 'touch a' }, 'call-1']);
    const rules = [{ toolName: 'Bash', ruleContent: 'touch a' }];
    assert.deepEqual(suggestions, [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }]);
    host.reply(asked, { behavior: 'allow', updatedInput: input, updatedPermissions: suggestions });
    await host.results(1);
    assert.ok(existsSync(join(place.path, 'a')));
    host.prompt('again');
    await host.results(2);
    assert.equal(host.lines.filter(({ type }) => type === 'control_request').length, 1);
    assert.equal(await host.end(), 0);
  });

  test('of the host does not lift a refusal of the guard, nor does a changed input', async (context) => {
    const { host, asked } = await start(context, [bash('rm -rf /'), bash('touch a'), done], { argv: asking });
    host.prompt('go');
    const question = await host.asks('can_use_tool');
    assert.deepEqual((question['request'] as Line)['input'], { command: 'touch a' });
    host.reply(question, { behavior: 'allow', updatedInput: { command: 'rm -rf ~' } });
    const [result] = await host.results(1);
    assert.equal(
      asked()
        .at(-1)
        ?.match(/the guard refuses it/g)?.length,
      2,
    );
    assert.equal((result?.['permission_denials'] as unknown[] | undefined)?.length, 2);
    await host.end();
  });

  test('denied with an interrupt ends the turn', async (context) => {
    const { host, place } = await start(context, [write('a.txt'), done], { argv: asking });
    host.prompt('go');
    host.reply(await host.asks('can_use_tool'), { behavior: 'deny', message: 'stop', interrupt: true });
    const [result] = await host.results(1);
    assert.deepEqual([result?.['terminal_reason'], existsSync(join(place.path, 'a.txt'))], ['aborted_tools', false]);
    await host.end();
  });

  test('that is pending is withdrawn by an interrupt', async (context) => {
    const { host } = await start(context, [write('a.txt'), done, { text: 'Next.' }], { argv: asking });
    host.prompt('go');
    const question = await host.asks('can_use_tool');
    host.prompt('next', 'queued');
    const reply = await host.request({ subtype: 'interrupt' });
    assert.deepEqual(reply['response'], { still_queued: ['queued'] });
    await host.sees(({ type, request_id: id }) => type === 'control_cancel_request' && id === question['request_id']);
    const results = await host.results(2);
    assert.deepEqual(
      results.map(({ terminal_reason: reason }) => reason),
      ['aborted_tools', 'completed'],
    );
    await host.end();
  });

  test('that is pending is denied when the host closes its input', async (context) => {
    const { host, place } = await start(context, [write('a.txt'), done], { argv: asking });
    host.prompt('go');
    await host.asks('can_use_tool');
    assert.equal(await host.end(), 0);
    assert.equal(existsSync(join(place.path, 'a.txt')), false);
    assert.equal((await host.results(1))[0]?.['result'], 'Done.');
  });

  test('modes: plan refuses changes, acceptEdits allows edits, dontAsk refuses what would be asked', async (context) => {
    const outcomes: unknown[] = [];
    for (const mode of ['plan', 'acceptEdits', 'dontAsk', 'default', 'bypassPermissions']) {
      const { host, place } = await start(context, [write('a.txt'), done], {
        argv: [...hosted, `--permission-mode=${mode}`],
      });
      host.prompt('go');
      await host.end();
      outcomes.push([mode, host.lines[0]?.['permissionMode'], existsSync(join(place.path, 'a.txt'))]);
    }
    assert.deepEqual(outcomes, [
      ['plan', 'plan', false],
      ['acceptEdits', 'acceptEdits', true],
      ['dontAsk', 'dontAsk', false],
      ['default', 'default', false],
      ['bypassPermissions', 'bypassPermissions', true],
    ]);
  });

  test('rules allow a tool, and take tools away', async (context) => {
    const allowed = await start(context, [write('a.txt'), done], {
      argv: [...hosted, '--permission-mode', 'dontAsk', '--allowedTools', 'Bash(ls:*),Edit'],
    });
    allowed.host.prompt('go');
    await allowed.host.end();
    assert.ok(existsSync(join(allowed.place.path, 'a.txt')));
    assert.match(allowed.host.err, /Bash\(ls:\*\) is ignored/);
    const denied = await start(context, [done], {
      argv: [...hosted, '--disallowedTools=Bash,Write', '--tools', 'Read,Bash,Grep'],
    });
    denied.host.prompt('go');
    await denied.host.end();
    assert.deepEqual(denied.host.lines[0]?.['tools'], ['Read', 'Grep']);
  });

  test('a repository with hooks that are not trusted is refused', async (context) => {
    const place = project();
    mkdirSync(join(place.path, '.forgeflare'));
    writeFileSync(join(place.path, '.forgeflare/hooks.toml'), '[[hooks]]\nevent = "PreToolUse"\ncommand = "true"\n');
    const { host } = await start(context, [done], { argv: asking, place });
    host.prompt('go');
    assert.equal(await host.end(), 1);
    assert.match(host.err, /--trust-hooks/);
    const [result] = await host.results(1);
    assert.equal(result?.['subtype'], 'error_during_execution');
    assert.match(JSON.stringify(result?.['errors']), /--trust-hooks/);
  });
});

describe('control requests', () => {
  test('initialize describes the agent and sets the system prompt', async (context) => {
    const { host, asked } = await start(context, [done]);
    const { response } = await host.request({ subtype: 'initialize', appendSystemPrompt: 'Speak like a pirate.' });
    for (const member of ['commands', 'agents', 'output_style', 'available_output_styles', 'models', 'account']) {
      assert.ok(member in (response as object), member);
    }
    host.prompt('go');
    await host.end();
    assert.match(asked()[0] ?? '', /You are forgeflare.*Speak like a pirate\./);
  });

  test('change the model, the mode and the thinking, also before the first prompt', async (context) => {
    const { host, asked } = await start(context, [done], { argv: [...hosted, '--allow-dangerously-skip-permissions'] });
    assert.deepEqual((await host.request({ subtype: 'set_permission_mode', mode: 'bypassPermissions' }))['response'], {
      mode: 'bypassPermissions',
    });
    assert.deepEqual((await host.request({ subtype: 'set_model', model: 'claude-haiku-4-5' }))['response'], {
      model: 'claude-haiku-4-5',
    });
    await host.request({ subtype: 'set_max_thinking_tokens', max_thinking_tokens: 2048 });
    const { response } = await host.request({ subtype: 'get_settings' });
    assert.deepEqual(response, { effective: {}, sources: [], applied: { model: 'claude-haiku-4-5', effort: null } });
    host.prompt('go');
    await host.end();
    assert.match(asked()[0] ?? '', /"model":"claude-haiku-4-5"/);
    assert.match(asked()[0] ?? '', /"budget_tokens":2048/);
    const init = host.lines.find(({ subtype }) => subtype === 'init');
    assert.deepEqual([init?.['model'], init?.['permissionMode']], ['claude-haiku-4-5', 'bypassPermissions']);
  });

  test('report the context, the cost and MCP servers', async (context) => {
    const { host } = await start(context, [{ text: 'Hello.', usage: { input: 5000, output: 10 } }]);
    host.prompt('go');
    await host.results(1);
    const usage = (await host.request({ subtype: 'get_context_usage' }))['response'] as Record<string, unknown>;
    assert.equal(usage['totalTokens'], 5010);
    assert.ok((usage['maxTokens'] as number) >= 200_000);
    assert.deepEqual((await host.request({ subtype: 'mcp_status' }))['response'], { mcpServers: [] });
    const cost = (await host.request({ subtype: 'get_session_cost' }))['response'] as Record<string, unknown>;
    assert.match(cost['text'] as string, /5000 in, 10 out/);
    await host.end();
  });

  test('that are unknown or wrong get an error', async (context) => {
    const { host } = await start(context, [done]);
    const { error, error_code: code } = await host.request({ subtype: 'no_such_thing' });
    assert.deepEqual([error, code], ['Unsupported control request subtype: no_such_thing', 'unsupported_request']);
    assert.match(String((await host.request({ subtype: 'set_permission_mode', mode: 'x' }))['error']), /mode: must be/);
    const bypass = await host.request({ subtype: 'set_permission_mode', mode: 'bypassPermissions' });
    assert.match(String(bypass['error']), /--allow-dangerously-skip-permissions/);
    assert.match(String((await host.request({ subtype: 'initialize', jsonSchema: {} }))['error']), /structured output/);
    host.send({ type: 'control_request', request_id: 'broken' });
    const broken = await host.sees(({ response }) => (response as Line | undefined)?.['request_id'] === 'broken');
    assert.equal((broken['response'] as Line)['error'], 'control_request: request is missing');
    await host.end();
  });

  test('an interrupt ends a tool, and a prompt that waits can be withdrawn', async (context) => {
    const { host } = await start(context, [bash('sleep 30'), { text: 'Never.' }], {
      argv: [...hosted, '--permission-mode=bypassPermissions'],
    });
    host.prompt('go');
    await host.sees(({ type }) => type === 'tool_progress');
    host.prompt('later', 'one');
    assert.deepEqual((await host.request({ subtype: 'cancel_async_message', message_uuid: 'one' }))['response'], {
      cancelled: true,
    });
    host.prompt('later', 'two');
    const reply = await host.request({ subtype: 'interrupt', cancel_queued: true });
    assert.deepEqual(reply['response'], { still_queued: [], cancelled: ['two'] });
    assert.equal(await host.end(), 1);
    assert.deepEqual(
      (await host.results(1)).map(({ terminal_reason: reason }) => reason),
      ['aborted_tools'],
    );
  });

  test('slash commands are answered without the model', async (context) => {
    const { host, asked } = await start(context, [done]);
    host.prompt('/cost');
    await host.end();
    const [result] = await host.results(1);
    assert.match(result?.['result'] as string, /^session: /);
    assert.deepEqual(
      host.lines.map(({ type }) => type),
      ['system', 'assistant', 'result'],
    );
    assert.equal(asked().length, 0);
  });
});

describe('subagents', () => {
  const task = {
    toolCalls: [
      { name: 'Task', id: 'task-1', input: { description: 'Write', prompt: 'Write a.txt', subagent_type: 'scribe' } },
    ],
  };

  test('of the host run with its prompt, ask through it, and are marked in the lines', async (context) => {
    const replies = [
      { match: { system: 'You are a scribe', lastRole: 'tool' }, text: 'Written.' },
      { match: { system: 'You are a scribe' }, ...write('a.txt') },
      { match: { lastRole: 'tool' }, text: 'All done.' },
      task,
    ];
    const { host, place } = await start(context, replies, { argv: asking });
    const agents = {
      scribe: { description: 'Writes', prompt: 'You are a scribe.', tools: ['Write', 'WebFetch'], model: 'sonnet' },
    };
    const { response } = await host.request({ subtype: 'initialize', agents });
    assert.ok((response as { agents: { name: string }[] }).agents.some(({ name }) => name === 'scribe'));
    host.prompt('go');
    const asked = await host.asks('can_use_tool');
    const { tool_name: name, agent_id: agent, input } = asked['request'] as Line;
    assert.deepEqual([name, agent], ['Write', 'task-1']);
    host.reply(asked, { behavior: 'allow', updatedInput: input });
    const [result] = await host.results(1);
    assert.equal(result?.['result'], 'All done.');
    assert.ok(existsSync(join(place.path, 'a.txt')));
    const nested = host.lines.filter(({ parent_tool_use_id: parent }) => parent === 'task-1');
    assert.ok(nested.some(({ type }) => type === 'assistant'));
    await host.end();
  });

  test('that are malformed are refused', async (context) => {
    const { host } = await start(context, [done], { argv: [...hosted, '--agents', '{"a":{"description":"x"}}'] });
    host.prompt('go');
    assert.equal(await host.end(), 1);
    assert.match(host.err, /--agents: a: prompt: must be a text/);
  });
});

describe('MCP servers of the host', () => {
  test('that are malformed or unknown are refused by name', async (context) => {
    const { host } = await start(context, [done]);
    const malformed = await host.request({ subtype: 'initialize', sdkMcpServers: 'dice' });
    assert.match(JSON.stringify(malformed), /sdkMcpServers: must be a list of names/);
    const unknown = await host.request({ subtype: 'mcp_message', server_name: 'dice', message: {} });
    assert.match(JSON.stringify(unknown), /server_name: there is no server \\"dice\\"; name it in initialize/);
    await host.end();
  });

  test('that never answer or answer nonsense do not stop the prompt', async (context) => {
    const { host } = await start(context, [done]);
    await host.request({ subtype: 'initialize', sdkMcpServers: ['mad', 'rude'] });
    host.prompt('go');
    for (let count = 0; count < 2; count += 1) {
      const asked = await host.asks('mcp_message');
      host.reply(asked, { mcp_response: count === 0 ? 'nonsense' : { jsonrpc: '2.0', id: 'other', result: {} } });
    }
    await host.end();
    assert.match(host.err, /MCP server "mad"/);
    assert.equal((await host.results(1))[0]?.['result'], 'Done.');
  });
});

describe('hooks of the host', () => {
  test('before a tool may deny it; one that fails blocks it', async (context) => {
    const { host, place, asked } = await start(context, [write('a.txt'), write('b.txt'), done], {
      argv: [...hosted, '--permission-mode=bypassPermissions'],
    });
    await host.request(
      initialize({
        PreToolUse: [
          { matcher: 'Write', hookCallbackIds: ['h'] },
          { matcher: 'Read', hookCallbackIds: ['never'] },
        ],
      }),
    );
    host.prompt('go');
    const first = await host.asks('hook_callback');
    const { callback_id: callback, input } = first['request'] as Line;
    const { hook_event_name: event, tool_name: name, cwd } = input as Line;
    assert.deepEqual([callback, event, name, cwd], ['h', 'PreToolUse', 'Write', place.path]);
    host.reply(first, { hookSpecificOutput: { permissionDecision: 'deny', permissionDecisionReason: 'no way' } });
    const second = await host.sees((line) => line.type === 'control_request' && line !== first);
    host.send({
      type: 'control_response',
      response: { subtype: 'error', request_id: second['request_id'], error: 'crashed' },
    });
    await host.results(1);
    assert.deepEqual(
      readdirSync(place.path).filter((each) => each.endsWith('.txt')),
      [],
    );
    assert.match(asked()[1] ?? '', /no way/);
    assert.match(asked()[2] ?? '', /hook failed: crashed \(tool blocked by default\)/);
    await host.end();
  });

  test('before a tool may have the host asked about a call that needs no permission', async (context) => {
    const read = { toolCalls: [{ name: 'Read', id: 'call-1', input: { file_path: 'secret.txt' } }] };
    const { host, place, asked } = await start(context, [read, done], { argv: asking });
    place.write('secret.txt', 'the secret');
    await host.request(initialize({ PreToolUse: [{ hookCallbackIds: ['h'] }] }));
    host.prompt('go');
    host.reply(await host.asks('hook_callback'), { hookSpecificOutput: { permissionDecision: 'ask' } });
    host.reply(await host.asks('can_use_tool'), { behavior: 'deny', message: 'private' });
    await host.results(1);
    assert.match(asked()[1] ?? '', /private/);
    assert.doesNotMatch(asked()[1] ?? '', /the secret/);
    await host.end();
  });

  test('at the end of a turn may make the agent continue, in one result', async (context) => {
    const { host, asked } = await start(context, [
      { text: 'Early.', usage: { input: 10, output: 1 } },
      { text: 'Late.', usage: { input: 20, output: 1 } },
    ]);
    await host.request(initialize({ Stop: [{ hookCallbackIds: ['s'] }] }));
    host.prompt('go');
    const first = await host.asks('hook_callback');
    host.reply(first, { decision: 'block', reason: 'check again' });
    const second = await host.sees((line) => line.type === 'control_request' && line !== first);
    assert.equal(((second['request'] as Line)['input'] as Line)['stop_hook_active'], true);
    host.reply(second, {});
    const [result, ...more] = await host.results(1);
    await host.end();
    assert.deepEqual(
      [result?.['result'], more.length, (result?.['usage'] as Line | undefined)?.['input_tokens']],
      ['Late.', 0, 30],
    );
    assert.equal(host.lines.filter(({ subtype }) => subtype === 'init').length, 1);
    assert.match(asked()[1] ?? '', /check again/);
  });

  test('may refuse a prompt', async (context) => {
    const { host, asked } = await start(context, [done]);
    await host.request(initialize({ UserPromptSubmit: [{ hookCallbackIds: ['u'] }] }));
    host.prompt('secret');
    host.reply(await host.asks('hook_callback'), { decision: 'block', reason: 'not allowed here' });
    assert.equal((await host.results(1))[0]?.['result'], 'not allowed here');
    assert.equal(asked().length, 0);
    await host.end();
  });
});

describe('sessions', () => {
  const uuid = '11111111-2222-4333-8444-555555555555';

  test('have the given id, can be resumed and forked, and cannot be created twice', async (context) => {
    const place = project();
    const run = async (...argv: string[]) => {
      const { host, asked } = await start(context, [{ text: 'Hello.' }], { argv: [...hosted, ...argv], place });
      host.prompt('hi');
      const exitCode = await host.end();
      const [result] = await host.results(1);
      return { exitCode, id: result?.['session_id'], asked: asked().join(''), err: host.err };
    };
    assert.equal((await run(`--session-id=${uuid}`)).id, uuid);
    const resumed = await run('--resume', uuid);
    assert.equal(resumed.id, uuid);
    assert.match(resumed.asked, /Hello\./);
    const copy = 'aaaaaaaa-2222-4333-8444-555555555555';
    assert.equal((await run('--resume', uuid, '--fork-session', '--session-id', copy)).id, copy);
    assert.equal((await run('--continue')).id, copy);
    const twice = await run('--session-id', uuid);
    assert.equal(twice.exitCode, 1);
    assert.match(twice.err, /already exists/);
  });

  test('leave no files on request', async (context) => {
    const { host, place } = await start(context, [done], { argv: [...hosted, '--no-session-persistence'] });
    host.prompt('hi');
    assert.equal(await host.end(), 0);
    assert.deepEqual(readdirSync(place.path), []);
  });
});

describe('limits', () => {
  test('--max-turns and --max-budget-usd end a turn with their own subtypes', async (context) => {
    const bypass = '--permission-mode=bypassPermissions';
    const turns = await start(context, [bash('true'), bash('true'), done], {
      argv: [...hosted, bypass, '--max-turns=1'],
    });
    turns.host.prompt('go');
    assert.equal(await turns.host.end(), 1);
    assert.equal((await turns.host.results(1))[0]?.['subtype'], 'error_max_turns');
    assert.equal(turns.asked().length, 1);
    const money = await start(context, [{ ...bash('true'), usage: { input: 1_000_000, output: 1 } }, done], {
      argv: [...hosted, bypass, '--max-budget-usd', '0.01'],
    });
    money.host.prompt('go');
    money.host.prompt('more');
    await money.host.end();
    assert.deepEqual(
      (await money.host.results(2)).map(({ subtype }) => subtype),
      ['error_max_budget_usd', 'error_max_budget_usd'],
    );
  });
});

describe('the process', () => {
  for (const [signal, exitCode] of [
    ['SIGTERM', 143],
    ['SIGINT', 130],
  ] as const) {
    test(`ends on ${signal} with a result, and its tools with it`, async (context) => {
      const { host, place } = await start(context, [bash('echo $$ > pid; sleep 30'), done], {
        argv: [...hosted, '--permission-mode=bypassPermissions'],
      });
      host.prompt('go');
      while (!existsSync(join(place.path, 'pid'))) await setTimeout(10);
      host.child.kill(signal);
      await once(host.child, 'close');
      assert.equal(host.child.exitCode, exitCode);
      assert.equal((await host.results(1))[0]?.['terminal_reason'], 'aborted_tools');
      const pid = Number(readFileSync(join(place.path, 'pid'), 'utf8'));
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    });
  }

  test('reports its state to hosts that ask for it', async (context) => {
    const { host } = await start(context, [done], { env: { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: '1' } });
    host.prompt('go');
    await host.end();
    const states = host.lines.flatMap(({ subtype, state }) => (subtype === 'session_state_changed' ? [state] : []));
    assert.deepEqual(states, ['running', 'idle']);
    assert.equal(host.lines.at(-1)?.['state'], 'idle');
  });

  test('without any line ends at once', async (context) => {
    const { host } = await start(context, [done]);
    assert.equal(await host.end(), 0);
    assert.deepEqual(host.lines, []);
  });
});

describe('flags', () => {
  const refusals: readonly (readonly [string, readonly string[], RegExp])[] = [
    ['a rule that denies a part of a tool', ['--disallowedTools', 'Bash(rm:*)'], /Bash\(rm:\*\) is not supported/],
    ['a JSON schema', ['--json-schema', '{}'], /structured output/],
    ['another main agent', ['--agent=reviewer'], /--agent/],
    ['a point to resume at', ['--resume-session-at', 'x'], /--resume-session-at/],
    ['settings with hooks', ['--settings', '{"hooks":{"Stop":[]}}'], /hooks: is not supported/],
    ['settings that are not JSON', ['--settings', '{x'], /--settings: is not JSON/],
    ['settings that do not exist', ['--settings', 'none.json'], /none\.json: file not found/],
    [
      'a session id beside a resumed session',
      ['--continue', '--session-id', '11111111-2222-4333-8444-555555555555'],
      /--session-id/,
    ],
    ['contradicting modes', ['--dangerously-skip-permissions', '--permission-mode', 'plan'], /plan/],
  ];
  for (const [name, argv, message] of refusals) {
    test(`refused: ${name}`, async (context) => {
      const { host } = await start(context, [done], { argv: [...hosted, ...argv] });
      host.prompt('go');
      assert.equal(await host.end(), 1);
      assert.match(host.err, message);
      assert.match(JSON.stringify((await host.results(1))[0]?.['errors']), message);
    });
  }

  const invalid: readonly (readonly [readonly string[], RegExp])[] = [
    [['--permission-prompt-tool', 'mcp__x', 'go'], /Only stdio/],
    [['--session-id', 'x', 'go'], /UUID/],
    [['--input-format', 'stream-json'], /requires --output-format stream-json/],
    [[...hosted, 'a prompt here'], /takes prompts from standard input/],
    [['--output-format', 'stream-json', '--permission-prompt-tool', 'stdio', 'say hello'], /requires --input-format/],
    [['--permission-mode', 'plan', '--permission', 'full', 'say hello'], /cannot be used with/],
  ];
  for (const [argv, message] of invalid) {
    test(`invalid: ${argv.join(' ')}`, async () => {
      const { err, exitCode, out } = await forgeflare(project(), argv);
      assert.match(err, message);
      assert.deepEqual([exitCode, out], [2, '']);
    });
  }

  test('without effect are named', async (context) => {
    const argv = [
      ...hosted,
      '--fallback-model',
      'x',
      '--setting-sources=',
      '--betas=a',
      '--settings',
      '{"theme":"dark"}',
    ];
    const { host } = await start(context, [done], { argv });
    host.prompt('go');
    assert.equal(await host.end(), 0);
    assert.match(host.err, /without effect: --fallback-model, --setting-sources, --betas, --settings theme/);
  });

  test('of the system prompt, the effort and settings reach the model', async (context) => {
    const settings =
      '{"permissions":{"allow":["Write"],"deny":["Bash"],"defaultMode":"dontAsk"},"model":"claude-haiku-4-5"}';
    const argv = [
      ...hosted,
      '--system-prompt',
      'You are a parrot.',
      '--append-system-prompt=Be brief.',
      '--settings',
      settings,
    ];
    const { host, asked, place } = await start(context, [write('a.txt'), done], { argv });
    host.prompt('go');
    await host.end();
    assert.match(asked()[0] ?? '', /You are a parrot\.\\n\\nBe brief\./);
    assert.match(asked()[0] ?? '', /"model":"claude-haiku-4-5"/);
    assert.doesNotMatch(asked()[0] ?? '', /"name":"Bash"/);
    assert.equal(readFileSync(join(place.path, 'a.txt'), 'utf8'), 'x\n');
    assert.equal(host.lines[0]?.['permissionMode'], 'dontAsk');
  });
});
