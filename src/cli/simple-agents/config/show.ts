// `simple-agents config show`: prints every setting with its effective value and origin. API keys are masked.

import { explainSettings, type ExplainedSetting, type SettingOrigin } from '../../../config/explain.ts';
import { loadSettings } from '../../../config/load.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { ConfigListFlags } from '../commands/config.ts';
import type { Invocation } from '../../invocation.ts';
import { formatTable, type Column } from '../../terminal/table.ts';
import { painter, widthOf, write, type Paint } from '../../terminal/terminal.ts';

export async function showConfig({ terminal }: Invocation, { config, output }: ConfigListFlags): Promise<number> {
  const { cwd, env, stdout } = terminal;
  const settings = await loadSettings(omitUndefined({ path: config, cwd, env }));
  const rows = await explainSettings(settings, env, cwd);
  const paint = painter(stdout, env);
  const text =
    output === 'json'
      ? `${JSON.stringify({ file: settings.file ?? null, settings: rows }, null, 2)}\n`
      : formatTable(rows, columns(paint), widthOf(stdout));
  await write(stdout, text);
  return 0;
}

function columns(paint: Paint): Column<ExplainedSetting>[] {
  return [
    { title: 'SETTING', cell: ({ path }) => path },
    { title: 'VALUE', cell: (row) => describeValue(row, paint) },
    { title: 'FROM', cell: ({ origin }) => describeOrigin(origin, paint) },
  ];
}

function describeValue({ value, otherwise = '' }: ExplainedSetting, paint: Paint): string {
  return value === undefined ? paint('dim', `(${otherwise.replaceAll('`', '')})`) : JSON.stringify(value);
}

function describeOrigin(origin: SettingOrigin, paint: Paint): string {
  if (origin.type === 'default') return paint('dim', 'default');
  if (origin.type === 'environment') return `environment ${origin.variable}`;
  return origin.line === undefined ? origin.file : `${origin.file}:${origin.line}`;
}
