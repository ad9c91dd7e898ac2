// Every way a turn can end, as reported to Stop hooks and convergence.json.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  calls,
  done,
  hookProject,
  hookToml,
  projectFolder,
  tellTo,
  type ProjectOptions,
} from '../../../test/support/hook-project.ts';
import { createHooks } from './hooks.ts';
import { loadHooks } from './load.ts';
import type { ScriptedReply } from '../../testing/model/script.ts';

const stop = hookToml({ event: 'Stop', command: tellTo('stopped') });
const signal = hookToml({ event: 'PostToolUse', command: `echo '{"action":"signal","signal":"s"}'` });
const block = hookToml({ event: 'PreToolUse', command: `echo '{"action":"block","reason":"no"}'` });
const cut: ScriptedReply = { text: 'and so on ', stopReason: 'length' };
/** Every second call. */
const blockSome = hookToml({
  event: 'PreToolUse',
  command: `if [ -e odd ]; then rm odd; echo '{"action":"allow"}'; else touch odd; echo '{"action":"block"}'; fi`,
});

interface Ending extends Partial<ProjectOptions> {
  readonly replies: readonly ScriptedReply[];
  readonly iterations?: number;
}

const endings: Readonly<Record<string, Ending>> = {
  'end_turn': { replies: [calls('Write', 'a'), done], iterations: 1 },
  'iteration_limit': {
    replies: [calls('Write', 'a'), calls('Write', 'b')],
    agent: { limits: { iterations: 1 } },
    iterations: 1,
  },
  'api_error': { replies: [{ fault: { status: 401 } }] },
  'continuation_cap': { replies: [cut, cut, cut, cut] },
  'block_limit_consecutive': { replies: [calls('Write', 'a', 'b', 'c')], hooks: block },
  'block_limit_total': {
    replies: [calls('Write', ...Array.from({ length: 20 }, (_, index) => `c${index}`))],
    hooks: blockSome,
  },
  'convergence_signal': { replies: [calls('Write', 'a')], hooks: signal, iterations: 1 },
  'refusal': { replies: [{ text: 'I will not.', stopReason: 'refusal' }] },
  'cost_limit': { replies: [calls('Write', 'a'), done], agent: { limits: { cost: 0 } }, iterations: 1 },
};

describe('a turn that ended with', { concurrency: true }, () => {
  for (const [reason, { hooks = '', iterations = 0, ...options }] of Object.entries(endings)) {
    test(`${reason} is reported as such`, async (context) => {
      const project = await hookProject(context, { ...options, hooks: hooks + stop });
      const { end } = await project.run('Go');
      const totalTokens = end.usage.input + end.usage.output;
      const told = { reason, 'tool_iterations': iterations, 'total_tokens': totalTokens };
      assert.deepEqual(project.told('stopped'), [{ event: 'Stop', ...told, cwd: project.folder }]);
      const { final } = JSON.parse(project.read('.forgeflare/convergence.json') ?? '') as { final: object };
      assert.partialDeepStrictEqual(final, told);
    });
  }

  test('length without any text is reported as continuation_cap', async (context) => {
    const project = await hookProject(context, { hooks: stop, replies: [{ text: '', stopReason: 'length' }] });
    assert.equal((await project.run('Go')).end.reason, 'length');
    assert.partialDeepStrictEqual(project.told('stopped'), [{ reason: 'continuation_cap' }]);
  });

  test('a cancellation is reported as cancelled', async (context) => {
    const project = await hookProject(context, { hooks: stop, replies: [done] });
    assert.equal((await project.run('Go', AbortSignal.abort())).end.reason, 'cancelled');
    assert.partialDeepStrictEqual(project.told('stopped'), [{ reason: 'cancelled', 'total_tokens': 0 }]);
  });

  test('a cancellation is reported even if its signal is passed on', async (context) => {
    const folder = projectFolder(context, stop);
    const table = await loadHooks(folder);
    assert.ok(table !== undefined);
    const hooks = createHooks({ table, cwd: folder, environment: { PATH: process.env['PATH'] }, warn: assert.fail });
    const usage = { input: 0, output: 0 };
    const end = { type: 'turn-end', reason: 'cancelled', text: '', usage, iterations: 0, duration: 0 } as const;
    await hooks.end(end, AbortSignal.abort());
    assert.match(readFileSync(join(folder, 'stopped'), 'utf8'), /"reason":"cancelled"/);
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    const slow = {
      ...table,
      hooks: [{ event: 'Stop', command: 'sleep 30', phase: 'observe', timeout: 20_000 }],
    } as const;
    const waiting = createHooks({ table: slow, cwd: folder, environment: {}, warn: assert.fail });
    await waiting.end(end, controller.signal);
  });

  test('each end is reported; tokens are those of the turn', async (context) => {
    const usage = { input: 100, output: 10, cacheRead: 1000, cacheWrite: 50 };
    const replies = [
      { ...calls('Write', 'a'), usage },
      { ...done, usage },
      { ...done, usage },
    ];
    const project = await hookProject(context, { hooks: stop, replies });
    await project.run('Go');
    await project.run('Go');
    assert.partialDeepStrictEqual(project.told('stopped'), [
      { 'total_tokens': 220, 'tool_iterations': 1 },
      { 'total_tokens': 110, 'tool_iterations': 0 },
    ]);
  });

  test('a hook that reads convergence.json finds the end in it', async (context) => {
    const reading = hookToml({ event: 'Stop', command: 'cp .forgeflare/convergence.json seen' });
    const project = await hookProject(context, { hooks: reading, replies: [done] });
    await project.run('Go');
    assert.equal(project.read('seen'), project.read('.forgeflare/convergence.json'));
  });

  test('is deleted when the agent starts again', async (context) => {
    const folder = projectFolder(context, stop);
    const path = join(folder, '.forgeflare', 'convergence.json');
    writeFileSync(path, '{"observations":[{"signal":"old"}]}');
    const table = await loadHooks(folder);
    assert.ok(table !== undefined);
    await createHooks({ table, cwd: folder, environment: {}, warn: assert.fail }).begin();
    assert.equal(existsSync(path), false);
  });
});
