// Names of MCP tools: valid for providers, unambiguous, and never a name of another tool.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isMcpToolName, toServerName, toToolName } from './tool-name.ts';

test('are made of the server and the tool', () => {
  assert.equal(toToolName('github', 'create_issue'), 'mcp__github__create_issue');
  assert.equal(toToolName('my server', 'a.b/c'), 'mcp__my_server__a_b_c');
  assert.equal(toServerName('__a__b__'), 'a_b');
  assert.equal(toServerName('!?'), '');
});

test('are valid for every provider, whatever a server sends', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (server, tool) => {
      const name = toToolName(server, tool);
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
      assert.ok(isMcpToolName(name));
    }),
  );
});

test('of two servers differ, so that a permission for one is none for the other', () => {
  const word = fc.stringMatching(/^[ab_-]{1,6}$/);
  fc.assert(
    fc.property(word, word, word, word, (left, leftTool, right, rightTool) => {
      const [first, second] = [toServerName(left), toServerName(right)];
      fc.pre(first !== '' && second !== '' && first !== second);
      assert.notEqual(toToolName(left, leftTool), toToolName(right, rightTool));
    }),
    { numRuns: 5000 },
  );
});

test('that are too long stay different', () => {
  const long = 'x'.repeat(100);
  const [first, second] = [toToolName('server', `${long}1`), toToolName('server', `${long}2`)];
  assert.equal(first.length, 64);
  assert.notEqual(first, second);
});
