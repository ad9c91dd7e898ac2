// `forgeflare guard`: prints the guard's verdict on one or many shell commands. Nothing is executed.

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Guard } from '../../coder/guard/guard.ts';
import type { Judgement, GuardVerdict } from '../../coder/guard/verdict.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { isRecord } from '../../core/json.ts';
import { bytesOf, linesOf, readAll } from '../terminal/input.ts';
import type { Invocation, Run } from '../invocation.ts';
import { painter, toPrintable, write, type Terminal } from '../terminal/terminal.ts';

interface GuardFlags {
  readonly jsonl?: true;
  readonly cwd?: string;
}

export function registerGuard(program: Command, run: Run): void {
  program
    .command('guard')
    .description(
      'check whether a shell command would be allowed, needs permission, or would be refused; nothing is executed',
    )
    .argument('[command]', 'the command as one argument (default: standard input)')
    .option('--jsonl', 'each line of standard input is a JSON object with id and command')
    .option('--cwd <folder>', 'the workspace that it would run in (default: the current folder)')
    .addHelpText('after', examples)
    .action((command: string | undefined, flags: GuardFlags) => run((invocation) => guard(command, flags, invocation)));
}

const examples = `
Examples:
  forgeflare guard 'rm -rf dist && npm run build'
  forgeflare guard < script.sh
  forgeflare guard --jsonl < commands.jsonl > verdicts.jsonl

With --jsonl, each input line yields {"id", "verdict", "reason"} or {"id", "error"}, in the same order.

Exit codes, without --jsonl:
  0    allowed
  10   needs permission
  11   refused`;

const exitCodes: Readonly<Record<GuardVerdict, number>> = { allow: 0, ask: 10, refuse: 11 };

async function guard(command: string | undefined, flags: GuardFlags, invocation: Invocation): Promise<number> {
  const { terminal } = invocation;
  if (flags.jsonl && command !== undefined) {
    throw new SimpleAgentsError('bad-request', '--jsonl reads commands from standard input; remove the argument');
  }
  const judge = await loadGuard(flags, terminal);
  if (flags.jsonl) return judgeLines(judge, invocation);
  const judgement = judge.judge(command ?? (await readAll(bytesOf(undefined, invocation))));
  await write(terminal.stdout, describe(judgement, terminal));
  return exitCodes[judgement.verdict];
}

async function loadGuard({ cwd }: GuardFlags, terminal: Terminal): Promise<Guard> {
  const { createGuard } = await import('../../coder/guard/guard.ts');
  const { env } = terminal;
  return createGuard({ cwd: resolve(terminal.cwd, cwd ?? '.'), home: resolve(env['HOME'] || '/root') });
}

async function judgeLines(judge: Guard, invocation: Invocation): Promise<number> {
  for await (const line of linesOf(bytesOf(undefined, invocation))) {
    const result = judgeLine(line, judge);
    if (result !== undefined) await write(invocation.terminal.stdout, `${result}\n`);
  }
  return 0;
}

/** One line of `--jsonl`, without its line end. Undefined for an empty line. A malformed line yields an error. */
function judgeLine(line: string, judge: Guard): string | undefined {
  if (line.trim() === '') return undefined;
  const document = parseLine(line);
  if (typeof document === 'string') return JSON.stringify({ id: null, error: document });
  const { id = null, command } = document;
  if (typeof command !== 'string') return JSON.stringify({ id, error: 'command: must be a string' });
  const { verdict, reason } = judge.judge(command);
  return JSON.stringify({ id, verdict, reason });
}

function parseLine(line: string): Record<string, unknown> | string {
  try {
    const document: unknown = JSON.parse(line);
    return isRecord(document) ? document : 'the line must be a JSON object with id and command';
  } catch {
    return 'the line is not valid JSON';
  }
}

const colours = { allow: 'green', ask: 'yellow', refuse: 'red' } as const;

function describe({ verdict, reason }: Judgement, { stdout, env }: Terminal): string {
  const paint = painter(stdout, env);
  return `${paint(colours[verdict], verdict)}: ${toPrintable(reason, stdout)}\n`;
}
