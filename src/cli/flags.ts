// The flags that several commands share: which model, by which provider, how long to wait, how long an answer.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { longestTimer, parseDuration } from '../config/schema/duration.ts';

export interface ModelFlags {
  readonly model?: string;
  readonly provider?: string;
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly config?: string;
  /** Milliseconds. */
  readonly timeout?: number;
}

export interface GenerationFlags extends ModelFlags {
  readonly system?: string;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly verbose?: true;
}

/** For a command that knows the provider already. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'another address')
    .option('--api-key-env <variable>', 'the environment variable that holds the key')
    .option('--config <file>', 'the configuration file, instead of looking for one')
    .option('--timeout <duration>', 'how long to wait for the first token, like 30s', parseTimeout);
}

export function addGenerationOptions(command: Command): Command {
  const named = command
    .option('-m, --model <name>', 'an alias, provider/model, a provider, or a model’s own name')
    .option('--provider <name>', 'who answers; the model’s name is then passed on as it is');
  return addConnectionOptions(named)
    .option('--system <text>', 'what the model shall be told first')
    .option('--max-tokens <number>', 'the longest answer, in tokens', parsePositive)
    .option('--temperature <number>', 'how freely the model chooses its words', parseTemperature)
    .option('-v, --verbose', 'tell on stderr what happens to the call, and what it costs');
}

export function outputOption(): Option {
  return new Option('--output <format>', 'how the result is written').choices(['text', 'json']).default('text');
}

export interface FormatFlags {
  readonly output: 'text' | 'json';
  readonly json?: true;
}

export function jsonOption(): Option {
  return new Option('--json', 'short for --output json');
}

export function formatOf({ output, json }: FormatFlags): 'text' | 'json' {
  return json === true ? 'json' : output;
}

export function parseInteger(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

export function parsePort(text: string): number {
  const port = parseInteger(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be from 0 to 65535.');
  return port;
}

export function parsePositive(text: string): number {
  const value = parseInteger(text);
  if (value < 1) throw new InvalidArgumentError('It must be 1 or more.');
  return value;
}

function parseTemperature(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 2)) throw new InvalidArgumentError('It must be from 0 to 2.');
  return value;
}

function parseTimeout(text: string): number {
  const milliseconds = parseTime(text);
  if (milliseconds <= longestTimer) return milliseconds;
  throw new InvalidArgumentError('It must be shorter than 24 days.');
}

export function parseTime(text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    throw new InvalidArgumentError(`${(error as Error).message}.`);
  }
}
