// The Go package: its format, go vet, its tests under the race detector, the examples, the programs of the README in a
// module of their own, and the installed library found by pkg-config.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { go, goFolder, goWithPkgConfig, skipGo, writeModule } from '../support/go-package.ts';
import { nativeLibrary, repository, run } from '../support/native-library.ts';
import { commandPart, skipWithout } from '../support/requirement.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('the Go package', { skip: skipGo }, () => {
  test('is formatted and passes go vet', async () => {
    assert.equal(await run('gofmt', ['-l', goFolder]), '');
    assert.equal(await go(['vet', './...']), '');
  });

  test('passes its tests under the race detector', async (context) => {
    const output = await go(['test', '-race', '-count=1', './...']);
    context.diagnostic(output.split('\n')[0] ?? '');
    assert.match(output, /^ok\s+simpleagents\s/m);
  });

  const expected: Readonly<Record<string, RegExp>> = {
    hello: /^Hello! I am the simulated model/,
    character: /^\{Name:\S* Age:0 .*carries \d+ items\.\n\d+ tokens, confidence 1, 0 corrections\n$/s,
    fallback: /^simulated answered: 1, 2, 3, 4, 5\nWithout a fallback: could not connect/,
    tools: /sunny in Lisbon for .*\n3 messages, \d+ tokens\n$/s,
    heal: /^\{Name:Ada Age:36 Tags:\[math poetry\]\}\nconfidence 0\.\d\d\n.*Not healed: /s,
  };
  for (const example of readdirSync(join(goFolder, 'examples'))) {
    test(`runs the example ${example}`, async () => {
      const output = await go(['run', `./examples/${example}`]);
      assert.match(output, expected[example] ?? assert.fail('write down what it prints'));
    });
  }

  test('has a README whose programs run in another module', async () => {
    const sources = [...readFileSync(join(goFolder, 'README.md'), 'utf8').matchAll(/^```go\n(.*?)^```/gms)];
    const programs = Object.fromEntries(
      sources.map(([, source = ''], index) => [`program${index}`, toProgram(source)]),
    );
    assert.ok(sources.length >= 6);
    const { path } = temporaryFolder();
    await writeModule(path, programs);
    for (const name of Object.keys(programs)) assert.match(await go(['run', `./${name}`], path), /\w/, name);
  });

  test('uses an installed library', { skip: skipWithout(commandPart('pkg-config')) }, async () => {
    const { path: prefix } = temporaryFolder();
    const argv = ['install', `PREFIX=${prefix}`, `LIBRARY_DIR=${await nativeLibrary()}`];
    await run('make', argv, { cwd: join(repository, 'bindings/c') });
    assert.match(await goWithPkgConfig(['run', './examples/hello'], prefix), expected['hello'] ?? /^$/);
  });
});

/** Most programs of the README are only the inside of a function that has a context and a client. */
function toProgram(source: string): string {
  if (source.startsWith('package main')) return source;
  const packages = ['context', 'errors', 'fmt', 'log', 'time', 'simpleagents'];
  return [
    'package main',
    `import (${packages.map((name) => JSON.stringify(name)).join('; ')})`,
    'var _, _, _ = errors.New, log.Fatal, time.Second',
    'func run(ctx context.Context, client *simpleagents.Client) {',
    source.includes('client, err :=') ? '_ = client\n{' : '{',
    source,
    '}}',
    'func main() {',
    'client, err := simpleagents.NewClient("simulated", "")',
    'if err != nil { panic(err) }',
    'fmt.Println()',
    'run(context.Background(), client)',
    '}',
  ].join('\n');
}
