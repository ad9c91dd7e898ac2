// Subagents of the coding agent as a real process: trust in agent files, rights, hooks, what is shown, recorded and counted,
// and a cancel.

import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { forgeflare, projects, reaching, startModel, type Project } from '../support/forgeflare-process.ts';

const newProject = projects();

const reviewer = '---\nname: reviewer\ndescription: Reviews\ntools: Read, Bash\n---\nYou are the REVIEWER.\n';
const task = (id: string, prompt: string, agent?: string) => ({
  name: 'Task',
  id,
  input: { description: `do ${id}`, prompt, ...(agent === undefined ? {} : { subagent_type: agent }) },
});
const on = (contains: string, reply: object) => ({ match: { contains }, ...reply });
/** For the results that a subagent reads. */
const inside = (contains: string, reply: object) => ({ match: { contains, system: 'for another agent' }, ...reply });
const usage = (input: number, output: number) => ({ usage: { input, output } });

function sessionOf({ path }: Project): string {
  const [folder = ''] = globSync('.entire/metadata/2*', { cwd: path });
  return join(path, folder);
}

function resultsOf(project: Project): string {
  return readFileSync(join(sessionOf(project), 'full.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line.includes('tool_result'))
    .join('\n');
}

describe('agent files of a repository', () => {
  const replies = [
    { toolCalls: [task('t1', 'please review', 'reviewer')] },
    on('please review', { text: 'No bugs.' }),
    { text: 'Reviewed.' },
  ];

  test('are refused without trust, naming the flags; used with it, and remembered; left out on request', async (context) => {
    const project = newProject({ '.forgeflare/agents/reviewer.md': reviewer });
    const server = await startModel(context, { replies: [...replies, ...replies] });
    const env = reaching(server);
    const refused = await forgeflare(project, ['review it please'], { env });
    assert.equal(refused.exitCode, 2);
    assert.match(refused.err, /agents of this repository are not trusted; .*--trust-agents.*--no-agents/);
    assert.equal(server.requests.length, 0);
    for (const argv of [['--trust-agents'], []]) {
      const run = await forgeflare(project, [...argv, 'review it please'], { env });
      assert.deepEqual([run.exitCode, run.out], [0, 'Reviewed.\n'], run.err);
    }
    assert.match(JSON.stringify(server.requests[1]?.body), /You are the REVIEWER/);
    const without = await startModel(context, { replies: [{ text: 'Alone.' }] });
    const run = await forgeflare(project, ['--no-agents', 'review it please'], { env: reaching(without) });
    assert.equal(run.exitCode, 0, run.err);
    assert.doesNotMatch(JSON.stringify(without.requests[0]?.body), /reviewer/);
  });

  test('stop the start if they are invalid, with every problem named', async () => {
    const project = newProject({
      '.forgeflare/agents/a.md': '---\nname: a\ndescription: b\ntols: Read\n---\nx\n',
      '.forgeflare/agents/b.md': '---\nname: b\n---\nx\n',
    });
    const run = await forgeflare(project, ['--model=simulated', '--trust-agents', 'do it please']);
    assert.equal(run.exitCode, 2);
    assert.match(run.err, /agents\/a\.md:4: tols: unknown key; did you mean "tools"\?/);
    assert.match(run.err, /agents\/b\.md:1: description: is missing/);
  });

  test('may not name unknown tools', async () => {
    const project = newProject({ '.forgeflare/agents/a.md': reviewer.replace('Bash', 'Shell') });
    const run = await forgeflare(project, ['--model=simulated', '--trust-agents', 'do it please']);
    assert.equal(run.exitCode, 2);
    assert.match(run.err, /a\.md: tools: there is no tool "Shell"/);
  });

  test('of the user are used without a question', async (context) => {
    const project = newProject();
    const folder = join(project.home, '.config', 'simple-agents', 'agents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'reviewer.md'), reviewer);
    const server = await startModel(context, { replies });
    const run = await forgeflare(project, ['review it please'], { env: reaching(server) });
    assert.equal(run.out, 'Reviewed.\n', run.err);
  });
});

describe('a run with subagents', () => {
  const replies = [
    { text: 'I delegate.', toolCalls: [task('t1', 'FIND it', 'explore'), task('t2', 'FIX it')], ...usage(1000, 100) },
    on('FIND it', { toolCalls: [{ name: 'Read', id: 'c1', input: { file_path: 'a.js' } }], ...usage(500, 50) }),
    on('FIX it', {
      toolCalls: [{ name: 'Edit', id: 'c1', input: { file_path: 'a.js', old_str: '1', new_str: '2' } }],
      delayMs: 300,
      ...usage(300, 30),
    }),
    inside('let a', { text: 'Found.', ...usage(70, 7) }),
    inside('a.js', { text: 'Fixed.', ...usage(20, 2) }),
    { text: 'Both done.', ...usage(2000, 200) },
    { text: 'You are welcome.', ...usage(1, 1) },
  ];

  test('shows them nested, counts them to the cent, records them, and can be continued', async (context) => {
    const project = newProject({ 'a.js': 'let a = 1;\n' });
    const env = reaching(await startModel(context, { replies }));
    const run = await forgeflare(project, ['--output-format', 'json', 'do both please'], { env });
    assert.equal(run.exitCode, 0, run.err);
    const report = JSON.parse(run.out) as { usage: object; costUsd: number; tools: object; iterations: number };
    assert.deepEqual(report.usage, { input: 3890, output: 389, cacheRead: 0, cacheWrite: 0 });
    // 5 and 25 dollars for a million tokens.
    assert.equal(report.costUsd.toFixed(8), ((3890 * 5 + 389 * 25) / 1e6).toFixed(8));
    assert.deepEqual(report.tools, {
      Read: { calls: 1, errors: 0 },
      Edit: { calls: 1, errors: 0 },
      Task: { calls: 2, errors: 0 },
    });
    assert.match(run.err, /● Task explore: do t1\n● Task do t2\n/);
    assert.match(run.err, / {2}│ do t1: Read a\.js\n/);
    assert.match(run.err, / {2}│ do t2: {3}-let a = 1;\n {2}│ do t2: {3}\+let a = 2;\n/);
    assert.match(run.err, / {2}Task do t1: 6 B in .* · 1 tool call · 570 in, 57 out · \$0\.0043\n/);

    const session = sessionOf(project);
    const lines = readFileSync(join(session, 'full.jsonl'), 'utf8').trimEnd().split('\n');
    assert.equal(lines.length, 4, 'the transcript has the calls and their results only');
    const nested = readFileSync(join(session, 'subagents', 't1.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    assert.equal(nested.length, 4);
    assert.deepEqual((JSON.parse(nested[0] ?? '') as { subagent: object }).subagent, {
      callId: 't1',
      name: 'explore',
      task: 'do t1',
    });
    const context_ = readFileSync(join(session, 'context.md'), 'utf8');
    assert.match(
      context_,
      /- \*\*Task\*\*: do t1\n {2}- \*\*Read\*\*: a\.js\n- \*\*Task\*\*: do t2\n {2}- \*\*Edit\*\*/,
    );
    assert.match(context_, /\*\*Tokens\*\*: 3890 in, 389 out/);

    const more = await forgeflare(project, ['--continue', 'thank you very much'], { env });
    assert.equal(more.out, 'You are welcome.\n', more.err);
    const after = readFileSync(join(session, 'context.md'), 'utf8');
    assert.match(after, / {2}- \*\*Read\*\*: a\.js\n/);
    assert.match(after, /\*\*Tokens\*\*: 3891 in, 390 out/);

    const shown = await forgeflare(project, ['sessions', 'show', 'last']);
    assert.match(shown.out, /→ Task do t1\n {4}> FIND it\n {4}→ Read a\.js\n {4}← 11 bytes\n→ Task do t2\n/);
    const exported = await forgeflare(project, ['sessions', 'export', 'last']);
    assert.match(exported.out, /# Subagent explore: do t1 \(`t1`\)\n\n## User, /);
    const fork = await forgeflare(project, ['sessions', 'fork', 'last']);
    assert.ok(existsSync(join(project.path, '.entire', 'metadata', fork.out.trim(), 'subagents', 't1.jsonl')));
  });
});

const bash = (command: string) => ({ toolCalls: [{ name: 'Bash', id: 'c1', input: { command } }] });

const attempt = (command: string) => ({
  replies: [
    { toolCalls: [task('t1', 'please run', 'reviewer')] },
    on('please run', bash(command)),
    inside('was not run', { text: 'REFUSED' }),
    inside('blocked by', { text: 'BLOCKED' }),
    { match: { system: 'for another agent' }, text: 'RAN' },
    { text: 'Done.' },
  ],
});

describe('the rights of a subagent', () => {
  const files = { '.forgeflare/agents/reviewer.md': reviewer };

  test('do not exceed a read-only run, although its file names Bash', async (context) => {
    const project = newProject(files);
    const server = await startModel(context, attempt('touch made'));
    const argv = ['--trust-agents', '--permission', 'read-only', 'try it please'];
    const run = await forgeflare(project, argv, { env: reaching(server) });
    assert.equal(run.exitCode, 0, run.err);
    assert.match(resultsOf(project), /REFUSED/);
    assert.equal(existsSync(join(project.path, 'made')), false);
  });

  test('do not exceed the guard, even with all permissions', async (context) => {
    const project = newProject(files);
    const server = await startModel(context, attempt('rm -rf ~'));
    const argv = ['--trust-agents', '--permission', 'full', 'try it please'];
    await forgeflare(project, argv, { env: reaching(server) });
    assert.match(resultsOf(project), /REFUSED/);
  });

  test('do not exceed the hooks, which see its calls and its name; Stop hooks run once', async (context) => {
    const project = newProject({
      ...files,
      '.forgeflare/hooks.toml': [
        '[[hooks]]',
        'event = "PreToolUse"',
        'match_tool = "Bash"',
        `command = '''cat >> seen.jsonl; echo '{"action":"block","reason":"no"}' '''`,
        '[[hooks]]',
        'event = "PreToolUse"',
        'match_tool = "Task"',
        'phase = "observe"',
        `command = "cat >> seen.jsonl"`,
        '[[hooks]]',
        'event = "Stop"',
        'command = "cat >> stops.jsonl"',
      ].join('\n'),
    });
    const server = await startModel(context, attempt('touch made'));
    const argv = ['--trust-agents', '--trust-hooks', '--permission', 'full', 'try it please'];
    const run = await forgeflare(project, argv, { env: reaching(server) });
    assert.equal(run.exitCode, 0, run.err);
    assert.match(resultsOf(project), /BLOCKED/);
    const seen = readFileSync(join(project.path, 'seen.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { tool: string; subagent?: string });
    assert.deepEqual(
      seen.map(({ tool, subagent }) => [tool, subagent]),
      [
        ['Task', undefined],
        ['Bash', 'reviewer'],
      ],
    );
    assert.equal(readFileSync(join(project.path, 'stops.jsonl'), 'utf8').trim().split('\n').length, 1);
  });

  test('are its own tools only', async (context) => {
    const project = newProject();
    const server = await startModel(context, {
      replies: [
        { toolCalls: [task('t1', 'please run', 'explore')] },
        on('please run', bash('touch made')),
        inside('Unknown tool', { text: 'NO BASH' }),
        { text: 'Done.' },
      ],
    });
    await forgeflare(project, ['--permission', 'full', 'try it please'], { env: reaching(server) });
    assert.match(resultsOf(project), /NO BASH/);
    assert.equal(existsSync(join(project.path, 'made')), false);
  });
});

test('a signal ends all subagents and their commands at once', async (context) => {
  const project = newProject();
  const command = 'echo $$ >> pids; sleep 3600 & sleep 3600';
  const server = await startModel(context, {
    replies: [
      { toolCalls: ['t1', 't2', 't3'].map((id) => task(id, 'please wait')) },
      on('please wait', { toolCalls: [{ name: 'Bash', id: 'c1', input: { command } }] }),
      { text: 'Here again.' },
    ],
  });
  const env = reaching(server);
  const controller = new AbortController();
  const run = await forgeflare(project, ['--permission', 'full', '--sandbox', 'off', 'wait for it please'], {
    env,
    signal: controller.signal,
    onError: () => {
      const pids = join(project.path, 'pids');
      const poll = setInterval(() => {
        if (!existsSync(pids) || readFileSync(pids, 'utf8').trim().split('\n').length < 3) return;
        clearInterval(poll);
        controller.abort();
      }, 50);
      context.after(() => clearInterval(poll));
    },
  });
  assert.equal(run.exitCode, 143, run.err);
  for (const pid of readFileSync(join(project.path, 'pids'), 'utf8').trim().split('\n'))
    assert.throws(() => process.kill(Number(pid), 0), `${pid} has ended`);
  const results = resultsOf(project);
  assert.equal(results.match(/Cancelled by the user/g)?.length, 3);
  const more = await forgeflare(project, ['--continue', 'are you there again'], { env });
  assert.equal(more.out, 'Here again.\n', more.err);
});
