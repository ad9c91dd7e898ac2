// Every way a hook can behave, in every position: guards fail closed with an exact message, other hooks fail open with a
// warning. Also order, JSON shapes, limits and turn ends.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { z } from 'zod';
import { eventsOf, noticesOf } from '../../../test/support/agent-model.ts';
import { calls, done, hookProject, hookToml, tellTo, type HookProject } from '../../../test/support/hook-project.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { defineTool } from '../../agent/tool.ts';

const say = (value: unknown): string => `cat > /dev/null; echo '${JSON.stringify(value)}'`;
const allow = say({ action: 'allow' });
const block = say({ action: 'block', reason: 'not today' });
const proceed = say({ action: 'continue' });
const signal = say({ action: 'signal', signal: 'converged', reason: 'all green' });

interface Behaviour {
  readonly command: (answer: string) => string;
  /** What a guard's message says, where it blocks. */
  readonly failure?: string;
  readonly timeout?: number;
}

/** `answer` is what the hook's place expects of it: allow, or continue. */
const behaviours: Readonly<Record<string, Behaviour>> = {
  'that says yes': { command: (answer) => `cat > /dev/null; echo '${answer}'` },
  'that takes too long': { command: () => 'sleep 30', failure: 'timed out after 150ms', timeout: 150 },
  'that crashes': { command: (answer) => `echo '${answer}'; exit 3`, failure: 'exited with code 3' },
  'that is killed': { command: (answer) => `echo '${answer}'; kill -9 $$`, failure: 'exited with code 137' },
  'that is not there': { command: () => './no-such-program', failure: 'exited with code 127' },
  'that says nothing': { command: () => 'true', failure: 'returned invalid JSON' },
  'that speaks no JSON': { command: () => 'echo yes, go on', failure: 'returned invalid JSON' },
  'that says more than JSON': { command: (answer) => `echo '${answer}'; echo done`, failure: 'returned invalid JSON' },
  'that names a member twice': {
    command: (answer) => `echo '{"action":"block",${answer.slice(1)}'`,
    failure: 'returned invalid JSON',
  },
  'that names a member twice under an escape': {
    command: (answer) => `printf '%s' '{"\\u0061ction":"block",${answer.slice(1)}'`,
    failure: 'returned invalid JSON',
  },
  'that names a member twice further in': {
    command: (answer) => `echo '{"detail":[{"a":1,"b":{"c":1},"a":2}],${answer.slice(1)}'`,
    failure: 'returned invalid JSON',
  },
  'that names a member once in each of two objects': {
    command: (answer) => `echo '{"detail":[{"a":"a"},{"a":{"a":["action","action"]}}],${answer.slice(1)}'`,
  },
  'that gives a list': { command: (answer) => `echo '[${answer}]'`, failure: 'returned invalid JSON' },
  'that writes a huge JSON': {
    command: (answer) =>
      `head -c 2000000 /dev/zero | tr '\\0' x | (printf '%s' '${answer.slice(0, -1)},"x":"'; cat; printf '"}')`,
    failure: 'returned invalid JSON',
  },
  'that never stops writing': { command: () => 'yes', failure: 'returned invalid JSON' },
  'that closes its stdin': { command: (answer) => `exec <&-; echo '${answer}'` },
  'that does not read its stdin': { command: (answer) => `echo '${answer}'` },
  'whose child holds the pipe': { command: (answer) => `sleep 8 & echo '${answer}'` },
  'whose child left the session': {
    command: () => 'setsid nohup sleep 30 & (sleep 30 &); sleep 30',
    failure: 'timed out after 150ms',
    timeout: 150,
  },
};

const observed = { action: 'continue' };

for (const [name, { command: commandFor, failure, timeout }] of Object.entries(behaviours)) {
  const limit = timeout === undefined ? {} : { 'timeout_ms': timeout };
  describe(`a hook ${name}`, { concurrency: true }, () => {
    for (const tool of ['Write', 'Read']) {
      test(`as a guard of ${tool} ${failure === undefined ? 'lets the call run' : 'blocks it'}`, async (context) => {
        const command = commandFor(JSON.stringify({ action: 'allow' }));
        const hooks = hookToml({ event: 'PreToolUse', command, ...limit });
        const replies = [calls(tool, 'a'), done];
        const project = await hookProject(context, { hooks, replies });
        const { end } = await project.run('Go');
        assert.equal(end.reason, 'end');
        const message = `hook failed: ${command} ${failure} (tool blocked by default)`;
        assert.equal(project.conversation()[2], `user: a → ${failure === undefined ? 'a ran' : message}`);
        assert.deepEqual(project.ran, failure === undefined ? ['a'] : []);
      });
    }

    // An observer's and a Stop hook's words are not read, so they cannot be wrong.
    const spoken = failure?.startsWith('returned') === true && !name.includes('writ') ? undefined : failure;
    const places: Readonly<Record<string, readonly [table: Record<string, string>, failure: string | undefined]>> = {
      'as an observer': [{ event: 'PreToolUse', phase: 'observe' }, spoken],
      'after the tool': [{ event: 'PostToolUse' }, failure],
      'at the end': [{ event: 'Stop' }, spoken],
    };
    for (const [place, [table, expected]] of Object.entries(places)) {
      test(`${place} changes nothing${expected === undefined ? '' : ', and causes a warning'}`, async (context) => {
        const command = commandFor(JSON.stringify(observed));
        const hooks = hookToml({ ...table, command, ...limit });
        const project = await hookProject(context, { hooks, replies: [calls('Write', 'a'), done] });
        const { end } = await project.run('Go');
        assert.deepEqual([end.reason, project.ran, project.conversation()[2]], ['end', ['a'], 'user: a → a ran']);
        const warning = `${table['event']} hook: ${command} ${expected}`;
        assert.deepEqual(project.warnings, expected === undefined ? [] : [warning]);
      });
    }
  });
}

describe('a guard', { concurrency: true }, () => {
  const blockings: readonly (readonly [said: unknown, reason: string])[] = [
    [{ action: 'block', reason: 'not today' }, 'not today'],
    [{ action: 'block' }, 'no reason given'],
    [{ action: 'block', reason: 7 }, 'no reason given'],
    [{ action: 'maybe' }, 'unknown action "maybe"'],
    [{ action: 'Allow' }, 'unknown action "Allow"'],
    [{ action: 'deny', reason: 'because' }, 'because'],
    [{ action: true }, 'unknown action true'],
    [{ allow: true }, 'unknown action (none)'],
    [{}, 'unknown action (none)'],
  ];
  for (const [said, reason] of blockings) {
    test(`that returns ${JSON.stringify(said)} blocks`, async (context) => {
      const hooks = hookToml({ event: 'PreToolUse', command: say(said) });
      const project = await hookProject(context, { hooks, replies: [calls('Write', 'a'), done] });
      const reading = await project.run('Go');
      assert.equal(project.conversation()[2], `user: a → blocked by ${say(said)}: ${reason}`);
      assert.equal(eventsOf(reading, 'tool-end')[0]?.result.isError, true);
      assert.deepEqual([project.ran, project.warnings], [[], []]);
    });
  }

  test('applies to one tool by its exact name, or to all', async (context) => {
    const hooks = [
      hookToml({ event: 'PreToolUse', command: block, 'match_tool': 'Write' }),
      hookToml({ event: 'PreToolUse', command: block, 'match_tool': 'read' }),
    ].join('');
    const project = await hookProject(context, { hooks, replies: [calls('Read', 'a'), calls('Write', 'b'), done] });
    await project.run('Go');
    assert.deepEqual(project.ran, ['a']);
  });

  test('of a tool that does not exist keeps the agent from starting', async (context) => {
    const hooks = ['bash', 'Write', 'Deploy'].map((name) =>
      hookToml({ event: 'PreToolUse', command: './guard', 'match_tool': name }),
    );
    const more = { tools: ['Read', 'Write', 'Bash'] };
    await assert.rejects(hookProject(context, { hooks: hooks.join(''), replies: [done], more }), (error) => {
      assert.ok(error instanceof SimpleAgentsError && error.kind === 'configuration');
      assert.match(
        error.message,
        /^\S+\/hooks\.toml: match_tool "bash" of the guard "\.\/guard": there is no such tool; did you mean "Bash"\?\n\S+: match_tool "Deploy" .* the tools are: Read, Write, Bash$/,
      );
      return true;
    });
  });

  test('of an MCP tool, and other hooks of an unknown tool, only warn', async (context) => {
    const hooks = [
      hookToml({ event: 'PreToolUse', command: './guard', 'match_tool': 'mcp__files__remove' }),
      hookToml({ event: 'PreToolUse', phase: 'observe', command: './watch', 'match_tool': 'bash' }),
      hookToml({ event: 'PostToolUse', command: './after', 'match_tool': 'Wirte' }),
    ];
    const more = { tools: ['Read', 'Write', 'Bash'] };
    const { warnings, folder } = await hookProject(context, { hooks: hooks.join(''), replies: [done], more });
    const file = `${folder}/.forgeflare/hooks.toml`;
    assert.deepEqual(warnings, [
      `${file}: match_tool "mcp__files__remove" of the guard "./guard": there is no such tool; the tools are: Read, Write, Bash`,
      `${file}: match_tool "bash" of the PreToolUse hook "./watch": there is no such tool; did you mean "Bash"?`,
      `${file}: match_tool "Wirte" of the PostToolUse hook "./after": there is no such tool; did you mean "Write"?`,
    ]);
  });

  test('sees a big integer as a number', async (context) => {
    const hooks = hookToml({ event: 'PreToolUse', command: `cat > seen; ${allow}` });
    const count = defineTool({
      name: 'Count',
      description: 'Counts',
      input: z.object({ to: z.bigint() }),
      run: ({ to }) => String(to),
    });
    const replies = [{ toolCalls: [{ name: 'Count', id: 'a', input: { to: 42 } }] }, done];
    const project = await hookProject(context, { hooks, replies, agent: { tools: [count] } });
    await project.run('Go');
    assert.equal(project.conversation()[2], 'user: a → 42');
    assert.match(project.read('seen') ?? '', /"to":42[,}]/);
  });

  test('after one that blocks does not run; observers always run, with exact input', async (context) => {
    const hooks = [
      hookToml({ event: 'PreToolUse', phase: 'observe', command: tellTo('seen') }),
      hookToml({ event: 'PreToolUse', command: `tee -a first > /dev/null; echo '{"action":"allow"}'` }),
      hookToml({ event: 'PreToolUse', 'match_tool': 'Write', command: block }),
      hookToml({ event: 'PreToolUse', command: `tee -a last > /dev/null; echo '{"action":"allow"}'` }),
    ].join('');
    const replies = [{ toolCalls: [{ name: 'Write', id: 'a', input: { text: 'ä' } }] }, calls('Read', 'b'), done];
    const project = await hookProject(context, { hooks, replies });
    await project.run('Go');
    const cwd = project.folder;
    const write = { tool: 'Write', input: { text: 'ä' }, 'tool_iterations': 0, cwd };
    const read = { tool: 'Read', input: {}, 'tool_iterations': 1, cwd };
    const guard = { event: 'PreToolUse', phase: 'guard' };
    assert.deepEqual(project.told('first'), [
      { ...guard, ...write },
      { ...guard, ...read },
    ]);
    assert.deepEqual(project.told('last'), [{ ...guard, ...read }]);
    const observe = { event: 'PreToolUse', phase: 'observe' };
    assert.deepEqual(project.told('seen'), [
      { ...observe, ...write, blocked: true, 'blocked_by': block, 'block_reason': 'not today' },
      { ...observe, ...read, blocked: false },
    ]);
  });

  test('that fails is what observers see as the reason', async (context) => {
    const hooks = [
      hookToml({ event: 'PreToolUse', command: 'exit 4' }),
      hookToml({ event: 'PreToolUse', phase: 'observe', command: tellTo('seen') }),
    ].join('');
    const project = await hookProject(context, { hooks, replies: [calls('Read', 'a'), done] });
    await project.run('Go');
    const [seen] = project.told('seen') as Record<string, unknown>[];
    const message = 'hook failed: exit 4 exited with code 4 (tool blocked by default)';
    assert.deepEqual([seen?.['blocked_by'], seen?.['block_reason']], ['exit 4', message]);
  });

  test('sees no secret in its environment, and its stderr goes to the given function', async (context) => {
    const words: string[] = [];
    const hooks = hookToml({ event: 'PreToolUse', command: `echo oh dear >&2; env > environment; ${allow}` });
    const environment = {
      PATH: process.env['PATH'],
      HARMLESS: 'yes',
      'ANTHROPIC_API_KEY': 'canary-1',
      'PLAIN': 'holds canary-2 inside',
    };
    const more = { environment, secrets: ['canary-2'], stderr: (chunk: string) => void words.push(chunk) };
    const project = await hookProject(context, { hooks, replies: [calls('Write', 'a'), done], more });
    await project.run('Go');
    assert.match(project.read('environment') ?? '', /^HARMLESS=yes$/m);
    assert.doesNotMatch(project.read('environment') ?? '', /canary/);
    assert.equal(words.join(''), 'oh dear\n');
  });

  test('is broken off by a cancel, with its processes', async (context) => {
    const controller = new AbortController();
    const hooks = hookToml({ event: 'PreToolUse', command: 'touch begun; setsid sleep 30 & sleep 30; touch ended' });
    const project = await hookProject(context, { hooks, replies: [calls('Write', 'a'), done] });
    const running = project.run('Go', controller.signal);
    while (project.read('begun') === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
    controller.abort();
    assert.equal((await running).end.reason, 'cancelled');
    assert.deepEqual([project.ran, project.warnings], [[], []]);
  });
});

const batch = (name: string, ...texts: readonly string[]) => ({
  toolCalls: texts.map((text, index) => ({ name, id: `${text}-${index}`, input: { text } })),
});
const seenTexts = (project: HookProject) =>
  (project.told('seen') as { input: { text: string } }[]).map(({ input }) => input.text);

describe('blocked calls', { concurrency: true }, () => {
  const blockWrite = hookToml({ event: 'PreToolUse', 'match_tool': 'Write', command: block });
  /** Blocks by the call's text, in whatever tool. */
  const blockByText = hookToml({
    event: 'PreToolUse',
    command: `if grep -q '"no' ; then echo '{"action":"block","reason":"no"}'; else echo '{"action":"allow"}'; fi`,
  });
  const observer = hookToml({ event: 'PreToolUse', phase: 'observe', command: tellTo('seen') });
  const post = hookToml({ event: 'PostToolUse', command: `tee -a after > /dev/null; ${proceed}` });
  const stop = hookToml({ event: 'Stop', command: tellTo('stopped') });
  for (const [kind, name] of [
    ['sequence', 'Write'],
    ['parallel', 'Read'],
  ] as const) {
    test(`three in a row end the turn, and the batch leaves no trace (${kind})`, async (context) => {
      const hooks = blockByText + observer + post + stop;
      const replies = [batch(name, 'yes', 'no', 'no', 'no', 'yes'), done];
      const project = await hookProject(context, { hooks, replies });
      const reading = await project.run('Go');
      assert.deepEqual([reading.end.reason, reading.end.iterations], ['block-limit-consecutive', 0]);
      assert.deepEqual(project.conversation(), ['user: Go', 'assistant: [Stopped: block-limit-consecutive]']);
      assert.deepEqual(seenTexts(project), ['yes', 'no', 'no', 'no'], 'nothing after the third is judged');
      // In a sequence the first call was done when the others came; at once, none was started.
      assert.deepEqual(project.ran, kind === 'sequence' ? ['yes-0'] : []);
      assert.equal(project.told('after').length, kind === 'sequence' ? 1 : 0);
      const [stopped] = project.told('stopped') as Record<string, unknown>[];
      assert.deepEqual([stopped?.['reason'], stopped?.['tool_iterations']], ['block_limit_consecutive', 0]);
      assert.match(
        noticesOf(reading).join(),
        /^block-limit: hooks blocked 3 tool calls in a row, .* blocked by .*: no$/,
      );
      assert.equal((await project.run('Again')).end.text, 'Done.');
    });

    test(`an allowed one in between resets the count, across batches (${kind})`, async (context) => {
      const replies = [batch(name, 'no', 'no', 'yes', 'no'), batch(name, 'no', 'yes', 'no', 'no'), done];
      const project = await hookProject(context, { hooks: blockByText, replies });
      const { end } = await project.run('Go');
      assert.deepEqual([end.reason, end.iterations], ['end', 2]);
      const over = await hookProject(context, {
        hooks: blockByText,
        replies: [batch(name, 'yes', 'no', 'no'), batch(name, 'no', 'yes'), done],
      });
      assert.deepEqual((await over.run('Go')).end.reason, 'block-limit-consecutive');
      assert.equal(over.conversation().length, 8, 'the first batch stays');
    });

    test(`ten in all end the turn (${kind})`, async (context) => {
      const pair = batch(name, 'no', 'no', 'yes');
      const replies = [pair, pair, pair, pair, batch(name, 'no', 'yes', 'no', 'yes'), done];
      const project = await hookProject(context, { hooks: blockByText + stop, replies });
      const { end } = await project.run('Go');
      assert.deepEqual([end.reason, end.iterations], ['block-limit-total', 4]);
      const [stopped] = project.told('stopped') as Record<string, unknown>[];
      assert.equal(stopped?.['reason'], 'block_limit_total');
    });

    test(`are counted by the turn (${kind})`, async (context) => {
      const replies = [batch(name, 'no', 'no'), done, batch(name, 'no', 'no'), done];
      const project = await hookProject(context, { hooks: blockByText, replies });
      assert.equal((await project.run('Go')).end.reason, 'end');
      assert.equal((await project.run('Go')).end.reason, 'end');
    });

    test(`are left out, and their siblings run (${kind})`, async (context) => {
      const project = await hookProject(context, {
        hooks: blockByText + post,
        replies: [batch(name, 'no', 'yes', 'no'), done],
      });
      assert.equal((await project.run('Go')).end.reason, 'end');
      assert.deepEqual(project.ran, ['yes-1']);
      const results = project.conversation().filter((line) => line.includes('→'));
      assert.match(results[0] ?? '', /^user: no-0 → blocked by .*: no$/);
      assert.equal(results[1], 'user: yes-1 → yes-1 ran');
      assert.equal(project.told('after').length, 1, 'PostToolUse is for calls that ran');
    });
  }

  test('three in a row that are also the tenth count as in a row', async (context) => {
    const two = batch('Write', 'no', 'no', 'yes');
    const replies = [two, two, two, batch('Write', 'no', 'yes', 'no', 'no', 'no'), done];
    const project = await hookProject(context, { hooks: blockByText, replies });
    assert.equal((await project.run('Go')).end.reason, 'block-limit-consecutive');
  });

  test('win over a signal of the same batch', async (context) => {
    const signalling = hookToml({ event: 'PostToolUse', command: signal });
    const replies = [batch('Write', 'yes', 'no', 'no', 'no'), done];
    const project = await hookProject(context, { hooks: blockByText + signalling, replies });
    assert.equal((await project.run('Go')).end.reason, 'block-limit-consecutive');
    const { observations, final } = JSON.parse(project.read('.forgeflare/convergence.json') ?? '');
    assert.deepEqual([observations.length, final.reason], [1, 'block_limit_consecutive']);
  });

  test('in a batch with a tool that changes something are guarded when their turn comes', async (context) => {
    const mixed = { toolCalls: [...calls('Read', 'a').toolCalls!, ...calls('Write', 'b').toolCalls!] };
    const project = await hookProject(context, { hooks: blockWrite + post, replies: [mixed, done] });
    assert.equal((await project.run('Go')).end.reason, 'end');
    assert.deepEqual(project.ran, ['a']);
    assert.equal(project.told('after').length, 1);
  });
});

describe('after a tool', { concurrency: true }, () => {
  const told = hookToml({ event: 'PostToolUse', command: `tee -a after > /dev/null; ${proceed}` });

  test('a hook sees the result, with an exact shape', async (context) => {
    const project = await hookProject(context, {
      hooks: told,
      replies: [calls('Write', 'a'), calls('Read', 'b'), done],
    });
    await project.run('Go');
    const cwd = project.folder;
    const about = { event: 'PostToolUse', input: {}, 'is_error': false, cwd };
    assert.deepEqual(project.told('after'), [
      { ...about, tool: 'Write', result: 'a ran', 'tool_iterations': 0 },
      { ...about, tool: 'Read', result: 'b ran', 'tool_iterations': 1 },
    ]);
  });

  for (const [name, text, head, tail] of [
    ['5120 bytes are shown whole', 'x'.repeat(5120), undefined, undefined],
    ['more loses its middle', `${'a'.repeat(3000)}${'b'.repeat(3000)}`, 'a'.repeat(2560), 'b'.repeat(2560)],
    ['no character is cut', `x${'ä'.repeat(3000)}x`, `x${'ä'.repeat(1279)}`, `${'ä'.repeat(1279)}x`],
    ['not even a long one', `x${'😀'.repeat(1500)}`, `x${'😀'.repeat(639)}`, '😀'.repeat(640)],
  ] as const) {
    test(`of a long result: ${name}`, async (context) => {
      const project = await hookProject(context, {
        hooks: told,
        replies: [calls('Write', 'a'), done],
        output: () => text,
      });
      await project.run('Go');
      const [after] = project.told('after') as { result: string }[];
      const bytes = Buffer.byteLength(text);
      const marker = `\n... (truncated for hook, full result: ${bytes} bytes)\n`;
      assert.equal(after?.result, head === undefined ? text : `${head}${marker}${tail}`);
    });
  }

  for (const name of ['Write', 'Read']) {
    test(`a signal ends the turn once all results are recorded (${name})`, async (context) => {
      const both = [
        hookToml({ event: 'PostToolUse', command: signal }),
        hookToml({ event: 'PostToolUse', command: say({ action: 'signal', signal: 'second', reason: 'too' }) }),
        hookToml({ event: 'PostToolUse', command: say({ action: 'signal', signal: 'unnamed' }) }),
      ].join('');
      const project = await hookProject(context, {
        hooks: both + hookToml({ event: 'Stop', command: tellTo('stopped') }),
        replies: [calls(name, 'a', 'b'), done],
      });
      const { end } = await project.run('Go');
      assert.deepEqual([end.reason, end.iterations], ['convergence-signal', 1]);
      assert.deepEqual(project.ran, ['a', 'b']);
      assert.deepEqual(project.conversation().slice(3), [
        'user: a → a ran',
        'user: b → b ran',
        'assistant: [Stopped: convergence-signal]',
      ]);
      const state = JSON.parse(project.read('.forgeflare/convergence.json') ?? '');
      const each = [
        { signal: 'converged', reason: 'all green', 'tool_iterations': 0 },
        { signal: 'second', reason: 'too', 'tool_iterations': 0 },
        { signal: 'unnamed', reason: '', 'tool_iterations': 0 },
      ];
      assert.deepEqual(state.observations, [...each, ...each]);
      assert.match(state.final.timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const final = {
        reason: 'convergence_signal',
        'tool_iterations': 1,
        'total_tokens': end.usage.input + end.usage.output,
      };
      assert.deepEqual({ ...state.final, timestamp: undefined }, { ...final, timestamp: undefined });
      assert.deepEqual(project.told('stopped'), [{ event: 'Stop', ...final, cwd: project.folder }]);
    });
  }

  test('an unknown action and a signal without a name cause a warning and change nothing', async (context) => {
    const hooks = [say({ action: 'allow' }), say({ action: 'signal' })].map((command) =>
      hookToml({ event: 'PostToolUse', command }),
    );
    const project = await hookProject(context, { hooks: hooks.join(''), replies: [calls('Write', 'a'), done] });
    assert.equal((await project.run('Go')).end.reason, 'end');
    assert.match(project.warnings[0] ?? '', /returned the unknown action "allow"$/);
    assert.match(project.warnings[1] ?? '', /returned a signal without a name$/);
  });

  test('a call that another policy answered has no result to look at', async (context) => {
    for (const name of ['Read', 'Write']) {
      const refusing = { around: () => ({ content: [{ type: 'text', text: 'no' } as const], isError: true }) };
      const project = await hookProject(context, {
        hooks: told,
        replies: [calls(name, 'a'), done],
        agent: { policies: [refusing] },
      });
      await project.run('Go');
      assert.deepEqual([project.ran, project.told('after')], [[], []]);
    }
  });

  test('a convergence file that cannot be written causes a warning and changes nothing', async (context) => {
    const command = `rm -f .forgeflare/convergence.json; mkdir -p .forgeflare/convergence.json/x; ${signal}`;
    const project = await hookProject(context, {
      hooks: hookToml({ event: 'PostToolUse', command }),
      replies: [calls('Write', 'a'), done],
    });
    assert.equal((await project.run('Go')).end.reason, 'convergence-signal');
    assert.match(project.warnings.join('\n'), /convergence\.json cannot be written \(EISDIR\)/);
  });

  test('a damaged convergence file is overwritten', async (context) => {
    const command = `echo oops > .forgeflare/convergence.json; ${signal}`;
    const project = await hookProject(context, {
      hooks: hookToml({ event: 'PostToolUse', command }),
      replies: [calls('Write', 'a'), done],
    });
    await project.run('Go');
    assert.equal(JSON.parse(project.read('.forgeflare/convergence.json') ?? '').observations.length, 1);
    assert.match(project.warnings.join('\n'), /is not a valid convergence file/);
  });
});
