// The files and flags that name MCP servers: what is read, and what each mistake says.

import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { parseServers, type McpServers } from '../../mcp/settings.ts';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { loadNamedServers, loadProjectServers, loadUserServers } from './load.ts';
import { replaceVariables } from './variables.ts';

const folder = temporaryFolder();
const stdio = { type: 'stdio', command: 'a', args: ['-x'], env: { A: '1' } };

describe('the servers of a project', () => {
  test('are read from .mcp.json', async () => {
    folder.write('.mcp.json', JSON.stringify({ mcpServers: { files: stdio, web: { url: 'http://127.0.0.1/' } } }));
    const table = await loadProjectServers(folder.path);
    assert.deepEqual(
      { ...table?.servers },
      {
        files: stdio,
        web: { type: 'http', url: 'http://127.0.0.1/', headers: {} },
      },
    );
    assert.match(table?.digest ?? '', /^[0-9a-f]{64}$/);
  });

  test('are none without a file, or without servers in it', async () => {
    assert.equal(await loadProjectServers(join(folder.path, 'nowhere')), undefined);
    folder.write('.mcp.json', '{"mcpServers": {}}');
    assert.equal(await loadProjectServers(folder.path), undefined);
    assert.deepEqual(await loadUserServers(join(folder.path, 'none.json')), {});
  });

  test('that cannot be read are an error', async () => {
    const cases = { 'not JSON': '{', 'must be an object with "mcpServers"': '[]' };
    for (const [message, text] of Object.entries(cases)) {
      folder.write('.mcp.json', text);
      await assert.rejects(
        loadProjectServers(folder.path),
        new RegExp(`^SimpleAgentsError: \\.mcp\\.json: .*${message}`),
      );
    }
    const other = join(folder.path, 'other');
    mkdirSync(other);
    symlinkSync('/nowhere/file', join(other, '.mcp.json'));
    await assert.rejects(loadProjectServers(other), /\.mcp\.json: cannot be read \(ENOENT\)/);
  });
});

describe('a mistake in the settings of a server names the field and the fix:', () => {
  const mistakes: readonly (readonly [settings: unknown, message: string])[] = [
    ['text', 'mcpServers.a: must be an object with "command" or "url"'],
    [{}, 'mcpServers.a.command: must be a non-empty string: the program that runs the server'],
    [{ command: 'a', args: 'b' }, 'mcpServers.a.args: must be a list of strings'],
    [{ command: 'a', env: { A: 1 } }, 'mcpServers.a.env: must be an object from name to string'],
    [{ command: 'a', arg: [] }, 'mcpServers.a.arg: unknown key; did you mean "args"?'],
    [{ command: 'a', timeout: 0 }, 'mcpServers.a.timeout: must be a whole number of milliseconds from 1 to 2147483647'],
    [
      { type: 'sse', url: 'x' },
      'mcpServers.a.type: the transport sse is not supported; use "http" if the server offers it',
    ],
    [{ type: 'http' }, 'mcpServers.a.url: must be a non-empty string: the address of the server'],
  ];
  for (const [settings, message] of mistakes) {
    test(message, () => {
      assert.throws(() => parseServers({ a: settings }, 'x.json'), { message: `x.json: ${message}` });
    });
  }

  test('two names that give the same tool names', () => {
    assert.throws(() => parseServers({ 'a.b': { command: 'x' }, 'a b': { command: 'y' } }, 'x.json'), {
      message: 'x.json: mcpServers: "a.b" and "a b" give the same tool names; rename one of them',
    });
  });
});

test('--mcp-config takes JSON or a file', async () => {
  const warnings: string[] = [];
  const here = { cwd: folder.path, hosted: ['c'], warn: (line: string) => void warnings.push(line) };
  const json = JSON.stringify({
    mcpServers: { a: { command: 'x' }, b: { type: 'sdk', name: 'b' }, c: { type: 'sdk' } },
  });
  folder.write('named.json', JSON.stringify({ mcpServers: { a: { command: 'x' } } }));
  const expected = { a: { type: 'stdio', command: 'x', args: [], env: {} } };
  assert.deepEqual({ ...(await loadNamedServers(json, here)) }, expected);
  assert.deepEqual({ ...(await loadNamedServers('named.json', here)) }, expected);
  assert.match(warnings.join('\n'), /^the MCP server "b" is not used: no host has named it in initialize[^\n]*$/);
  await assert.rejects(loadNamedServers('none.json', here), /--mcp-config: none\.json: file not found/);
});

function replace(command: string): McpServers {
  const variables = { env: { A: 'one', KEY: 'sk-secret-key' }, secrets: ['sk-secret-key'] };
  return replaceVariables({ a: { command } }, variables);
}

describe('variables', () => {
  test('are replaced, with a default', () => {
    assert.deepEqual(replace('${A}/${B:-two}/$A'), { a: { command: 'one/two/$A', args: [], env: {} } });
  });

  test('that are not set, or hold a key of the provider, are an error', () => {
    assert.throws(
      () => replace('${B}'),
      /MCP server "a": the variable B is not set; set it, or write \$\{B:-default\}/,
    );
    assert.throws(() => replace('${KEY}'), /MCP server "a": the variable KEY holds a key of the model's provider/);
  });
});
