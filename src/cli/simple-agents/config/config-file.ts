// The file that a `config` command works on: the one in use, or else the first path where it would be found.

import { configCandidates, exists } from '../../../config/find.ts';
import { displayPath } from '../../../config/load.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { FileFlags } from '../commands/config.ts';
import type { Terminal } from '../../terminal/terminal.ts';

export interface ConfigFile {
  readonly path: string;
  /** The name for messages. */
  readonly shown: string;
  readonly isThere: boolean;
}

export async function locateConfigFile({ config }: FileFlags, { cwd, env }: Terminal): Promise<ConfigFile> {
  const candidates = configCandidates(omitUndefined({ explicit: config, cwd, env }));
  for (const { path } of candidates) if (await exists(path)) return toConfigFile(path, cwd, true);
  return toConfigFile(candidates[0]?.path ?? '', cwd, false);
}

function toConfigFile(path: string, cwd: string, isThere: boolean): ConfigFile {
  return { path, shown: displayPath(path, cwd), isThere };
}
