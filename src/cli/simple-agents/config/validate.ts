// `simple-agents config validate`: reports every problem in a file.

import { resolve } from 'node:path';
import { isConfigNamed } from '../../../config/find.ts';
import { parseConfig } from '../../../config/file-tier.ts';
import { displayPath, readConfigText } from '../../../config/load.ts';
import { pluginLoader } from '../../../config/plugin-loader.ts';
import type { Invocation } from '../../invocation.ts';
import { write } from '../../terminal/terminal.ts';
import { locateConfigFile } from './config-file.ts';

export async function validateConfig({ terminal }: Invocation, file?: string): Promise<number> {
  const { cwd, env, stdout } = terminal;
  const place = file === undefined ? await locateConfigFile({}, terminal) : undefined;
  if (place !== undefined && !place.isThere) {
    await write(stdout, 'no configuration file found; none is required\n');
    return 0;
  }
  const path = place?.path ?? resolve(cwd, file ?? '');
  const shown = displayPath(path, cwd);
  const isNamed = file !== undefined || isConfigNamed({ cwd, env });
  await parseConfig(await readConfigText(path, cwd), shown, { isNamed, loadPlugins: pluginLoader(path) });
  await write(stdout, `${shown} is valid\n`);
  return 0;
}
