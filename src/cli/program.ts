// What all our command lines have in common: help, version, and how a mistyped command is told.

import { styleText } from 'node:util';
import { Command, type OutputConfiguration } from 'commander';
import { version } from '../core/version.ts';
import { hasColors, widthOf, type Terminal } from './terminal.ts';

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
