// The parts that all command lines share: help, version, exit codes, and the handling of invalid arguments.

import { styleText } from 'node:util';
import { Command, CommanderError, type OutputConfiguration } from 'commander';
import { version } from '../../core/version.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { reportFailure, type FailureFormat } from '../failure.ts';
import { invoke, type Run } from '../invocation.ts';
import { hasColors, widthOf, type Terminal } from '../terminal/terminal.ts';

/** The exit codes that are the same in every program, for help texts. */
export const exitCodes = `Exit codes:
  0    success
  1    internal error (a bug in this program)
  2    invalid command line, configuration or request
  3    API key missing or rejected
  4    quota or rate limit reached
  5    model or address not found
  6    network error, timeout, or provider failure
  7    response cannot be used
  9    standard output cannot be written`;

/** Returns the exit code. */
export async function runProgram(
  argv: readonly string[],
  terminal: Terminal,
  create: (terminal: Terminal, run: Run) => Command,
): Promise<number> {
  let exitCode = 0;
  const program = create(terminal, async (command, format = 'text') => {
    exitCode = await invoke(command, terminal, format);
  });
  try {
    await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    const format = formatIn(argv);
    return reportFailure(format === 'text' ? error : toUsageError(error), terminal, format);
  }
}

/** What the arguments ask for, even if they cannot be parsed. */
function formatIn(argv: readonly string[]): FailureFormat {
  const end = argv.indexOf('--');
  const options = (end === -1 ? argv : argv.slice(0, end)).join('\n');
  if (/^--output-format[=\n]json$/m.test(options)) return 'json-line';
  return /^--output[=\n]json$/m.test(options) ? 'json' : 'text';
}

/** The parser has printed the error for people; programs get it as JSON too. */
function toUsageError(error: unknown): unknown {
  if (!(error instanceof CommanderError) || error.exitCode === 0) return error;
  return new SimpleAgentsError('bad-request', error.message.replace(/^error: /, ''), { cause: error });
}

export function newProgram(name: string, terminal: Terminal): Command {
  return new Command(name)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    .configureOutput(outputOf(name, terminal))
    .configureHelp({ styleTitle: (title) => styleText('bold', title, { validateStream: false }) })
    .showHelpAfterError('Run with --help to see the usage.');
}

/** Longer lines are hard to read. */
const widestHelp = 100;

function outputOf(name: string, { stdout, stderr, env }: Terminal): OutputConfiguration {
  return {
    writeOut: (text) => void stdout.write(text),
    writeErr: (text) => void stderr.write(text),
    outputError: (text, writeText) => writeText(text.replace(/^error: /, `${name}: `)),
    getOutHelpWidth: () => Math.min(widthOf(stdout), widestHelp),
    getErrHelpWidth: () => Math.min(widthOf(stderr), widestHelp),
    getOutHasColors: () => hasColors(stdout, env),
    getErrHasColors: () => hasColors(stderr, env),
  };
}
