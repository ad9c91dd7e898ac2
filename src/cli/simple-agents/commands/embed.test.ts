// `embed`: vectors of arguments or lines, as text and JSON.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runCli } from '../../../../test/support/memory-terminal.ts';
import { createSimulateServer } from '../../../testing/simulate/server.ts';

describe('embed', () => {
  test('prints one vector for each argument', async () => {
    const { exitCode, out } = await runCli(['embed', '--dimensions', '4', 'one', 'two']);
    assert.equal(exitCode, 0);
    const vectors = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as number[]);
    assert.deepEqual(
      vectors.map(({ length }) => length),
      [4, 4],
    );
    assert.notDeepEqual(vectors[0], vectors[1]);
  });

  test('reads lines of standard input, and prints one JSON object on request', async () => {
    const { out } = await runCli(['embed', '--output', 'json', '--dimensions', '2'], { input: 'one\n\ntwo\n' });
    const { vectors, cost, usage } = JSON.parse(out) as { vectors: number[][]; cost: number; usage: object };
    assert.equal(vectors.length, 2);
    assert.deepEqual({ cost, usage }, { cost: 0, usage: { input: 2, output: 0 } });
  });

  test('calls the named model at the given address', async (context) => {
    const simulated = await createSimulateServer();
    context.after(() => simulated.close());
    const argv = ['embed', '--base-url', `${simulated.url}/v1`, '--api-key-env', 'KEY', '-m', 'org/model', 'x'];
    const { exitCode, err } = await runCli(argv, { env: { KEY: 'k' } });
    assert.equal(exitCode, 0, err);
    assert.deepEqual(simulated.requests[0]?.body, { model: 'org/model', input: 'x' });
    assert.equal(simulated.requests[0]?.path, '/v1/embeddings');
  });

  test('reports missing text, a missing key and a wrong number', async () => {
    assert.equal((await runCli(['embed'], { input: '' })).exitCode, 2);
    assert.equal((await runCli(['embed', '-m', 'openai/text-embedding-3-small', 'x'])).exitCode, 3);
    assert.equal((await runCli(['embed', '--dimensions', '0', 'x'])).exitCode, 2);
  });
});
