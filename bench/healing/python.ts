// Python's json_repair in a process of its own, if `python3` has it. With a schema it runs in "salvage", its most
// forgiving mode, which also needs the jsonschema package.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

import { judge, type Outcome, type HealRun } from '../../test/support/damage/score.ts';
import type { PeerLoader } from './peer.ts';

const script = `
import json, sys
import json_repair
try:
    import jsonschema
    typed = True
except ImportError:
    typed = False
print(json.dumps({"typed": typed}))
for line in sys.stdin:
    run = json.loads(line)
    try:
        options = {"schema": run["schema"], "schema_repair_mode": "salvage"} if typed and run.get("schema") else {}
        print(json.dumps({"value": json_repair.loads(run["text"], **options)}, allow_nan=False))
    except Exception as error:
        print(json.dumps({"error": str(error)[:200]}))
`;

export function loadJsonRepair(python: string): PeerLoader {
  return async () => {
    const [probe] = await runScript(python, '');
    if (probe === undefined) return `json_repair: not installed for ${python}`;
    const { typed } = JSON.parse(probe) as { typed: boolean };
    return { name: 'json_repair (Python)', takesSchema: typed, heal: async (runs) => healAll(python, runs) };
  };
}

async function healAll(python: string, runs: readonly HealRun[]): Promise<Outcome[]> {
  const input = runs.map(({ damaged, isTyped }) =>
    JSON.stringify({ text: damaged.text, ...(isTyped ? { schema: damaged.schema } : {}) }),
  );
  const [, ...lines] = await runScript(python, input.join('\n'));
  return runs.map(({ damaged }, index) => {
    const answer = JSON.parse(lines[index] ?? '{"error": "no answer"}') as { value?: unknown; error?: string };
    if (answer.error !== undefined) return { verdict: 'refused', message: answer.error };
    return judge(damaged.accepted, { value: answer.value });
  });
}

/** The lines it prints; none if Python or the package is missing. */
async function runScript(python: string, input: string): Promise<string[]> {
  const child = spawn(python, ['-c', script], { stdio: ['pipe', 'pipe', 'ignore'] });
  const isStarted = once(child, 'spawn').then(
    () => true,
    () => false,
  );
  if (!(await isStarted)) return [];
  child.stdin.on('error', () => undefined).end(input);
  const output = await text(child.stdout);
  return output === '' ? [] : output.trim().split('\n');
}
