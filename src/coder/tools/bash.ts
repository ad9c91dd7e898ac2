// Bash: one command in a shell of its own, in the sandbox when there is one.

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
/** The kernel takes no argument over 128 KB. */
const longestCommand = 100 * 1024;

const description = `Runs a command with bash in the workspace and gives its output, errors among it, as it was written.
- Every call is a new shell: folders and variables of the one before are forgotten. Nothing can be typed in: standard input is empty.
- Ends after 120 s, or after timeout milliseconds (at most 600000). A time-out and an exit code other than 0 are errors, with the output so far.
- When the command ends, everything it started ends, also in the background: start a server in the command that uses it.
- Of the output 100 KB are kept, head and tail. Variables that look secret are not in the environment.
- The command may be refused by the user, by a guard, or held by a sandbox without network: do not work around that.
- Use Read, Glob, Grep, Edit and Write for files where they can do it.`;

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
          description: 'Milliseconds after which it is killed. Default 120000, at most 600000.',
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
  refuseOddCommand(command);
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

function refuseOddCommand(command: string): void {
  if (command.includes('\0')) fail('command: must not hold a NUL character.');
  const size = Buffer.byteLength(command);
  if (size > longestCommand) {
    fail(`command: has ${size} bytes; at most ${longestCommand}. Write a script with Write and run that.`);
  }
}

function explainStart(error: unknown, root: string): string {
  if (codeOf(error) === 'ENOENT')
    return `The command cannot be started: ${root} or the program /bin/sh does not exist.`;
  return `The command cannot be started: ${error instanceof Error ? error.message : String(error)}.`;
}

/** Without colours, which are for terminals. */
function toPlainText(output: BoundedOutput): string {
  return stripVTControlCharacters(output.toText((omitted) => `\n… [${omitted} bytes left out] …\n`)).trimEnd();
}

function toAnswer(output: BoundedOutput, notes: readonly string[], isError: boolean): ToolAnswer {
  const said = toPlainText(output);
  const words = [said === '' ? '(no output)' : said, ...notes].join('\n');
  return { content: [text(words)], ...(isError ? { isError } : {}) };
}

function isFailure({ reason, exitCode }: CommandEnd): boolean {
  return reason !== 'exit' || exitCode !== 0;
}

const nothingDenied: Denied = { paths: [], hasOthers: false };
const remedy = 'Ask the user to run that part themselves, or to start with --sandbox off';

/** Programs get along without a cache outside the workspace, so that alone is no failure. */
function notesOnDenied({ paths, hasOthers }: Denied): string[] {
  if (hasOthers) return [`[the sandbox lets a command write only the workspace and /tmp. ${remedy}]`];
  return paths.map(
    (path) =>
      `[the sandbox keeps ${path} read-only, so the command could not change it; what else it did has taken effect. ${remedy}]`,
  );
}

function noteOnMoved(path: string): string {
  return `[${path} is protected; what the command made there was moved aside]`;
}

function notesOn({ reason, exitCode, exitSignal, leftBehind }: CommandEnd, timeout: number): string[] {
  if (reason === 'timeout') {
    return [`[timed out after ${timeout} ms; the command and everything it started was killed]`];
  }
  if (reason === 'cancel') return ['[cancelled]'];
  const ending = exitSignal === null ? `[exit code ${exitCode}]` : `[killed by ${exitSignal}]`;
  const background = `[${leftBehind} background ${leftBehind === 1 ? 'process was' : 'processes were'} stopped at the end of the command]`;
  return [...(exitCode === 0 ? [] : [ending]), ...(leftBehind === 0 ? [] : [background])];
}
