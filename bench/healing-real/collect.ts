// Makes new responses of real models for `bench healing-real --answers FILE`. Installs node-llama-cpp and the weights in
// a folder outside the checkout, asks each model every task, and appends one line of JSON for each response. Seeds are
// fixed, and ids that are in the file already are not asked again. Run with scripts/run.mjs. Options: --folder FOLDER,
// --output FILE, --models KEY,KEY, --rounds N (each asks every input once more, in the next style), --tokens N (of a
// response), --python COMMAND.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

import { openModel, type LlamaModule, type OpenModel } from './llama.ts';
import { promptOf, type Style } from './prompts.ts';
import { tasks, type Task } from './tasks.ts';
import { installWeights, models, type Model } from './weights.ts';

interface Question {
  readonly id: string;
  readonly model: Model;
  readonly task: Task;
  readonly style: Style;
  readonly input: string;
  readonly seed: number;
}

const llamaVersion = '3.22.1';
const checkout = resolve(import.meta.dirname, '../..');
const { values: options } = parseArgs({
  options: {
    folder: { type: 'string' },
    output: { type: 'string' },
    models: { type: 'string', default: models.map(({ key }) => key).join(',') },
    rounds: { type: 'string', default: '1' },
    tokens: { type: 'string', default: '200' },
    python: { type: 'string', default: 'python3' },
  },
});

const folder = outsideCheckout('--folder', options.folder);
const output = outsideCheckout('--output', options.output);
const known = await knownIds();
const llama = await loadLlama();
for (const key of options.models.split(',')) await askModel(modelOf(key));

async function askModel(model: Model): Promise<void> {
  const questions = questionsOf(model).filter(({ id }) => !known.has(id));
  if (questions.length === 0) return;
  const opened = await openModel(llama, await installWeights(model, folder, options.python));
  for (const question of questions) await ask(opened, question);
  await opened.close();
}

async function ask(opened: OpenModel, { id, model, task, style, input, seed }: Question): Promise<void> {
  const prompt = promptOf(style, task, input);
  const { text, finish } = await opened.ask({ prompt, isChat: model.isChat, seed, maxTokens: Number(options.tokens) });
  const line = { id, model: model.name, task: task.name, style, input, schema: task.schema, text, finish };
  await appendFile(output, `${JSON.stringify(line)}\n`);
  console.log(`${id}: ${text.length} characters, ${finish}`);
}

/** Input by input, so that an interrupted run has asked every task. */
function questionsOf(model: Model): Question[] {
  const inputCount = Math.max(...tasks.map(({ inputs }) => inputs.length));
  return Array.from({ length: Number(options.rounds) * inputCount }, (_, turn) =>
    tasks.flatMap((task, taskIndex) => {
      const round = Math.floor(turn / inputCount);
      const inputIndex = turn % inputCount;
      const style = model.styles[(inputIndex + taskIndex + round) % model.styles.length];
      const input = task.inputs[inputIndex];
      if (style === undefined || input === undefined) return [];
      const repeat = Math.floor(round / model.styles.length);
      const id = [model.key, task.name, style, `n${inputIndex}`, repeat].join('|');
      return [{ id, model, task, style, input, seed: 1000 * (round + 1) + 100 * taskIndex + inputIndex }];
    }),
  ).flat();
}

async function knownIds(): Promise<ReadonlySet<string>> {
  if (!existsSync(output)) return new Set();
  const lines = (await readFile(output, 'utf8')).split('\n').filter((line) => line !== '');
  return new Set(lines.map((line) => (JSON.parse(line) as { readonly id: string }).id));
}

async function loadLlama(): Promise<LlamaModule> {
  await mkdir(folder, { recursive: true });
  const entry = join(folder, 'node_modules/node-llama-cpp/dist/index.js');
  if (!existsSync(entry)) {
    const install = ['install', '--no-save', '--ignore-scripts', '--prefix', folder, `node-llama-cpp@${llamaVersion}`];
    execFileSync('npm', install, { stdio: 'inherit' });
  }
  return (await import(pathToFileURL(entry).href)) as LlamaModule;
}

function modelOf(key: string): Model {
  const model = models.find((each) => each.key === key);
  if (model === undefined) {
    fail(`--models ${key}: no such model. Use some of ${models.map((each) => each.key).join(', ')}.`);
  }
  return model;
}

function outsideCheckout(option: string, path: string | undefined): string {
  if (path === undefined) fail(`${option} is missing. Name a path outside the checkout.`);
  const absolute = resolve(path);
  const isInside = !relative(checkout, absolute).startsWith('..');
  if (isInside) fail(`${option} ${path} is inside the checkout. Name a path outside it.`);
  return absolute;
}

function fail(message: string): never {
  console.error(message);
  process.exit(2);
}
