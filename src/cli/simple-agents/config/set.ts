// `simple-agents config set`: changes one setting. The file is written only if the result is valid.

import { editSetting } from '../../../config/edit.ts';
import { parseConfig } from '../../../config/file-tier.ts';
import { readConfigText } from '../../../config/load.ts';
import { pluginLoader } from '../../../config/plugin-loader.ts';
import { replaceFile } from '../../../config/replace-file.ts';
import { parseCliValue, parseSettingPath } from '../../../config/setting-path.ts';
import type { FileFlags } from '../commands/config.ts';
import type { Invocation } from '../../invocation.ts';
import { write } from '../../terminal/terminal.ts';
import { locateConfigFile } from './config-file.ts';

export async function setConfig(
  { terminal }: Invocation,
  setting: string,
  words: readonly string[],
  flags: FileFlags,
): Promise<number> {
  const path = parseSettingPath(setting);
  const value = await parseCliValue(words, path.field);
  const { path: file, shown, isThere } = await locateConfigFile(flags, terminal);
  const text = isThere ? await readConfigText(file, terminal.cwd) : '';
  const edited = await editSetting(text, path, value, shown);
  await parseConfig(edited, shown, { loadPlugins: pluginLoader(file) });
  await replaceFile(file, edited);
  await write(terminal.stdout, `${setting} = ${JSON.stringify(value)} in ${shown}${isThere ? '' : ', a new file'}\n`);
  return 0;
}
