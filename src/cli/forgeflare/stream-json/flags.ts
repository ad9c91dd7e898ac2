// The flags that hosts of the claude CLI pass. Three groups: flags that we act on, flags that are accepted and named in a
// note because ignoring them is harmless, and flags that are refused because ignoring them would be wrong.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { SimpleAgentsError } from '../../../core/error.ts';
import { reasoningEfforts, type ReasoningEffort } from '../../../core/request.ts';
import { parseInteger, parsePositive } from '../../flags.ts';
import { hostModes, type HostMode } from './permission-rules.ts';

export interface HostFlags {
  readonly inputFormat: 'text' | 'stream-json';
  readonly includePartialMessages?: true;
  readonly replayUserMessages?: true;
  readonly permissionMode?: HostMode;
  readonly permissionPromptTool?: 'stdio';
  readonly dangerouslySkipPermissions?: true;
  readonly allowDangerouslySkipPermissions?: true;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly tools?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly sessionId?: string;
  readonly forkSession?: true;
  /** False with `--no-session-persistence`. */
  readonly sessionPersistence: boolean;
  readonly maxTurns?: number;
  readonly maxBudgetUsd?: number;
  readonly effort?: ReasoningEffort;
  readonly thinking?: 'adaptive' | 'disabled' | 'enabled';
  readonly maxThinkingTokens?: number;
  /** JSON, or the path of a file. */
  readonly settings?: string;
  readonly managedSettings?: string;
}

/** Accepted and named in a note. `true`: the flag has a value. */
const ignored: Readonly<Record<string, boolean | 'optional' | 'list'>> = {
  'await-initialize': false,
  betas: 'list',
  channels: true,
  debug: 'optional',
  'debug-file': true,
  'debug-to-stderr': false,
  'fallback-model': true,
  'include-hook-events': false,
  name: true,
  'permission-prompts': true,
  'plugin-dir': true,
  'plugin-dir-no-mcp': true,
  'project-config-root': true,
  'session-mirror': false,
  'setting-sources': true,
  'task-budget': true,
  'thinking-display': true,
};

/** Refused, with the reason. */
const refused: Readonly<Record<string, string>> = {
  agent: 'other main agents are not supported; describe the role with --append-system-prompt',
  'json-schema': 'structured output is not supported; ask for JSON in the prompt',
  'resume-drops-turn': 'a session is always resumed at its end; use --fork-session to keep the original',
  'resume-session-at': 'a session is always resumed at its end; use --fork-session to keep the original',
};

export function addHostOptions(command: Command): Command {
  for (const option of [...supportedOptions(), ...ignoredOptions(), ...refusedOptions()]) {
    command.addOption(option.hideHelp());
  }
  return command;
}

function supportedOptions(): Option[] {
  return [
    new Option('--include-partial-messages'),
    new Option('--replay-user-messages'),
    new Option('--permission-mode <mode>').choices(hostModes).conflicts('permission'),
    new Option('--permission-prompt-tool <name>').argParser(parsePromptTool),
    new Option('--dangerously-skip-permissions').conflicts('permission'),
    new Option('--allow-dangerously-skip-permissions'),
    list('--allowedTools, --allowed-tools <rules...>'),
    list('--disallowedTools, --disallowed-tools <rules...>'),
    list('--tools <names...>'),
    new Option('--system-prompt <text>'),
    new Option('--append-system-prompt <text>'),
    new Option('--session-id <uuid>').argParser(parseUuid),
    new Option('--fork-session'),
    new Option('--no-session-persistence'),
    new Option('--max-turns <number>').argParser(parsePositive),
    new Option('--max-budget-usd <dollars>').argParser(parseDollars).conflicts('maxCost'),
    new Option('--effort <level>').choices(reasoningEfforts),
    new Option('--thinking <mode>').choices(['adaptive', 'enabled', 'disabled']),
    new Option('--max-thinking-tokens <number>').argParser(parseInteger),
    new Option('--settings <file-or-json>'),
    new Option('--managed-settings <json>'),
    new Option('--agents <json>'),
  ];
}

function list(flags: string): Option {
  return new Option(flags).argParser(collect);
}

function ignoredOptions(): Option[] {
  return Object.entries(ignored).map(([name, value]) => {
    if (value === 'list') return new Option(`--${name} <values...>`);
    if (value === 'optional') return new Option(`--${name} [value]`);
    return new Option(value ? `--${name} <value>` : `--${name}`);
  });
}

function refusedOptions(): Option[] {
  return Object.keys(refused).map((name) => new Option(`--${name} <value>`));
}

/** Throws `bad-request` for a flag that must not be ignored. Returns the flags that are ignored. */
export function checkHostFlags(flags: object): string[] {
  const names = Object.keys(flags).map(toFlagName);
  for (const name of names) {
    const reason = Object.hasOwn(refused, name) ? refused[name] : undefined;
    if (reason !== undefined) throw new SimpleAgentsError('bad-request', `--${name}: ${reason}`);
  }
  return names.filter((name) => Object.hasOwn(ignored, name)).map((name) => `--${name}`);
}

/** `addDir` → `add-dir` */
function toFlagName(attribute: string): string {
  return attribute.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

function parsePromptTool(text: string): 'stdio' {
  if (text === 'stdio') return text;
  throw new InvalidArgumentError('Only stdio is supported: the host answers permission requests on standard input.');
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function parseUuid(text: string): string {
  const uuid = text.toLowerCase();
  if (uuidPattern.test(uuid)) return uuid;
  throw new InvalidArgumentError('It must be a UUID.');
}

export function parseDollars(text: string): number {
  const dollars = Number(text);
  if (text.trim() !== '' && dollars > 0 && Number.isFinite(dollars)) return dollars;
  throw new InvalidArgumentError('It must be an amount in US dollars, such as 0.50.');
}
