// Python's json_repair, in one process of its own, where `python3` has it. With a schema it is run as it says itself
// ("salvage" is its most forgiving mode), which needs the jsonschema package too.

import { spawnSync } from 'node:child_process';

import { judge, type Outcome, type Run } from '../../test/damage/score.ts';
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
    const [probe] = runScript(python, '');
    if (probe === undefined) return `json_repair: not installed for ${python}`;
    const { typed } = JSON.parse(probe) as { typed: boolean };
    return { name: 'json_repair (Python)', takesSchema: typed, heal: async (runs) => healAll(python, runs) };
  };
}

function healAll(python: string, runs: readonly Run[]): Outcome[] {
  const input = runs.map(({ damaged, isTyped }) =>
    JSON.stringify({ text: damaged.text, ...(isTyped ? { schema: damaged.schema } : {}) }),
  );
  const [, ...lines] = runScript(python, input.join('\n'));
  return runs.map(({ damaged }, index) => {
    const answer = JSON.parse(lines[index] ?? '{"error": "no answer"}') as { value?: unknown; error?: string };
    if (answer.error !== undefined) return { verdict: 'refused', message: answer.error };
    return judge(damaged.accepted, { value: answer.value });
  });
}

function runScript(python: string, input: string): string[] {
  const { status, stdout } = spawnSync(python, ['-c', script], { input, encoding: 'utf8', maxBuffer: 2 ** 30 });
  return status === 0 ? stdout.trim().split('\n') : [];
}
