// The coding agent with MCP servers, as real processes: where servers come from, trust, permissions, and dead servers.

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import {
  forgeflare,
  forgeflareLauncher,
  projects,
  reaching,
  startModel,
  type Project,
} from '../support/forgeflare-process.ts';
import { Screen, skipWithoutTmux } from '../support/tmux.ts';

const newProject = projects();
const program = join(import.meta.dirname, '../support/mcp/server.ts');
const full = ['--permission', 'full'];

function configuration(behaviour = 'plain', name = 'test'): string {
  return JSON.stringify({ mcpServers: { [name]: { command: process.execPath, args: [program, behaviour] } } });
}

function callOf(tool: string): object {
  return { replies: [{ toolCalls: [{ name: tool, input: { text: 'hi' } }] }, { text: 'The end.' }] };
}

interface Outcome {
  readonly exitCode: number | null;
  readonly out: string;
  readonly err: string;
  /** The result that the model got, as JSON. */
  readonly result: string;
}

async function run(
  context: TestContext,
  project: Project,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const server = await startModel(context, callOf('mcp__test__echo'));
  const ending = await forgeflare(project, [...argv, 'use the echo tool'], { env: { ...reaching(server), ...env } });
  return { ...ending, result: JSON.stringify(server.requests.at(-1)?.body ?? '') };
}

describe('MCP servers of --mcp-config', () => {
  test('that do not answer are named while the first turn waits for them', async (context) => {
    const silent = { command: process.execPath, args: [program, 'silent'], startTimeout: 5_000 };
    const servers = JSON.stringify({ mcpServers: { quiet: silent } });
    const { out, err } = await run(context, newProject(), [...full, '--mcp-config', servers, '--']);
    assert.match(err, /waiting for the MCP server quiet\n[^]*did not answer within 5 s/);
    assert.match(out, /The end\./);
  });

  test('are used, from JSON and from a file, and named at the start', async (context) => {
    const project = newProject({ 'servers.json': configuration() });
    for (const value of [configuration(), 'servers.json']) {
      const { exitCode, err, out, result } = await run(context, project, [...full, '--mcp-config', value, '--']);
      assert.equal(exitCode, 0, err);
      assert.match(out, /The end\./);
      assert.match(err, /note: MCP servers: test\n/);
      assert.match(err, /● mcp__test__echo/);
      assert.match(result, /echo: hi/);
    }
  });

  test('that are invalid stop the run before it starts', async (context) => {
    const { exitCode, err } = await run(context, newProject(), ['--mcp-config', '{"mcpServers":{"a":{}}}', '--']);
    assert.equal(exitCode, 2);
    assert.match(err, /--mcp-config: mcpServers\.a\.command: must be a non-empty string/);
  });

  test('get an environment without keys, and the variables that are named', async (context) => {
    const servers = JSON.parse(configuration('environment')) as { mcpServers: { test: { env?: object } } };
    servers.mcpServers.test.env = { OWN: '${MY_TOKEN}' };
    const env = { MY_TOKEN: 'given', OTHER_TOKEN: 'hidden' };
    const { result } = await run(context, newProject(), [...full, '--mcp-config', JSON.stringify(servers), '--'], env);
    assert.match(result, /OWN[^,]*given/);
    assert.doesNotMatch(result, /ANTHROPIC_API_KEY|OTHER_TOKEN|MY_TOKEN/);
  });

  test('that die are a warning, and the agent goes on', async (context) => {
    const argv = [...full, '--mcp-config', configuration('dead-at-start'), '--'];
    const { exitCode, err, result } = await run(context, newProject(), argv);
    assert.equal(exitCode, 0);
    assert.match(err, /warning: MCP server "test" ended with exit code 3; its last output: Traceback: out of cheese/);
    assert.match(result, /Unknown tool .{0,2}mcp__test__echo/);
  });
});

describe("a tool of a server that says it only reads needs the user's permission", () => {
  test('and a run that cannot ask refuses it', async (context) => {
    const { exitCode, result } = await run(context, newProject(), ['--mcp-config', configuration(), '--']);
    assert.equal(exitCode, 0);
    assert.match(
      result,
      /mcp__test__echo was not run: mcp__test__echo needs permission and this run cannot ask the user/,
    );
  });

  test('and a read-only run refuses it', async (context) => {
    const argv = ['--permission', 'read-only', '--mcp-config', configuration(), '--'];
    assert.match((await run(context, newProject(), argv)).result, /was not run: this run is read-only/);
  });
});

describe('MCP servers of the repository', () => {
  test('stop a run that cannot ask, and the message names the flags', async (context) => {
    const { exitCode, err } = await run(context, newProject({ '.mcp.json': configuration() }), full);
    assert.equal(exitCode, 2);
    assert.match(
      err,
      /\.mcp\.json: the MCP servers of this repository are not trusted; review them, then use --trust-mcp to run with them or --no-mcp to run without them/,
    );
  });

  test('run after --trust-mcp until the file changes, and not with --no-mcp', async (context) => {
    const project = newProject({ '.mcp.json': configuration() });
    assert.match((await run(context, project, [...full, '--trust-mcp'])).result, /echo: hi/);
    assert.match((await run(context, project, full)).result, /echo: hi/);
    assert.match((await run(context, project, [...full, '--no-mcp'])).result, /Unknown tool/);
    project.write('.mcp.json', configuration('environment'));
    assert.equal((await run(context, project, full)).exitCode, 2);
  });

  test('are not used with --strict-mcp-config', async (context) => {
    const project = newProject({ '.mcp.json': configuration() });
    const { exitCode, result } = await run(context, project, [...full, '--strict-mcp-config']);
    assert.equal(exitCode, 0);
    assert.match(result, /Unknown tool/);
  });

  test("do not replace the user's own servers", async (context) => {
    const project = newProject({ '.mcp.json': configuration('shadow') });
    const folder = join(project.home, '.config/simple-agents');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'mcp.json'), configuration());
    const { err, result } = await run(context, project, [...full, '--trust-mcp']);
    assert.match(result, /echo: hi/);
    assert.match(
      err,
      /\.mcp\.json: the MCP server "test" is not used, because .*simple-agents\/mcp\.json has one of that name/,
    );
  });
});

test('a start without servers loads no MCP client', async (context) => {
  const server = await startModel(context, { replies: [{ text: 'Hello.' }] });
  const env = { ...reaching(server), NODE_DEBUG: 'esm' };
  const { err } = await forgeflare(newProject(), ['hello there'], { env });
  assert.match(err, /Translating TypeScript \S+assemble\.ts/);
  assert.doesNotMatch(err, /Translating \S+ \S*(modelcontextprotocol|mcp-tools)/);
});

describe('at the keyboard', { skip: skipWithoutTmux }, () => {
  test('the command is shown before trust, /mcp lists, and always holds for the tool', async (context) => {
    const project = newProject({ '.mcp.json': configuration() });
    const call = { toolCalls: [{ name: 'mcp__test__echo', input: { text: 'hi' } }] };
    const replies = [call, { text: 'First.' }, call, { text: 'Second.' }];
    const server = await startModel(context, { replies });
    const screen = new Screen(context, [process.execPath, forgeflareLauncher], {
      cwd: project.path,
      env: { HOME: project.home, ...reaching(server) },
    });
    await screen.shows(
      /This repository has MCP servers \([^]*\.mcp\.json\)[^]*server\.ts plain[^]*Trust these MCP servers\?/,
    );
    screen.press('y', 'Enter');
    await screen.shows(/note: MCP servers: test\n[^]*> ?$/);
    screen.press('go', 'Enter');
    await screen.shows(/\? mcp__test__echo: a tool of an MCP server[^]*a = always \(this tool\)/);
    screen.press('a', 'Enter');
    await screen.shows(/First\.[^]*\n> ?$/);
    screen.press('/mcp', 'Enter');
    await screen.shows(/test: connected, MCP 2025-11-25, 1 tool\n {2}mcp__test__echo\n/);
    screen.press('again', 'Enter');
    await screen.shows(/Second\./);
  });
});
