// What a test needs beyond npm packages. A missing part skips the test on a developer's machine and fails it in
// continuous integration, where a quiet skip would hide that nothing was tested.

import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

export interface Part {
  readonly name: string;
  readonly isPresent: boolean;
  /** What a person does to have it. */
  readonly remedy: string;
}

/** For the `skip` option of a test. */
export function skipWithout(part: Part, environment = process.env): string | false {
  if (part.isPresent) return false;
  const reason = `${part.name} is missing: ${part.remedy}`;
  if (environment['CI'] === 'true') throw new Error(reason);
  return reason;
}

/** A program on the path, by the Debian package that brings it. */
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

/** A file of the optional folder of corpora: without the folder its tests are skipped everywhere; with it, whole. */
export function corpus(file: string, environment = process.env): Corpus {
  const folder = environment['SIMPLE_AGENTS_CORPORA'];
  if (folder === undefined || folder === '') return { path: '', skip: 'SIMPLE_AGENTS_CORPORA names no folder' };
  const path = join(folder, file);
  const remedy = `put ${file} into the folder SIMPLE_AGENTS_CORPORA names`;
  return { path, skip: skipWithout({ name: file, isPresent: existsSync(path), remedy }, environment) };
}
