// `simple-agents config path`: prints the path of the configuration file to stdout, for scripts, and the searched paths to
// stderr.

import { configCandidates, exists, type ConfigCandidate } from '../../../config/find.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { ConfigListFlags } from '../commands/config.ts';
import type { Invocation } from '../../invocation.ts';
import { painter, write } from '../../terminal/terminal.ts';

interface CheckedCandidate extends ConfigCandidate {
  readonly isThere: boolean;
}

export async function showPath({ terminal }: Invocation, { config, output }: ConfigListFlags): Promise<number> {
  const { cwd, env, stdout, stderr } = terminal;
  const candidates = configCandidates(omitUndefined({ explicit: config, cwd, env }));
  const looked = await Promise.all(
    candidates.map(async (candidate) => ({ ...candidate, isThere: await exists(candidate.path) })),
  );
  const used = looked.find(({ isThere }) => isThere);
  if (output === 'json') {
    const places = looked.map(({ path, variable, isThere }) => omitUndefined({ path, variable, exists: isThere }));
    await write(stdout, `${JSON.stringify({ file: used?.path ?? null, looked: places }, null, 2)}\n`);
    return 0;
  }
  if (used !== undefined) await write(stdout, `${used.path}\n`);
  const paint = painter(stderr, env);
  const lines = looked.map((place) => describe(place, place === used));
  const title = used === undefined ? 'no configuration file found; searched paths' : 'searched paths';
  await write(stderr, `${paint('dim', [`${title}:`, ...lines].join('\n'))}\n`);
  return 0;
}

function describe({ path, variable, isThere }: CheckedCandidate, isUsed: boolean): string {
  const source = variable === undefined ? '' : ` (set by ${variable})`;
  const state = isUsed ? 'used' : isThere ? 'exists, but an earlier one is used' : 'not found';
  return `  ${path}${source}: ${state}`;
}
