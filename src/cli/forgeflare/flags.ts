// The flags of an agent's run, and what they may be.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { parsePositive } from '../flags.ts';

export interface RunFlags {
  readonly model?: string;
  readonly provider?: string;
  readonly apiUrl?: string;
  readonly config?: string;
  readonly maxTokens: number;
  /** US dollars for the run. */
  readonly maxCost?: number;
  readonly outputFormat: 'text' | 'json';
  /** Never interactive: nobody is asked, also at a terminal. */
  readonly print?: true;
  readonly verbose?: true;
  /** On stderr only what went wrong. */
  readonly quiet?: true;
  readonly sandbox?: 'off' | 'workspace' | 'strict';
  readonly permission?: 'ask' | 'auto-edit' | 'read-only' | 'full';
  readonly allowNetwork?: true;
  readonly continue?: true;
  readonly resume?: string;
  /** Go on in a copy of the session. */
  readonly fork?: true;
  /** Until the session is free. */
  readonly wait?: true;
  readonly trustHooks?: true;
  /** False by `--no-hooks`. */
  readonly hooks: boolean;
}

export function addRunOptions(command: Command): Command {
  return command
    .option('-p, --print', 'print the answer and end: never interactive, nobody is asked')
    .option('-m, --model <name>', 'the model; claude-opus-4-6 unless the configuration says otherwise')
    .option('--provider <name>', 'who answers; the model’s name is then passed on as it is')
    .option('--api-url <url>', 'another address of the provider')
    .option('--config <file>', 'the configuration file, instead of looking for one')
    .option('--max-tokens <number>', 'the longest answer, in tokens', parsePositive, 16_384)
    .option('--max-cost <dollars>', 'end the turn when it has cost so much', parseDollars)
    .addOption(new Option('--sandbox <mode>', 'how Bash is held').choices(['off', 'workspace', 'strict']))
    .addOption(
      new Option('--permission <mode>', 'what may be done without asking').choices([
        'ask',
        'auto-edit',
        'read-only',
        'full',
      ]),
    )
    .option('--allow-network', 'let commands in the sandbox use the network')
    .option('-c, --continue', 'go on with the last session of this folder')
    .option('-r, --resume <id>', 'go on with a session; the first letters of its id are enough')
    .option('--fork', 'with --continue or --resume: go on in a copy of the session')
    .addOption(
      new Option('--wait', 'with --continue or --resume: wait while another process uses the session').conflicts(
        'fork',
      ),
    )
    .option('--trust-hooks', 'trust the hooks of this repository, now and later')
    .option('--no-hooks', 'run without the hooks of this repository')
    .addOption(
      new Option('--output-format <format>', 'how the result is written').choices(['text', 'json']).default('text'),
    )
    .option('-v, --verbose', 'tell more on stderr: the address, what tools are given and say')
    .option('-q, --quiet', 'tell on stderr only what went wrong');
}

function parseDollars(text: string): number {
  const dollars = Number(text);
  if (text.trim() !== '' && dollars > 0 && Number.isFinite(dollars)) return dollars;
  throw new InvalidArgumentError('It must be a sum in US dollars, like 0.50.');
}
