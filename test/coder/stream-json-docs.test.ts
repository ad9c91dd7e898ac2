// docs/stream-json.md: its commands run, and it names every flag and every control request.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { Command } from 'commander';
import { addHostOptions } from '../../src/cli/forgeflare/stream-json/flags.ts';
import { requestSubtypes } from '../../src/cli/forgeflare/stream-json/control-requests.ts';
import { hookEvents } from '../../src/cli/forgeflare/stream-json/host-hooks.ts';
import { localCommands } from '../../src/cli/forgeflare/stream-json/local-commands.ts';
import { hostModes } from '../../src/cli/forgeflare/stream-json/permission-rules.ts';
import { forgeflareLauncher } from '../support/forgeflare-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/stream-json.md'), 'utf8');
const folder = temporaryFolder().path;
const path = [dirname(forgeflareLauncher), dirname(process.execPath), process.env['PATH']].join(delimiter);

function run(command: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd: folder, env: { PATH: path, HOME: folder } };
    execFile('sh', ['-c', `{ ${command}; } 2>&1`], options, (_error, output) => resolve(output));
  });
}

describe('docs/stream-json.md', () => {
  const sessions = [...page.matchAll(/```console\n([^]*?)```/g)].flatMap(([, block = '']) =>
    block.split(/^\$ /m).filter((part) => part !== ''),
  );
  for (const session of sessions) {
    const [command = '', ...output] = session.split('\n');
    test(command, async () => assert.equal(await run(command), output.join('\n')));
  }

  test('names every flag, control request, hook event, slash command and mode', () => {
    const flags = addHostOptions(new Command()).options.flatMap(({ long, short }) => [long, short]);
    const names = [
      ...flags.filter((flag) => flag !== undefined && flag !== null),
      ...requestSubtypes,
      ...hookEvents,
      ...localCommands.map(({ name }) => name),
      ...hostModes,
    ];
    assert.ok(names.length > 60);
    assert.deepEqual(
      names.filter((name) => !page.includes(`\`${name}\``)),
      [],
    );
  });
});
