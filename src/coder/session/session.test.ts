// A session from the first prompt to the next run: the content of its files, and that the conversation is restored from
// them, whatever happened to it and wherever the file was cut.

import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { hastyClock, inBothWires, readRun, startAgent } from '../../../test/support/agent-model.ts';
import { play, story } from '../../../test/support/agent-simulation.ts';
import { text, type Message } from '../../core/message.ts';
import { createSimulatedProvider } from '../../testing/model/provider.ts';
import type { ScriptedReply } from '../../testing/model/script.ts';
import { createAgent, type Agent, type AgentOptions } from '../../agent/agent.ts';
import { repairHistory } from '../../agent/repair.ts';
import { defineTool } from '../../agent/tool.ts';
import { RecordedConversation } from './conversation.ts';
import { forkSession } from './fork.ts';
import { toMarkdown } from './markdown.ts';
import { openSession, type SessionRecorder } from './recorder.ts';
import { claimSession, listSessions, loadLatestSession, loadSession, type LoadedSession } from './store.ts';
import { readTranscript } from './transcript.ts';

const look = defineTool({
  name: 'Read',
  description: 'Reads',
  effect: 'pure',
  input: { type: 'object', properties: { path: { type: 'string' } } },
  run: () => 'export const a = 1;',
});

function projectFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'session-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Project {
  readonly folder: string;
  readonly session: SessionRecorder;
  readonly agent: Agent;
  readonly warnings: readonly string[];
  /** The session's notices about its files. */
  readonly notices: readonly string[];
  run(prompt: string): Promise<void>;
}

function startSession(
  folder: string,
  {
    replies,
    resume,
    ...options
  }: { readonly replies: readonly ScriptedReply[]; readonly resume?: LoadedSession } & AgentOptions,
): Project {
  const warnings: string[] = [];
  const notices: string[] = [];
  const warn = (line: string): void => void warnings.push(line);
  const session = openSession({ folder, cwd: folder, version: '1.2.3', model: 'm', warn, ...(resume && { resume }) });
  const provider = createSimulatedProvider({ script: { replies } });
  const more = { tools: [look], clock: hastyClock(), contextWindow: 200_000, ...options };
  const agent = createAgent({ provider, messages: resume?.messages ?? [], onHistory: session.onHistory, ...more });
  return {
    folder,
    session,
    agent,
    warnings,
    notices,
    async run(prompt) {
      for await (const event of agent.run(prompt)) {
        for (const { kind, detail } of await session.observe(event)) notices.push(`${kind}: ${detail}`);
      }
    },
  };
}

const linesOf = (path: string): Record<string, unknown>[] =>
  readFileSync(join(path, 'full.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

const calling: ScriptedReply = {
  text: 'I look.',
  toolCalls: [{ name: 'Read', id: 't1', input: { path: 'src/a.ts' } }],
  usage: { input: 10, output: 4, cacheRead: 6, cacheWrite: 2 },
};
const done: ScriptedReply = { text: 'Done.' };

/** What other programs do to a session, and the expected notice. */
const losses: readonly [name: string, harm: (path: string) => void, said: RegExp][] = [
  [
    'the folder of all sessions',
    (path) => rmSync(join(path, '../..'), { recursive: true }),
    /it was restored completely$/,
  ],
  ['its folder', (path) => rmSync(path, { recursive: true }), /it was restored completely$/],
  ['its file', (path) => rmSync(join(path, 'full.jsonl')), /it was restored completely$/],
  [
    'its file, which was replaced',
    (path) => {
      rmSync(join(path, 'full.jsonl'));
      writeFileSync(join(path, 'full.jsonl'), 'other\n');
    },
    /it was restored completely; the file found in its place is now \S+full\.jsonl\.replaced-\S+$/,
  ],
  [
    'its file, which was emptied',
    (path) => writeFileSync(join(path, 'full.jsonl'), ''),
    /rebuilt from the current conversation/,
  ],
  [
    'a part of its file',
    (path) => truncateSync(join(path, 'full.jsonl'), 100),
    /from the current conversation, .*; the file found in its place is now/,
  ],
];

describe('a session that loses', () => {
  for (const [name, harm, said] of losses) {
    test(`${name} is restored, and a notice says so`, async (context) => {
      const project = startSession(projectFolder(context), { replies: [calling, done, done, done] });
      const { session, agent, notices, warnings } = project;
      await project.run('One');
      harm(session.path);
      await project.run('Two');
      assert.equal(notices.length, 1);
      assert.match(
        notices[0] ?? '',
        /^session-loss: session: another program deleted, replaced or truncated \S+full\.jsonl/,
      );
      assert.match(notices[0] ?? '', said);
      const loaded = await loadLatestSession(project.folder);
      assert.deepEqual([loaded.id, loaded.problems], [session.id, []]);
      assert.deepEqual(loaded.messages, agent.messages);
      assert.equal(linesOf(session.path).length, 6);
      assert.equal(readFileSync(join(session.path, 'prompt.txt'), 'utf8'), 'One\n\n---\n\nTwo');
      assert.match(readFileSync(join(session.path, 'context.md'), 'utf8'), /\*\*Read\*\*: src\/a\.ts/);
      assert.equal(readFileSync(join(session.path, '../.gitignore'), 'utf8'), '*\n');
      assert.ok('holder' in (await claimSession(project.folder)), 'it is locked again');
      harm(session.path);
      await session.close();
      assert.equal(warnings.length, 1, 'also when it happens after the last turn');
      assert.deepEqual((await loadLatestSession(project.folder)).messages, agent.messages);
    });
  }

  test('its file between loading and the first record is restored', async (context) => {
    const first = startSession(projectFolder(context), { replies: [done] });
    await first.run('One');
    await first.session.close();
    const resume = await loadLatestSession(first.folder);
    rmSync(first.session.path, { recursive: true });
    const next = startSession(first.folder, { replies: [done], resume });
    await next.run('Two');
    await next.session.close();
    assert.match(next.notices.join(), /^session-loss: .*rebuilt from the current conversation/);
    assert.deepEqual((await loadLatestSession(first.folder)).messages, next.agent.messages);
  });

  test('its file, trimmed and compacted before, continues from what is left', async (context) => {
    const project = startSession(projectFolder(context), { replies: [done, { text: 'A summary.' }, done, done] });
    await project.run('One');
    await project.agent.compact();
    writeFileSync(join(project.session.path, 'full.jsonl'), '');
    await project.run('Two');
    await project.run('Three');
    await project.session.close();
    const { messages, problems } = await loadLatestSession(project.folder);
    assert.deepEqual([messages, problems], [project.agent.messages, []]);
  });

  test('its folder to a file says that it cannot be written, once, and recovers', async (context) => {
    const project = startSession(projectFolder(context), { replies: [done, done, done] });
    const { path } = project.session;
    await project.run('One');
    rmSync(path, { recursive: true });
    writeFileSync(path, '');
    await project.run('Two');
    assert.equal(project.notices.length, 1);
    assert.match(project.notices[0] ?? '', /cannot be restored \(E\w+\)/);
    rmSync(path);
    await project.run('Three');
    await project.session.close();
    assert.match(project.notices[1] ?? '', /it was restored completely$/);
    assert.deepEqual((await loadLatestSession(project.folder)).messages, project.agent.messages);
  });
});

describe('the files of a session', () => {
  test('are left out by git, and a .gitignore that is there stays', async (context) => {
    for (const [before, after] of [
      [undefined, '*\n'],
      ['', '*\n'],
      ['!*\n', '!*\n'],
    ] as const) {
      const folder = projectFolder(context);
      const ignore = join(folder, '.entire', 'metadata', '.gitignore');
      mkdirSync(join(ignore, '..'), { recursive: true });
      if (before !== undefined) writeFileSync(ignore, before);
      const project = startSession(folder, { replies: [done] });
      await project.run('One');
      await project.session.close();
      assert.equal(readFileSync(ignore, 'utf8'), after);
      assert.equal(existsSync(join(folder, '.entire', '.gitignore')), false);
      if (before === undefined) rmSync(ignore);
      await forkSession(folder, await loadLatestSession(folder));
      assert.equal(readFileSync(ignore, 'utf8'), after);
    }
  });

  inBothWires('contain the messages, in Anthropic’s format, as a chain', async (context, wire) => {
    const folder = projectFolder(context);
    const session = openSession({ folder, cwd: folder, version: '1.2.3', model: 'm', warn: assert.fail });
    const { agent } = await startAgent(context, wire, {
      replies: [calling, done],
      tools: [look],
      onHistory: session.onHistory,
    });
    for await (const event of agent.run('Is it fine?')) await session.observe(event);
    await session.close();
    assert.match(session.id, /^\d{4}-\d\d-\d\d-[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(session.path, join(folder, '.entire', 'metadata', session.id));
    const lines = linesOf(session.path);
    assert.deepEqual(
      lines.map(({ type }) => type),
      ['user', 'assistant', 'user', 'assistant'],
    );
    for (const [index, line] of lines.entries()) {
      assert.deepEqual([line['sessionId'], line['cwd'], line['version']], [session.id, folder, '1.2.3']);
      assert.equal(line['parentUuid'], index === 0 ? null : lines[index - 1]?.['uuid']);
      assert.match(String(line['uuid']), /^[0-9a-f-]{36}$/);
      assert.match(String(line['timestamp']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    }
    const messages = lines.map(({ message }) => message as Record<string, unknown>);
    assert.deepEqual(messages[0], { role: 'user', content: [{ type: 'text', text: 'Is it fine?' }] });
    const { id, role, content, usage } = messages[1] ?? {};
    assert.ok(typeof id === 'string' && id !== '');
    assert.deepEqual(
      [role, content],
      [
        'assistant',
        [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'Read', input: { path: 'src/a.ts' } },
        ],
      ],
    );
    const counts = { 'input_tokens': 10, 'output_tokens': 4, 'cache_read_input_tokens': 6 };
    // OpenAI's wire does not tell what was written into the cache.
    const written = wire === 'anthropic' ? { 'cache_creation_input_tokens': 2 } : {};
    assert.partialDeepStrictEqual(usage, { ...counts, ...written });
    assert.equal(Object.keys(usage as object).length, 4);
    assert.deepEqual(messages[2], {
      role: 'user',
      content: [{ type: 'tool_result', 'tool_use_id': 't1', content: [{ type: 'text', text: 'export const a = 1;' }] }],
    });
    const told = readFileSync(join(session.path, 'context.md'), 'utf8');
    assert.match(told, new RegExp(`^# Session ${session.id}\\n`));
    assert.match(told, /\n- \*\*Model\*\*: m\n/);
    assert.match(told, /\n## Key Actions\n\n- \*\*Read\*\*: src\/a\.ts\n$/);
  });

  test('do not exist before the first prompt, and only the owner can read them', async (context) => {
    const project = startSession(projectFolder(context), { replies: [done] });
    await project.session.close();
    assert.equal(existsSync(join(project.folder, '.entire')), false);
    await project.run('Hello');
    await project.session.close();
    for (const file of ['full.jsonl', 'prompt.txt', 'context.md']) {
      assert.equal(statSync(join(project.session.path, file)).mode & 0o077, 0, file);
    }
  });

  test('hold every prompt of the user, and no other', async (context) => {
    const replies = [{ text: 'One, ', stopReason: 'length' as const }, { text: 'two.' }, done, done];
    const project = startSession(projectFolder(context), { replies });
    await project.run('First\nof two lines');
    await project.run('Second');
    await project.session.close();
    const resume = await loadLatestSession(project.folder);
    const next = startSession(project.folder, { replies: [done], resume });
    await next.run('Third');
    await next.session.close();
    const separator = '\n\n---\n\n';
    const prompts = readFileSync(join(project.session.path, 'prompt.txt'), 'utf8');
    assert.equal(prompts, ['First\nof two lines', 'Second', 'Third'].join(separator));
    const asked = linesOf(project.session.path).filter(({ type }) => type === 'user');
    assert.match(JSON.stringify(asked[1]), /Continue from where you left off\./);
  });

  test('leave what else is in .entire alone', async (context) => {
    const folder = projectFolder(context);
    mkdirSync(join(folder, '.entire'));
    writeFileSync(join(folder, '.entire', 'settings.json'), '{}');
    const project = startSession(folder, { replies: [done] });
    await project.run('Hello');
    await project.session.close();
    assert.equal(readFileSync(join(folder, '.entire', 'settings.json'), 'utf8'), '{}');
  });
});

/** What a next run would begin with is what this one has. */
async function checkKept({ agent, folder, session }: Project): Promise<void> {
  await session.close();
  const { messages, problems } = await loadSession(folder, session.id);
  assert.deepEqual(messages, agent.messages);
  assert.deepEqual(problems, []);
}

const long = (count: number): ScriptedReply[] => Array.from({ length: count }, () => ({ text: 'x'.repeat(9_000) }));

describe('a conversation', () => {
  test('is restored, and continues in the same session', async (context) => {
    const first = startSession(projectFolder(context), { replies: [calling, done] });
    await first.run('Is it fine?');
    await checkKept(first);
    const resume = await loadLatestSession(first.folder);
    const second = startSession(first.folder, { replies: [calling, done], resume });
    await second.run('And now?');
    assert.equal(second.session.id, first.session.id);
    await checkKept(second);
    const lines = linesOf(first.session.path);
    assert.equal(lines.length, 8);
    for (const [index, line] of lines.entries()) {
      assert.equal(line['parentUuid'], index === 0 ? null : lines[index - 1]?.['uuid']);
    }
    const told = readFileSync(join(first.session.path, 'context.md'), 'utf8');
    assert.equal(told.match(/^- \*\*Read\*\*: src\/a\.ts$/gm)?.length, 2);
  });

  test('of which calls were withdrawn', async (context) => {
    const withdrawing = { beforeBatch: () => ({ withdraw: 'block-limit-total' as const }) };
    const project = startSession(projectFolder(context), { replies: [calling, done], policies: [withdrawing] });
    await project.run('Go');
    await project.run('Again');
    await checkKept(project);
  });

  test('whose last prompt was removed because the model failed', async (context) => {
    const replies = [done, { fault: { status: 401 } }, done];
    const project = startSession(projectFolder(context), { replies });
    await project.run('One');
    await project.run('Two').catch(() => undefined);
    await checkKept(project);
    assert.equal(linesOf(project.session.path).at(-1)?.['subtype'], 'rewind');
    const resume = await loadLatestSession(project.folder);
    const next = startSession(project.folder, { replies: [done], resume });
    await next.run('Three');
    assert.equal(next.agent.messages.length, 4);
    await checkKept(next);
  });

  test('that was trimmed, and all of it is still there to be read', async (context) => {
    const project = startSession(projectFolder(context), { replies: long(6), contextWindow: 10_000 });
    for (const prompt of ['one', 'two', 'three', 'four', 'five', 'six']) await project.run(prompt);
    assert.ok(project.agent.messages.length < 12);
    await checkKept(project);
    const { entries } = await loadLatestSession(project.folder);
    assert.equal(entries.length, 12);
  });

  test('that was summarised', async (context) => {
    const replies = [...long(3), { text: 'The sum of it.' }, done];
    const project = startSession(projectFolder(context), { replies });
    for (const prompt of ['one', 'two', 'three']) await project.run(prompt);
    await project.agent.compact();
    await project.run('four');
    assert.equal(project.agent.messages.length, 4);
    await checkKept(project);
    const session = await loadLatestSession(project.folder);
    assert.deepEqual(
      session.entries.map(({ message }) => message.role),
      ['user', 'assistant', 'user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
    );
  });

  test('is the same from the file as in memory, whatever happens', async () => {
    const property = fc.asyncProperty(story, async (told) => {
      const conversation = new RecordedConversation({ sessionId: 's', cwd: '/', version: '1' });
      let file = '';
      const write = (change: Parameters<typeof conversation.take>[0]): void => {
        for (const record of conversation.take(change)) file += `${JSON.stringify(record)}\n`;
      };
      write({ type: 'replace', messages: repairHistory(told.loaded).messages });
      await play(told, {
        onHistory: write,
        check(messages) {
          const { entries, problems } = readTranscript(Buffer.from(file));
          assert.deepEqual(
            entries.map(({ message }) => message),
            JSON.parse(JSON.stringify(messages)),
          );
          assert.deepEqual(problems, []);
        },
      });
    });
    await fc.assert(property, { numRuns: 400, seed: 20_261_116 });
  });
});

const said = (words: string, role: 'user' | 'assistant'): Message => ({ role, content: [text(words)] });

const line = (uuid: string, parentUuid: string | null): string =>
  `${JSON.stringify({ type: 'user', uuid, parentUuid, message: { role: 'user', content: uuid } })}\n`;

describe('a file that was cut', () => {
  test('at any byte keeps all lines before it, and later lines are separate', async (context) => {
    const project = startSession(projectFolder(context), { replies: [calling, done] });
    await project.run('Ist alles schön? 😀');
    await project.session.close();
    const path = join(project.session.path, 'full.jsonl');
    const whole = readFileSync(path);
    const ends = [...whole.entries()].flatMap(([index, byte]) => (byte === 10 ? [index] : []));
    for (let cut = 1; cut <= whole.length; cut++) {
      writeFileSync(path, whole.subarray(0, cut));
      const { records, problems } = readTranscript(readFileSync(path));
      const expected = ends.filter((end) => end <= cut).length;
      assert.equal(records.length, expected, `cut at ${cut}`);
      const isTorn = !ends.includes(cut) && !ends.includes(cut - 1);
      assert.equal(problems.length, isTorn ? 1 : 0, `cut at ${cut}`);
      if (expected === 0 || cut % 47 !== 0) continue;
      const resume = await loadLatestSession(project.folder);
      const warn = assert.fail;
      const session = openSession({ folder: project.folder, cwd: '/', version: '1', model: 'm', warn, resume });
      session.onHistory({ type: 'append', message: said('And now?', 'user') });
      await session.close();
      const after = readTranscript(readFileSync(path));
      assert.equal(after.problems.length, isTorn ? 1 : 0, 'nothing is glued to what was torn');
      assert.deepEqual(after.entries.at(-1)?.message, said('And now?', 'user'));
      assert.deepEqual(
        after.entries.slice(0, -1).map(({ message }) => message),
        resume.messages,
        'the repaired line is in the file',
      );
    }
  });

  test('is reported, line by line', () => {
    const { problems } = readTranscript(Buffer.from('{"type":"us\n\n[]\n{"type":"user"}\n{"type":"user","uuid":"a"'));
    assert.deepEqual(problems, [
      'full.jsonl:1: skipped this line: it is not a valid record',
      'full.jsonl:3: skipped this line: it is not a valid record',
      'full.jsonl:4: skipped this line: it is not a valid record',
      'full.jsonl:5: skipped this line: it was not written completely',
    ]);
  });

  test('in the middle continues from the line above', () => {
    const { entries, problems } = readTranscript(Buffer.from(`${line('a', null)}oops\n${line('c', 'b')}`));
    assert.deepEqual(
      entries.map(({ uuid }) => uuid),
      ['a', 'c'],
    );
    assert.equal(problems.length, 2);
  });

  test('whose lines lead in a circle ends', () => {
    assert.equal(readTranscript(Buffer.from(line('a', 'b') + line('b', 'a'))).entries.length, 2);
  });

  test('splits at line feeds only', async (context) => {
    const odd = 'a\u2028b\u2029c\u0085d\re\vf';
    const project = startSession(projectFolder(context), { replies: [done] });
    await project.run(odd);
    await project.session.close();
    const { messages, problems } = await loadLatestSession(project.folder);
    assert.deepEqual([messages[0]?.content, problems], [[text(odd)], []]);
  });
});

describe('sessions', () => {
  test('are listed, the one used last first, and found by the beginning of their name', async (context) => {
    const folder = projectFolder(context);
    assert.deepEqual(await listSessions(folder), []);
    await assert.rejects(loadLatestSession(folder), /there is no session in this folder yet/);
    const sessions: SessionRecorder[] = [];
    for (const prompt of ['one', 'two']) {
      const project = startSession(folder, { replies: [done] });
      await project.run(prompt);
      await project.session.close();
      sessions.push(project.session);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    mkdirSync(join(folder, '.entire', 'metadata', 'elsewhere'));
    const [older, newer] = sessions;
    const listed = await listSessions(folder);
    assert.deepEqual(
      listed.map(({ id, prompt, messages }) => [id, prompt, messages]),
      [
        [newer?.id, 'two', 2],
        [older?.id, 'one', 2],
      ],
    );
    assert.equal((await loadLatestSession(folder)).id, newer?.id);
    const uuid = older?.id.slice('2026-11-16-'.length) ?? '';
    for (const name of [older?.id ?? '', uuid, uuid.slice(0, 8)]) {
      assert.equal((await loadSession(folder, name)).id, older?.id);
    }
    await assert.rejects(loadSession(folder, '20'), /2 sessions begin with "20"; "forgeflare sessions" lists them/);
    for (const name of ['', 'zzz', '../../etc', 'elsewhere', '.']) {
      await assert.rejects(loadSession(folder, name), /there is no session/, name);
    }
  });

  test('can be forked, and continue independently', async (context) => {
    const first = startSession(projectFolder(context), { replies: [calling, done, done] });
    await first.run('One');
    const id = await forkSession(first.folder, await loadLatestSession(first.folder));
    const forked = await loadSession(first.folder, id);
    assert.deepEqual(forked.messages, first.agent.messages);
    assert.ok(linesOf(forked.path).every(({ sessionId }) => sessionId === id));
    assert.match(readFileSync(join(forked.path, 'context.md'), 'utf8'), new RegExp(id));
    await first.run('Two');
    const second = startSession(first.folder, { replies: [done], resume: forked });
    await second.run('Other');
    await Promise.all([first.session.close(), second.session.close()]);
    const contentOf = async (name: string) => JSON.stringify((await loadSession(first.folder, name)).messages);
    assert.match(await contentOf(id), /Other/);
    assert.doesNotMatch(await contentOf(id), /Two/);
    assert.match(await contentOf(first.session.id), /Two/);
  });

  test('are written by one at a time, also in one process', async (context) => {
    const first = startSession(projectFolder(context), { replies: [done] });
    await first.run('One');
    const { folder, session } = first;
    const { id } = session;
    const busy = await claimSession(folder, id);
    assert.partialDeepStrictEqual(busy, { id, path: session.path, holder: { pid: process.pid } });
    const resume = await loadSession(folder, id);
    assert.throws(
      () => startSession(folder, { replies: [], resume }),
      new RegExp(`session ${id} is in use by process ${process.pid}`),
    );
    await session.close();
    const [claimed, second] = [await claimSession(folder), await claimSession(folder)];
    assert.ok('lock' in claimed && 'holder' in second);
    const next = startSession(folder, { replies: [done], resume: claimed });
    await next.run('Two');
    assert.ok('holder' in (await claimSession(folder)));
    await next.session.close();
    assert.equal(existsSync(join(session.path, 'lock')), false);
    assert.equal((await loadLatestSession(folder)).messages.length, 4);
  });

  test('become documents, with fences that hold', async (context) => {
    const fenced = defineTool({ name: 'Read', description: 'Reads', run: () => '```\ncode\n```' });
    const project = startSession(projectFolder(context), { replies: [calling, done], tools: [fenced] });
    await project.run('Show me');
    await project.session.close();
    const session = await loadLatestSession(project.folder);
    const document = toMarkdown(session).replaceAll(/, \d{4}-\S+Z/g, ', then');
    assert.equal(
      document,
      [
        `# Session ${session.id}\n`,
        '## User, then\n\nShow me\n',
        '## Assistant, then\n\nI look.\n\n**Read** (`t1`)\n\n```json\n{\n  "path": "src/a.ts"\n}\n```\n',
        '## Tools, then\n\n**Result** (`t1`)\n\n````\n```\ncode\n```\n````\n',
        '## Assistant, then\n\nDone.\n',
      ].join('\n'),
    );
  });

  test('that cannot be written cause a warning, and the agent continues', async (context) => {
    const folder = projectFolder(context);
    writeFileSync(join(folder, '.entire'), 'a file in the way');
    const project = startSession(folder, { replies: [done, done] });
    const { end } = await readRun(project.agent.run('Hello'));
    assert.equal(end.text, 'Done.');
    assert.equal(project.warnings.length, 1);
    assert.match(
      project.warnings[0] ?? '',
      /^session: .*full\.jsonl cannot be written \(ENOTDIR\); the conversation continues/,
    );
    rmSync(join(folder, '.entire'));
    await project.run('Again');
    await project.session.close();
    assert.match(project.warnings[1] ?? '', /can be written again; no record is missing$/);
    assert.deepEqual((await loadLatestSession(folder)).messages, project.agent.messages);
  });

  test('that are links are not followed, because a repository may contain them', async (context) => {
    const folder = projectFolder(context);
    const target = join(folder, 'precious');
    writeFileSync(target, 'precious\n');
    const project = startSession(folder, { replies: [done, done] });
    await project.run('Hello');
    await project.session.close();
    const resume = await loadLatestSession(folder);
    for (const file of ['full.jsonl', 'prompt.txt', 'context.md']) {
      rmSync(join(project.session.path, file));
      symlinkSync(target, join(project.session.path, file));
    }
    assert.deepEqual(await listSessions(folder), []);
    const next = startSession(folder, { replies: [done], resume });
    await next.run('Again');
    await next.session.close();
    assert.equal(readFileSync(target, 'utf8'), 'precious\n');
    assert.match(next.warnings[0] ?? '', /full\.jsonl cannot be written \(ELOOP\)/);
    assert.equal(readFileSync(join(project.session.path, 'prompt.txt'), 'utf8'), 'Again');
  });

  test('that others wrote, oddly, are listed and shown', async (context) => {
    const folder = projectFolder(context);
    const path = join(folder, '.entire', 'metadata', '2026-01-01-00000000-0000-4000-8000-000000000000');
    mkdirSync(path, { recursive: true });
    const lines = [
      { type: 'summary', summary: 'x' },
      { type: 'user', uuid: 'a', timestamp: 7, message: { role: 'user', content: 'Hello' } },
      {
        type: 'assistant',
        uuid: 'b',
        parentUuid: 'a',
        timestamp: 'soon',
        message: { role: 'assistant', content: [{}] },
      },
      { type: 'system', uuid: 'c', parentUuid: 'b' },
    ];
    writeFileSync(join(path, 'full.jsonl'), lines.map((each) => JSON.stringify(each)).join('\n'));
    const [listed] = await listSessions(folder);
    assert.ok(listed !== undefined && !Number.isNaN(listed.startedAt.getTime()));
    assert.deepEqual([listed.prompt, listed.problems.length], ['Hello', 1]);
    assert.match(toMarkdown(await loadLatestSession(folder)), /## User, \n\nHello\n/);
  });

  test('of which a line is damaged say so in the list', async (context) => {
    const project = startSession(projectFolder(context), { replies: [done] });
    await project.run('Hello');
    await project.session.close();
    appendFileSync(join(project.session.path, 'full.jsonl'), '{"type":"us');
    assert.equal((await listSessions(project.folder))[0]?.problems.length, 1);
  });
});
