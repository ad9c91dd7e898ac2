// Coding agents of others, unmodified and headless, through the gateway: each runs a tool and ends its turn, with a
// provider of each wire.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { parseScript, type Script } from '../../src/testing/model/script.ts';
import { allUpstreamWires, startBoth, startGateway, startSimulated } from '../support/gateway-server.ts';
import { outsideAgents } from '../support/outside-agents.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { clients } from '../../web/connect/clients.ts';

interface AgentRun {
  readonly url: string;
  /** `provider/model`. */
  readonly model: string;
  readonly folder: string;
  readonly home: string;
}

interface CodingAgent {
  readonly name: string;
  /** Its tool that runs a command. */
  readonly tool: string;
  readonly input: (command: string) => object;
  /** The program in `node_modules` and its arguments. */
  readonly command: (run: AgentRun) => readonly [file: string, ...argv: string[]];
  readonly environment: (run: AgentRun) => Readonly<Record<string, string>>;
}

const files = temporaryFolder();
const prompt = 'Write the file.';
const platform = `${process.platform}-${process.arch}`;

const codingAgents: readonly CodingAgent[] = [
  {
    name: 'codex',
    tool: 'exec_command',
    input: (command) => ({ cmd: command }),
    command: ({ url, model }) => [
      '@openai/codex/bin/codex.js',
      'exec',
      '-m',
      model,
      '-c',
      'model_provider="gateway"',
      '-c',
      `model_providers.gateway={name="g",base_url="${url}/v1",env_key="GATEWAY_KEY",wire_api="responses"}`,
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      prompt,
    ],
    environment: ({ home }) => ({ CODEX_HOME: home, GATEWAY_KEY: 'key' }),
  },
  {
    name: 'Claude Code',
    tool: 'Bash',
    input: (command) => ({ command, description: 'Write the file' }),
    command: () => [
      `@anthropic-ai/claude-agent-sdk-${platform}/claude`,
      '-p',
      prompt,
      '--allowedTools',
      'Bash',
      '--setting-sources',
      '',
    ],
    environment: ({ url, model }) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'key',
      ANTHROPIC_MODEL: model,
      ANTHROPIC_SMALL_FAST_MODEL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
  },
  {
    name: 'opencode',
    tool: 'bash',
    input: (command) => ({ command, description: 'Write the file' }),
    command: ({ url, model, folder }) => {
      const options = { baseURL: `${url}/v1`, apiKey: 'key' };
      const provider = { openai: { options, models: { [model]: { name: 'model' } } } };
      const settings = { autoupdate: false, share: 'disabled', permission: 'allow', 'small_model': `openai/${model}` };
      writeFileSync(join(folder, 'opencode.json'), JSON.stringify({ ...settings, provider }));
      return [`opencode-${platform}/bin/opencode`, 'run', '-m', `openai/${model}`, prompt];
    },
    environment: ({ home }) => ({ XDG_DATA_HOME: home, XDG_CONFIG_HOME: home, OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  },
  {
    name: 'gemini-cli',
    tool: 'run_shell_command',
    input: (command) => ({ command, description: 'Write the file' }),
    command: ({ model, home }) => {
      mkdirSync(join(home, '.gemini'), { recursive: true });
      const settings = {
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      };
      writeFileSync(join(home, '.gemini/settings.json'), JSON.stringify(settings));
      const program = '@google/gemini-cli/bundle/gemini.js';
      return [program, '-m', model, '--approval-mode', 'yolo', '--skip-trust', '-p', prompt];
    },
    environment: ({ url }) => ({
      GEMINI_API_KEY: 'key',
      GOOGLE_GEMINI_BASE_URL: url,
      GEMINI_TELEMETRY_ENABLED: 'false',
      GEMINI_CLI_NO_RELAUNCH: 'true',
    }),
  },
];

/** Every request gets the tool call, and every result of a tool the end of the turn. */
function scriptFor({ tool, input }: CodingAgent) {
  const toolCalls = [{ name: tool, input: input('printf done > result.txt') }];
  const replies = [
    { match: { lastRole: 'tool' }, text: 'The file is written.' },
    { match: { model: 'agent' }, text: 'Writing.', toolCalls },
  ];
  return parseScript({ otherwise: 'reply', replies });
}

async function runAgent(context: TestContext, agent: CodingAgent, run: AgentRun): Promise<string> {
  const [file, ...argv] = agent.command(run);
  const program = join(await outsideAgents(), file);
  const isScript = file.endsWith('.js');
  const child = spawn(isScript ? process.execPath : program, isScript ? [program, ...argv] : argv, {
    cwd: run.folder,
    env: { PATH: process.env['PATH'], HOME: run.home, DISABLE_TELEMETRY: '1', ...agent.environment(run) },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal: context.signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += part.toString()));
  const code = await new Promise((resolve, reject) => child.on('close', resolve).on('error', reject));
  assert.equal(code, 0, output);
  return output;
}

/** `tools/agents/` has opencode for this platform only. */
const isSkipped = (agent: CodingAgent): boolean => agent.name === 'opencode' && platform !== 'linux-x64';

/** `wire`: the name of the upstream. */
async function startUpstream(context: TestContext, wire: string, script: Script) {
  const upstream = await startSimulated(context, { script });
  const bedrock = { name: 'bedrock', type: 'bedrock', apiKey: 'upstream-key', baseUrl: upstream.url };
  const options = wire === 'bedrock' ? { gateway: { providers: [bedrock] } } : {};
  return { ...(await startGateway(context, upstream.url, options)), upstream };
}

for (const agent of codingAgents) {
  describe(agent.name, { skip: isSkipped(agent) }, () => {
    for (const wire of [...allUpstreamWires, ...(agent.name === 'gemini-cli' ? ['bedrock'] : [])]) {
      test(`runs a tool with an upstream of ${wire}`, { timeout: 900_000 }, async (context) => {
        const gateway = await startUpstream(context, wire, scriptFor(agent));
        const folder = join(files.path, agent.name, wire);
        const home = join(folder, '.home');
        mkdirSync(home, { recursive: true });
        const output = await runAgent(context, agent, { url: gateway.url, model: `${wire}/agent`, folder, home });
        const result = join(folder, 'result.txt');
        assert.ok(existsSync(result), output);
        assert.equal(readFileSync(result, 'utf8'), 'done');
        assert.match(output, /The file is written\./);
        const last = gateway.upstream.requests.findLast(
          // Google and Amazon have the model in the path.
          ({ body, path }) => /\/agent[:/]/.test(path) || JSON.stringify(body).includes('"agent"'),
        );
        assert.ok(JSON.stringify(last?.body).includes('printf done > result.txt'), 'the result returns to the model');
      });
    }
  });
}

test('the lines of the connect view for Codex work unchanged', { timeout: 900_000 }, async (context) => {
  const gateway = await startBoth(context);
  const codex = clients.find(({ name }) => name === 'Codex');
  const folder = join(files.path, 'connect');
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const program = join(await outsideAgents(), '@openai/codex/bin/codex.js');
  writeFileSync(join(bin, 'codex'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, { mode: 0o755 });
  const lines = codex?.lines({ origin: gateway.url, key: "it's", model: 'responses/simulated' }) ?? '';
  const env = { PATH: `${bin}:${process.env['PATH']}`, HOME: folder, CODEX_HOME: folder };
  const child = spawn('sh', ['-c', lines], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (part: Buffer) => (output += part.toString()));
  const code = await new Promise((resolve) => child.on('close', resolve));
  assert.deepEqual([code, output.trim()], [0, '1, 2, 3']);
});
