// `llmprobe`, a conformance suite of others, in front of the gateway and the simulated model. It never uploads its report.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

import type { ProviderSettings } from '../../src/gateway/provider-settings.ts';
import { startGateway, startSimulated } from '../support/gateway-server.ts';
import { outsideProgram } from '../support/outside-agents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
const { path } = temporaryFolder();

interface Report {
  readonly coverage: { readonly byTier: readonly { readonly tier: string; readonly missing: readonly string[] }[] };
  readonly conformance: {
    readonly passed: number;
    readonly total: number;
    readonly results: readonly { readonly id: string; readonly outcome: string }[];
  };
}

interface Expected {
  /** What the wire of the upstream cannot do. `docs/BENCHMARKS.md` gives the reason for each. */
  readonly missing: readonly string[];
  readonly failing: readonly string[];
}

const reasoning = 'reasoning history round-trip';
const expectations: Readonly<Record<string, Expected>> = {
  compatible: { missing: [], failing: [] },
  anthropic: { missing: ['logprobs', reasoning], failing: [] },
  responses: {
    missing: ['logprobs', reasoning],
    failing: [
      'chat-limits-max-tokens',
      'chat-stop-string',
      'messages-limits-max-tokens',
      'messages-stop-sequence-echo',
      'responses-finish-length',
    ],
  },
};

for (const [provider, expected] of Object.entries(expectations)) {
  test(`llmprobe, an upstream of ${provider}`, { timeout: 600_000 }, async (context) => {
    const { url: upstream } = await startSimulated(context);
    const access = { apiKey: 'key', baseUrl: `${upstream}/v1` };
    const providers: ProviderSettings[] = [
      { ...access, name: 'compatible', type: 'openai-compatible' },
      { ...access, name: 'responses', type: 'openai', wire: 'openai-responses' },
      { ...access, name: 'anthropic', type: 'anthropic', baseUrl: upstream },
    ];
    const models = () => [{ id: `${provider}/simulated`, provider }];
    const { url } = await startGateway(context, upstream, { gateway: { providers }, models });
    const { coverage, conformance } = await probe(url, `${provider}/simulated`);
    const failing = conformance.results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    assert.deepEqual(failing.toSorted(), expected.failing);
    assert.ok(conformance.total > 150, `${conformance.total} assertions`);
    assert.equal(conformance.total - conformance.passed, expected.failing.length);
    const missing = coverage.byTier.filter(({ tier }) => tier !== 'frontier').flatMap((tier) => tier.missing);
    assert.deepEqual(missing, expected.missing);
  });
}

async function probe(url: string, model: string): Promise<Report> {
  const report = join(path, 'report.json');
  const target = [`${url}/v1`, '--api-key', 'any', '--model', model];
  const options = ['--no-bench', '--no-save', '--no-color', '--save', report];
  const env = { PATH: process.env['PATH'], HOME: path };
  // Its exit code also judges the abilities of the model, which is simulated.
  await run(process.execPath, [await outsideProgram('llmprobe'), ...target, ...options], { env }).catch(
    () => undefined,
  );
  return JSON.parse(await readFile(report, 'utf8')) as Report;
}
