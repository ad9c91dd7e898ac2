// The command-line flags of an agent run.

import { Option, type Command } from 'commander';
import { parsePositive } from '../flags.ts';
import { addHostOptions, parseDollars, type HostFlags } from './stream-json/flags.ts';

export interface RunFlags extends HostFlags {
  readonly model?: string;
  readonly provider?: string;
  readonly apiUrl?: string;
  /** Use the simulated model. */
  readonly demo?: true;
  readonly config?: string;
  readonly maxTokens: number;
  /** US dollars for the run. */
  readonly maxCost?: number;
  readonly outputFormat: 'text' | 'json' | 'stream-json';
  /** Never interactive: never asks the user, even at a terminal. */
  readonly print?: true;
  readonly verbose?: true;
  /** Only errors and warnings on stderr. */
  readonly quiet?: true;
  /** Further folders for the file tools. */
  readonly addDir?: readonly string[];
  readonly sandbox?: 'off' | 'workspace' | 'strict';
  readonly permission?: 'ask' | 'auto-edit' | 'read-only' | 'full';
  readonly allowNetwork?: true;
  readonly continue?: true;
  readonly resume?: string;
  /** Continue in a copy of the session. */
  readonly fork?: true;
  /** Wait until the session is free. */
  readonly wait?: true;
  readonly trustHooks?: true;
  /** False with `--no-hooks`. */
  readonly hooks: boolean;
  readonly trustAgents?: true;
  /** False with `--no-agents`. A text: the agents of a host, as JSON. */
  readonly agents: boolean | string;
  readonly trustMcp?: true;
  /** False with `--no-mcp`. */
  readonly mcp: boolean;
  /** JSON, or paths of files. */
  readonly mcpConfig?: readonly string[];
  /** Only the servers of `mcpConfig`. */
  readonly strictMcpConfig?: true;
}

/** One value for each option, so that a prompt after it stays a prompt. */
function addTo(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The options of every command that runs the coding agent. */
export function addAgentOptions(command: Command): Command {
  return command
    .option('-m, --model <name>', 'the model (default: from the configuration, else claude-opus-4-6)')
    .option('--provider <name>', 'the provider; the model name is passed to it unchanged')
    .option('--api-url <url>', 'another base URL of the provider')
    .addOption(
      new Option('--demo', 'use the built-in simulated model, which needs no API key').conflicts([
        'model',
        'provider',
        'apiUrl',
      ]),
    )
    .option('--config <file>', 'use this configuration file instead of searching for one')
    .option('--max-tokens <number>', 'maximum length of a response in tokens', parsePositive, 16_384)
    .option('--max-cost <dollars>', 'end the turn when it has cost this much (US dollars)', parseDollars)
    .option('--add-dir <folder>', 'let the file tools also read and write in this folder; can be repeated', addTo)
    .addOption(new Option('--sandbox <mode>', 'the sandbox for Bash commands').choices(['off', 'workspace', 'strict']))
    .addOption(
      new Option('--permission <mode>', 'what the agent may do without asking').choices([
        'ask',
        'auto-edit',
        'read-only',
        'full',
      ]),
    )
    .option('--allow-network', 'allow commands in the sandbox to use the network')
    .option('--trust-hooks', 'trust the hooks of this repository, now and in later runs')
    .option('--no-hooks', 'run without the hooks of this repository')
    .option('--trust-agents', 'trust the agents of this repository, now and in later runs')
    .option('--no-agents', 'run without the agents of this repository')
    .option('--trust-mcp', 'trust the MCP servers of this repository, now and in later runs')
    .option('--no-mcp', 'run without the MCP servers of this repository')
    .option('--mcp-config <file-or-json>', 'use these MCP servers too; can be repeated', addTo)
    .option('--strict-mcp-config', 'use only the MCP servers of --mcp-config');
}

export function addRunOptions(command: Command): Command {
  const named = addAgentOptions(command)
    .option('-p, --print', 'print the response and exit; never ask questions')
    .option('-c, --continue', 'continue the last session of this folder')
    .option('-r, --resume <id>', 'continue a session; the beginning of its id is enough')
    .option('--fork', 'with --continue or --resume: continue in a copy of the session')
    .addOption(
      new Option('--wait', 'with --continue or --resume: wait if another process is using the session').conflicts(
        'fork',
      ),
    )
    .addOption(
      new Option('--output-format <format>', 'the format of the result; stream-json: the lines of the claude CLI')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .addOption(
      new Option('--input-format <format>', 'the format of standard input; stream-json: a host drives the agent')
        .choices(['text', 'stream-json'])
        .default('text'),
    )
    .option('-v, --verbose', 'print more on stderr: the address, and the input and output of tools')
    .option('-q, --quiet', 'print only errors and warnings on stderr');
  return addHostOptions(named);
}
