// The MCP client against programs of others: the conformance suite of the protocol, and the reference server with every
// kind of tool. Run with the full suite, because they are installed first.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import type { Tool, ToolAnswer } from '../../src/agent/tool.ts';
import { textOf } from '../../src/core/message.ts';
import { openMcpTools } from '../../src/mcp/mcp-tools.ts';
import type { McpServerSettings } from '../../src/mcp/settings.ts';
import { sampleInput } from '../support/mcp/sample-input.ts';
import { toolContext } from '../support/mcp/tool-context.ts';
import { outsideAgents, outsideProgram } from '../support/outside-agents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';

const run = promisify(execFile);
const folder = temporaryFolder();

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

/** The client scenarios without authorization and without extensions, and the versions they run at. */
const scenarios: Readonly<Record<string, readonly string[]>> = {
  'initialize': ['2025-06-18', '2025-11-25'],
  'tools_call': ['2025-06-18', '2025-11-25', '2026-07-28'],
  'elicitation-sep1034-client-defaults': ['2025-11-25'],
  'sse-retry': ['2025-11-25'],
  'request-metadata': ['2026-07-28'],
  'sep-2322-client-request-state': ['2026-07-28'],
  'http-standard-headers': ['2026-07-28'],
  'http-custom-headers': ['2026-07-28'],
  'http-invalid-tool-headers': ['2026-07-28'],
  'json-schema-ref-no-deref': ['2026-07-28'],
  'json-schema-2020-12-preservation': ['2025-11-25', '2026-07-28'],
};

describe('the conformance suite of MCP', { timeout: 600_000 }, () => {
  let passed = 0;
  let failed = 0;

  for (const [scenario, versions] of Object.entries(scenarios)) {
    for (const version of versions) {
      test(`${scenario} at ${version}`, async () => {
        const checks = await runScenario(scenario, version);
        const failures = checks.filter(({ status }) => status === 'FAILURE');
        const successes = checks.filter(({ status }) => status === 'SUCCESS');
        passed += successes.length;
        failed += failures.length;
        assert.deepEqual(failures, []);
        assert.ok(successes.length > 0, 'no check ran');
      });
    }
  }

  test('every scenario without authorization and extensions is in the list', async () => {
    const { stdout } = await run(process.execPath, [await outsideProgram('conformance'), 'list']);
    const [, clients = ''] = stdout.split('Client scenarios');
    const [listed = ''] = clients.split('Authorization server scenarios');
    const names = [...listed.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)]
      .filter(([, name = '', versions]) => !name.startsWith('auth/') && versions !== 'extension')
      .map(([, name]) => name);
    assert.deepEqual(new Set(names), new Set(Object.keys(scenarios)));
  });

  test('the count', (context) => {
    context.diagnostic(
      `MCP conformance: ${passed} checks passed, ${failed} failed, ${Object.keys(scenarios).length} scenarios`,
    );
    assert.equal(failed, 0);
    // docs/mcp.md records the count.
    const recorded = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
    assert.ok(recorded.includes(`${passed} of ${passed} checks`), `${passed} checks`);
  });
});

async function runScenario(scenario: string, version: string): Promise<readonly Check[]> {
  const client = join(import.meta.dirname, '../support/mcp/conformance-client.ts');
  const output = join(folder.path, `${scenario}-${version}`);
  const argv = ['client', '--command', `${process.execPath} ${client}`, '--scenario', scenario];
  const program = await outsideProgram('conformance');
  await run(process.execPath, [program, ...argv, '--spec-version', version, '-o', output]).catch(() => undefined);
  const [result = ''] = readdirSync(output);
  return JSON.parse(readFileSync(join(output, result, 'checks.json'), 'utf8')) as Check[];
}

describe('every tool of the reference server', { timeout: 900_000 }, () => {
  test('over stdio', async (context) => {
    const server = join(await outsideAgents(), '@modelcontextprotocol/server-everything/dist/index.js');
    await callEveryTool(context, { command: process.execPath, args: [server, 'stdio'] });
  });

  test('over streamable HTTP', async (context) => {
    const server = join(await outsideAgents(), '@modelcontextprotocol/server-everything/dist/index.js');
    const port = await freePort();
    const env = { ...process.env, PORT: String(port) };
    const child = spawn(process.execPath, [server, 'streamableHttp'], { env, stdio: ['ignore', 'ignore', 'ignore'] });
    context.after(() => child.kill('SIGKILL'));
    const url = `http://127.0.0.1:${port}/mcp`;
    const isUp = (): Promise<boolean> =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await until(isUp);
    await callEveryTool(context, { url });
  });
});

async function callEveryTool(context: TestContext, server: McpServerSettings): Promise<void> {
  const notices: string[] = [];
  const environment = { PATH: process.env['PATH'] ?? '' };
  const mcp = openMcpTools({ mcpServers: { all: server }, environment, onNotice: (notice) => notices.push(notice) });
  context.after(() => mcp.close());
  await mcp.ready();
  assert.ok(mcp.tools.length >= 12, JSON.stringify(mcp.servers));
  // Only this tool runs as a task.
  assert.match(
    notices.join('\n'),
    /^MCP server "all" the tool "simulate-research-query" was left out: it runs only as a task of MCP/,
  );
  for (const tool of mcp.tools) {
    const { answer, output } = await callOnce(tool);
    const { name } = tool.definition;
    // It downloads a file, which tests must not.
    assert.equal(answer.isError === true, name.endsWith('gzip-file-as-resource'), `${name}: ${textOf(answer.content)}`);
    assert.ok(answer.content.length > 0, name);
    if (name.endsWith('long-running-operation')) assert.match(output, /^1\/5\n2\/5\n/);
    if (name.endsWith('tiny-image')) assert.ok(answer.content.some(({ type }) => type === 'image'));
  }
}

async function callOnce(tool: Tool): Promise<{ answer: ToolAnswer; output: string }> {
  let output = '';
  const sample = sampleInput(tool.definition.inputSchema);
  const input = 'data' in sample ? { ...sample, data: 'http://127.0.0.1:9/none' } : sample;
  const answer = await tool.run(
    tool.checkInput(input),
    toolContext((chunk) => void (output += chunk)),
  );
  return { answer: answer as ToolAnswer, output };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}
