// What all our command lines have in common: help, version, exit codes, and how a command and a mistyped one end.

import { styleText } from 'node:util';
import { Command, type OutputConfiguration } from 'commander';
import { version } from '../../core/version.ts';
import { reportFailure } from '../failure.ts';
import { invoke, type Run } from '../invocation.ts';
import { hasColors, widthOf, type Terminal } from '../terminal/terminal.ts';

/** For help texts: what ends in the same way everywhere. */
export const exitCodes = `Exit codes:
  0    success
  1    a defect in this program
  2    the command line, the configuration or the request is wrong
  3    the key is missing or refused
  4    a quota or rate limit is reached
  5    there is no such model or address
  6    network trouble, a time-out, or the provider failed
  7    the answer cannot be understood
  9    standard output cannot be written`;

/** Gives the exit code. */
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
    return reportFailure(error, terminal, 'text');
  }
}

export function newProgram(name: string, terminal: Terminal): Command {
  return new Command(name)
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [command]', 'show help for a command')
    .exitOverride()
    .configureOutput(outputOf(name, terminal))
    .configureHelp({ styleTitle: (title) => styleText('bold', title, { validateStream: false }) })
    .showHelpAfterError('Add --help to see what there is.');
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
