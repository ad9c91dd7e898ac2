// Tool modules named in the configuration, in the real command: loading, reloading, and the messages for
// invalid modules.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { startCli, type CliProcess } from '../support/cli-process.ts';
import { parseAnswer } from '../support/chat-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const library = pathToFileURL(join(import.meta.dirname, '../../src/index.ts')).href;

const configuration = `[chat]
tools = ["./clock.ts"]
system = "Be brief."
log_tool_input = true
rate_limit = 0
`;

const clock = (time: string): string => `import { defineTool, type Tool } from '${library}';
export const tools: Tool[] = [
  defineTool({ name: 'clock', description: 'The time', effect: 'pure', run: () => 'it is ${time}' }),
];
`;

interface Folder {
  readonly path: string;
  write(name: string, text: string): void;
}

function startFolder(files: Readonly<Record<string, string>>): Folder {
  const { path } = temporaryFolder();
  const write = (name: string, text: string): void => writeFileSync(join(path, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { path, write };
}

const run = (context: TestContext, { path }: Folder): CliProcess =>
  startCli(context, ['serve', '--port', '0', '--config', 'f.toml'], { cwd: path });

async function addressOf(cli: CliProcess): Promise<string> {
  await cli.shows(/listening on .*\n/);
  return /listening on (\S+)/.exec(cli.out())?.[1] ?? '';
}

async function ask(url: string, content: string): Promise<string> {
  const response = await fetch(`${url}/api/chat/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [{ role: 'user', content }] }),
  });
  return parseAnswer(await response.text()).text;
}

function answers(url: string, words: RegExp): Promise<void> {
  return until(async () => words.test(await ask(url, 'What does the clock say?')));
}

describe('tool modules', () => {
  test('in a CommonJS package get an error that says what to change', async (context) => {
    const folder = startFolder({
      'f.toml': configuration,
      'clock.ts': clock('noon'),
      'package.json': '{ "type": "commonjs" }',
    });
    const cli = run(context, folder);
    assert.equal(await cli.ended(), 2);
    assert.match(
      cli.err(),
      /clock\.ts: cannot be loaded: SyntaxError: .*change it to "module", or rename the file to \.mts/,
    );
  });

  test('run, are logged, and are reloaded when they or the file change; an invalid change is ignored', async (context) => {
    const folder = startFolder({ 'f.toml': configuration, 'clock.ts': clock('noon') });
    const cli = run(context, folder);
    const url = await addressOf(cli);
    await answers(url, /it is noon/);
    const startLine = /^.*\[Chat\] tool start.*$/m;
    while (!startLine.test(cli.err()) || !/tool end: clock/.test(cli.err())) await sleep(5);
    const { message, tool, input, user } = JSON.parse(startLine.exec(cli.err())?.[0] ?? '') as Record<string, unknown>;
    assert.deepEqual([message, tool, input, user], ['[Chat] tool start: clock', 'clock', {}, 'local']);
    assert.match(cli.err(), /"message":"\[Chat\] tool end: clock \(\d+ ms\) success"/);

    folder.write('clock.ts', clock('one'));
    await answers(url, /it is one/);

    folder.write('clock.ts', 'export const tools = [;');
    while (!/"type":"reload","error"/.test(cli.err())) await sleep(10);
    assert.match(cli.err(), /\[chat\] tools: clock\.ts: cannot be loaded: SyntaxError/);
    assert.match(await ask(url, 'What does the clock say?'), /it is one/);

    folder.write('other.ts', clock('two'));
    folder.write('f.toml', configuration.replace('./clock.ts', './other.ts'));
    await answers(url, /it is two/);
    folder.write('other.ts', clock('three'));
    await answers(url, /it is three/);
    cli.child.kill('SIGTERM');
    assert.equal(await cli.ended(), 0);
  });

  test('may depend on the user', async (context) => {
    const folder = startFolder({
      'f.toml': configuration,
      'clock.ts': `import { defineTool } from '${library}';
export const tools = (user: { id: string }) => [
  defineTool({ name: 'clock', description: 'The time', run: () => 'it is time for ' + user.id }),
];
`,
    });
    await answers(await addressOf(run(context, folder)), /it is time for local/);
  });

  for (const [what, module, complaint] of [
    ['are not there', undefined, 'file not found'],
    ['do not parse', 'export const tools = [', 'cannot be loaded: SyntaxError: .*'],
    ['throw', 'throw new Error("no database\\nhere")', 'cannot be loaded: Error: no database'],
    ['export nothing', 'export const tool = 1', 'exports no "tools"; write export const tools = \\[defineTool.*'],
    ['export something else', 'export const tools = { a: 1 }', 'its "tools" is not a list; write .*'],
    ['export no tools', 'export const tools = [{ name: "a" }]', 'tools\\[0\\] was not created by defineTool'],
  ] as const) {
    test(`that ${what} prevent the start, with the file name and no stack trace`, async (context) => {
      const folder = startFolder({
        'f.toml': configuration,
        ...(module === undefined ? {} : { 'clock.ts': module }),
      });
      const cli = run(context, folder);
      assert.equal(await cli.ended(), 2);
      assert.match(cli.err(), new RegExp(`\\[chat\\] tools: clock\\.ts: ${complaint}\n`));
      assert.doesNotMatch(cli.err(), /\n\s+at /);
    });
  }
});
