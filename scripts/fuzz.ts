// `npm run test:fuzz [SECONDS]`: libFuzzer over the C interface, 300 seconds by default. Needs cargo and clang.
// What it finds is kept in bindings/c/build/fuzz.

import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { flagExamples } from '../test/support/heal-examples.ts';
import { nativeLibrary, repository } from '../test/support/native-library.ts';

/** An example of each option of a client that JSON can express. */
const options = {
  apiKey: 'k',
  headers: { 'x-a': 'b' },
  model: 'simulated',
  maxTokens: 5,
  timeout: '30s',
  timeouts: { connect: 1, firstToken: 1000, idle: 1000, total: 1000 },
  proxy: { httpProxy: 'http://127.0.0.1:1', noProxy: '*' },
  network: { http2: false, keepAlive: 1000 },
  prices: { 'simulated/simulated': { input: 1, output: 2, contextWindow: 1000 } },
  healing: { enabled: true, strict: false, minConfidence: 0.5, repair: 0 },
  cache: { ttl: '1h', maxBytes: 1000 },
  models: { fast: { targets: ['simulated/simulated'], strategy: 'priority', weights: [1] } },
  chains: [{ targets: ['simulated/simulated'], fallbackOn: ['timeout'] }],
  router: { strategy: 'round-robin', fallbackEnabled: false, onCut: 'fail' },
  retry: { maxAttempts: 1, jitter: false, retryableErrors: ['timeout'] },
  breaker: { window: 1000, failureRatio: 0.5, minCalls: 1 },
};

/** An example of each member of a request. */
const requestFields = {
  model: 'fast',
  fallbackModels: ['simulated/simulated'],
  system: 'Be brief.',
  tools: [{ name: 'f', description: 'd', inputSchema: { type: 'object' }, strict: true }],
  toolChoice: { name: 'f' },
  parallelToolCalls: false,
  responseFormat: { type: 'json-schema', name: 'n', schema: { type: 'object' } },
  schema: { type: 'object', properties: { a: { type: 'integer' } } },
  healing: { minConfidence: 0.1 },
  maxTokens: 5,
  temperature: 0.5,
  topP: 1,
  stop: ['x'],
  seed: 1,
  choices: 1,
  reasoning: { effort: 'low', budgetTokens: 1024 },
  betas: ['b'],
  user: 'u',
  extra: { simulated: { a: 1 } },
  cache: { ttl: 1000 },
  onCut: 'continue',
};

const jsonWords = String.raw`null true false 0 -1 1e999 1.5 "" [] {} [null] {"":0} , : \ud800 \u0000`.split(' ');
const schemaWords = '"$ref":"#" "$defs" "enum":[] "anyOf":[] "pattern":"(" "properties" "items" "const"'.split(' ');

const seconds = Number(process.argv[2] ?? 300);
const folder = join(repository, 'bindings/c');
const output = join(folder, 'build/fuzz');
const seeds = join(output, 'seeds');
const corpus = join(output, 'corpus');
const library = await nativeLibrary();
for (const path of [seeds, corpus]) mkdirSync(path, { recursive: true });
for (const [name, text] of seedTexts()) writeFileSync(join(seeds, name), text);
const dictionary = join(output, 'dictionary');
writeFileSync(dictionary, [...words()].map((word) => `${JSON.stringify(word)}\n`).join(''));

const program = join(output, 'fuzz');
const sanitize = '-fsanitize=fuzzer,address,undefined';
const link = [`-L${library}`, '-lsimple_agents', `-Wl,-rpath,${library}`];
start('clang', ['-g', '-O1', sanitize, `-I${folder}`, join(folder, 'test/fuzz.c'), '-o', program, ...link]);
// The library is not instrumented, so that coverage says little: every seed is kept and mutated with words of the interface.
const guides = ['-keep_seed=1', '-reduce_inputs=0', `-dict=${dictionary}`];
const limits = [`-max_total_time=${seconds}`, '-timeout=20', '-rss_limit_mb=2048', '-max_len=4096'];
start(program, [...guides, ...limits, corpus, seeds]);

/** The first byte selects the function, see fuzz.c. */
function* seedTexts(): Generator<readonly [name: string, text: string]> {
  for (const [index, { text, schema }] of flagExamples.entries()) {
    yield [`heal-${index}`, `\u0000{"strict": false}\n${text}`];
    if (schema !== undefined) yield [`typed-${index}`, `\u0001${JSON.stringify(schema)}\n${text}`];
  }
  for (const [name, value] of Object.entries(options)) {
    yield [`client-${name}`, `\u0002${JSON.stringify({ provider: 'simulated', [name]: value })}`];
  }
  for (const [name, value] of Object.entries(requestFields))
    yield [`request-${name}`, `\u0003${JSON.stringify({ [name]: value })}`];
}

/** What JSON and schemas consist of, and the names and values of the interface. */
function* words(): Generator<string> {
  yield* [...jsonWords, ...schemaWords];
  yield* namesIn(options);
  yield* namesIn(requestFields);
}

/** The members at every depth, each as it stands in JSON. */
function* namesIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) yield `${JSON.stringify(name)}:`;
    yield* namesIn(member);
  }
}

function start(command: string, argv: readonly string[]): void {
  const { status, error } = spawnSync(command, argv, { cwd: output, stdio: 'inherit' });
  if (error !== undefined)
    console.error(`${command} cannot be started: install it (Debian: apt-get install clang libclang-rt-14-dev).`);
  if (status !== 0) process.exit(status ?? 1);
}
