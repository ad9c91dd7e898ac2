// The Bash tool: runs one command in a new shell, in the sandbox if there is one.

import { stripVTControlCharacters } from 'node:util';
import { text } from '../../core/message.ts';
import { BoundedOutput } from '../process/bounded-output.ts';
import { runCommand, type CommandEnd } from '../process/command-run.ts';
import type { Denied } from '../sandbox/denied-writes.ts';
import { defineTool, type Tool, type ToolAnswer, type ToolContext } from '../../agent/tool.ts';
import { createSandboxSession, type SandboxSession } from './sandbox-session.ts';
import { codeOf, fail } from './failure.ts';
import { LiveOutput } from './live-output.ts';
import type { Workspace } from './workspace.ts';

const defaultTimeout = 120_000;
const longestTimeout = 600_000;
const keptOutput = 100 * 1024;
/** The kernel accepts no argument over 128 KB. */
const longestCommand = 100 * 1024;

const description = `Runs a command with bash in the workspace and returns its output, stdout and stderr in the order written.
- Every call starts a new shell: the working directory and variables of earlier calls are lost. Commands cannot prompt: standard input is empty.
- Stops after 120 s, or after timeout milliseconds (at most 600000). A time-out or an exit code other than 0 is an error and includes the output so far.
- When the command ends, every process it started is stopped, including background processes: start a server in the same command that uses it.
- At most 100 KB of output are kept, head and tail. Environment variables that look secret are removed.
- The user or a guard may refuse the command, and a sandbox may limit it to the workspace without network: do not work around that.
- Prefer Read, Glob, Grep, Edit and Write for working with files.`;

interface BashInput {
  readonly command: string;
  readonly timeout?: number;
}

export function createBash(workspace: Workspace): Tool {
  const session = createSandboxSession(workspace);
  return defineTool({
    name: 'Bash',
    description,
    input: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, description: 'The command, as typed in a shell.' },
        timeout: {
          type: 'integer',
          minimum: 1,
          maximum: longestTimeout,
          description: 'Milliseconds after which the command is killed. Default 120000, at most 600000.',
        },
      },
      required: ['command'],
    },
    effect: 'mutating',
    run: (input, context) => bash(input, { workspace, session }, context),
  });
}

interface BashSetup {
  readonly workspace: Workspace;
  readonly session: SandboxSession;
}

async function bash(input: BashInput, { workspace, session }: BashSetup, context: ToolContext): Promise<ToolAnswer> {
  const { command, timeout = defaultTimeout } = input;
  checkCommand(command);
  context.signal.throwIfAborted();
  const entered = await session.enter(['bash', '-c', command]);
  const output = new BoundedOutput(keptOutput);
  const live = new LiveOutput({ show: context.output });
  const onOutput = (bytes: Buffer): void => {
    output.push(bytes);
    live.push(bytes);
  };
  const { root, environment } = workspace;
  let moved: readonly string[] = [];
  let denied: Denied = nothingDenied;
  let end: CommandEnd;
  try {
    context.signal.throwIfAborted();
    end = await runCommand({ ...entered, cwd: root, environment, timeout, signal: context.signal, onOutput });
    denied = (await entered.findDenied?.(toPlainText(output))) ?? nothingDenied;
  } catch (error) {
    context.signal.throwIfAborted();
    return fail(explainStart(error, root));
  } finally {
    moved = await session.leave(entered);
  }
  live.end();
  const isError = isFailure(end) || denied.paths.length > 0;
  const notes = [...notesOn(end, timeout), ...(isError ? notesOnDenied(denied) : []), ...moved.map(noteOnMoved)];
  return toAnswer(output, notes, isError);
}

function checkCommand(command: string): void {
  if (command.includes('\0')) fail('command: must not contain a NUL character.');
  const size = Buffer.byteLength(command);
  if (size > longestCommand) {
    fail(`command: has ${size} bytes; the limit is ${longestCommand}. Write a script with Write and run that.`);
  }
}

function explainStart(error: unknown, root: string): string {
  if (codeOf(error) === 'ENOENT')
    return `The command cannot be started: ${root} or the program /bin/sh does not exist.`;
  return `The command cannot be started: ${error instanceof Error ? error.message : String(error)}.`;
}

/** Without terminal escape sequences. */
function toPlainText(output: BoundedOutput): string {
  return stripVTControlCharacters(output.toText((omitted) => `\n… [${omitted} bytes omitted] …\n`)).trimEnd();
}

function toAnswer(output: BoundedOutput, notes: readonly string[], isError: boolean): ToolAnswer {
  const printed = toPlainText(output);
  const lines = [printed === '' ? '(no output)' : printed, ...notes].join('\n');
  return { content: [text(lines)], ...(isError ? { isError } : {}) };
}

function isFailure({ reason, exitCode }: CommandEnd): boolean {
  return reason !== 'exit' || exitCode !== 0;
}

const nothingDenied: Denied = { paths: [], hasOthers: false };
const remedy = 'Ask the user to run that part, or to start with --sandbox off';

/** Only called for a failed command, because programs can usually work without a cache outside the workspace. */
function notesOnDenied({ paths, hasOthers }: Denied): string[] {
  if (hasOthers) return [`[the sandbox allows writing only in the workspace and /tmp. ${remedy}]`];
  return paths.map(
    (path) =>
      `[the sandbox keeps ${path} read-only, so the command could not change it; its other effects remain. ${remedy}]`,
  );
}

function noteOnMoved(path: string): string {
  return `[${path} is protected; the file that the command created there was moved aside]`;
}

function notesOn({ reason, exitCode, exitSignal, leftBehind }: CommandEnd, timeout: number): string[] {
  if (reason === 'timeout') {
    return [`[timed out after ${timeout} ms; the command and all its processes were killed]`];
  }
  if (reason === 'cancel') return ['[cancelled]'];
  const ending = exitSignal === null ? `[exit code ${exitCode}]` : `[killed by ${exitSignal}]`;
  const background = `[${leftBehind} background ${leftBehind === 1 ? 'process was' : 'processes were'} stopped when the command ended]`;
  return [...(exitCode === 0 ? [] : [ending]), ...(leftBehind === 0 ? [] : [background])];
}
