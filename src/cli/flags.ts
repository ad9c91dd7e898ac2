// Flags that several commands share: model, provider, timeout, length of the response, output format.

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

/** For a command whose provider is already known. */
export function addConnectionOptions(command: Command): Command {
  return command
    .option('--base-url <url>', 'the base URL of the service')
    .option('--api-key-env <variable>', 'the environment variable with the API key')
    .option('--config <file>', 'the configuration file to use')
    .option('--timeout <duration>', 'time limit for the first token, such as 30s', parseTimeout);
}

export function addModelOptions(command: Command): Command {
  const named = command
    .option('-m, --model <name>', 'an alias, provider/model, a provider, or a model name')
    .option('--provider <name>', 'the provider; the model name is then passed to it unchanged');
  return addConnectionOptions(named);
}

export function addGenerationOptions(command: Command): Command {
  return addModelOptions(command)
    .option('--system <text>', 'the system prompt')
    .option('--max-tokens <number>', 'maximum length of the response in tokens', parsePositive)
    .option('--temperature <number>', 'sampling temperature, from 0 to 2', parseTemperature)
    .option('-v, --verbose', 'report the progress and the cost of the call on stderr');
}

export function outputOption(): Option {
  return new Option('--output <format>', 'output format').choices(['text', 'json']).default('text');
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
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be an integer.');
  return Number(text);
}

export function parsePort(text: string): number {
  const port = parseInteger(text);
  if (port > 65_535) throw new InvalidArgumentError('It must be between 0 and 65535.');
  return port;
}

export function parsePositive(text: string): number {
  const value = parseInteger(text);
  if (value < 1) throw new InvalidArgumentError('It must be at least 1.');
  return value;
}

function parseTemperature(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 2)) throw new InvalidArgumentError('It must be between 0 and 2.');
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
