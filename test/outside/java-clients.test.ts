// Clients written in Java, unmodified, against the gateway: every case in front of every upstream. The program is in
// `tools/java-clients/`, which also pins the libraries. Maven compares their checksums.

import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, test } from 'node:test';

import { withLock } from '../../scripts/lock.mjs';
import type { ProgramOptions } from '../support/clients/program.ts';
import { runClients, startClientStack } from '../support/clients/table.ts';
import { repository, run } from '../support/native-library.ts';
import { commandPart, skipWithout } from '../support/requirement.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = join(repository, 'tools/java-clients');
const cache = join(repository, 'node_modules/.cache/java-clients');
const files = temporaryFolder();

const clients = [
  'openai-java, chat',
  'openai-java, responses',
  'anthropic-java',
  'google-genai',
  'langchain4j, openai',
  'langchain4j, anthropic',
];

/** Maven needs a JDK. The program needs Java 17. */
const skip = skipWithout(commandPart('javac', 'default-jdk-headless')) || skipWithout(commandPart('mvn', 'maven'));

describe('clients in Java', { skip }, () => {
  for (const client of clients) {
    test(client, { timeout: 900_000 }, async (context) => {
      await withLock(cache, build);
      const classpath = await readFile(join(cache, 'classpath'), 'utf8');
      const stack = await startClientStack(context);
      const start = (url: string): ProgramOptions => toProgram(classpath, url);
      await runClients(context, stack, { clients: [client], start });
    });
  }
});

function toProgram(classpath: string, url: string): ProgramOptions {
  const path = [join(cache, 'classes'), classpath].join(delimiter);
  return { command: 'java', argv: ['-cp', path, 'clients.Main', url], cwd: files.path };
}

/** Downloads the libraries the first time. Compiling takes some seconds. */
async function build(): Promise<void> {
  await run('mvn', ['--quiet', '--batch-mode', '--strict-checksums', 'compile', `-Dbuild.folder=${cache}`], {
    cwd: folder,
  });
}
