// What a test needs beyond npm packages. If it is missing, the test is skipped on a developer's machine and fails in CI,
// where a skip would go unnoticed.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Part {
  readonly name: string;
  readonly isPresent: boolean;
  /** How to install it. */
  readonly remedy: string;
}

/** For the `skip` option of a test. */
export function skipWithout(part: Part, environment = process.env): string | false {
  if (part.isPresent) return false;
  const reason = `${part.name} is missing: ${part.remedy}`;
  if (environment['CI'] === 'true') throw new Error(reason);
  return reason;
}

/** A program on the PATH, with the Debian package that contains it. */
export function commandPart(command: string, debianPackage = command): Part {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return {
    name: command,
    isPresent: folders.some((folder) => existsSync(join(folder, command))),
    remedy: `install it (Debian: apt-get install ${debianPackage})`,
  };
}

export interface Corpus {
  readonly path: string;
  readonly skip: string | false;
}

/** A file in the optional folder of corpora: tests are skipped without the folder, but fail if only the file is missing. */
export function corpus(file: string, environment = process.env): Corpus {
  return optionalFile('SIMPLE_AGENTS_CORPORA', file, environment);
}

/** A recorded session of another program, in the optional folder of transcripts. */
export function transcript(file: string, environment = process.env): Corpus {
  return optionalFile('SIMPLE_AGENTS_TRANSCRIPTS', file, environment);
}

function optionalFile(variable: string, file: string, environment: NodeJS.ProcessEnv): Corpus {
  const folder = environment[variable];
  if (folder === undefined || folder === '') return { path: '', skip: `${variable} names no folder` };
  const path = join(folder, file);
  const remedy = `put ${file} into the folder ${variable} names`;
  return { path, skip: skipWithout({ name: file, isPresent: existsSync(path), remedy }, environment) };
}
