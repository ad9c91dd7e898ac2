// `simple-agents models`: lists the configured models with their context windows and prices.

import type { Command } from 'commander';
import type { ModelListing } from '../../../core/model-listing.ts';
import { describeDefault, nameOf, type DefaultModel } from '../default-model.ts';
import { formatOf, jsonOption, outputOption, type FormatFlags } from '../../flags.ts';
import type { Invocation, Run } from '../../invocation.ts';
import { formatTable, type Column } from '../../terminal/table.ts';
import { painter, widthOf, write, type Paint, type Terminal } from '../../terminal/terminal.ts';

interface ModelsFlags extends FormatFlags {
  readonly config?: string;
}

export function registerModels(program: Command, run: Run): void {
  program
    .command('models')
    .description('list the configured models with context window and price')
    .option('--config <file>', 'the configuration file to use')
    .addOption(outputOption())
    .addOption(jsonOption())
    .addHelpText('after', examples)
    .action((flags: ModelsFlags) => run((invocation) => showModels(flags, invocation), formatOf(flags)));
}

const examples = `
Examples:
  simple-agents models
  simple-agents models --json

You can also call other models of a provider, as provider/model. Prices are in US dollars per million tokens.`;

async function showModels(flags: ModelsFlags, { terminal }: Invocation): Promise<number> {
  const { loadFlagSettings } = await import('../connect.ts');
  const { explainDefault } = await import('../default-model.ts');
  const { listModels } = await import('../../../gateway/routing/model-list.ts');
  const { loadPriceBook } = await import('../../../prices/price.ts');
  const settings = await loadFlagSettings(flags, terminal);
  const models = listModels(settings, await loadPriceBook(settings));
  const fallback = explainDefault(settings, terminal.cwd);
  const shown = formatOf(flags) === 'json' ? toJson(models, fallback) : toText(models, fallback, terminal);
  await write(terminal.stdout, shown);
  return 0;
}

function toJson(models: readonly ModelListing[], { target }: DefaultModel): string {
  return `${JSON.stringify({ models, default: target === undefined ? null : nameOf(target) }, null, 2)}\n`;
}

function toText(models: readonly ModelListing[], fallback: DefaultModel, { stdout, env }: Terminal): string {
  const table = formatTable(models, columns(fallback, painter(stdout, env)), widthOf(stdout));
  return `${table}\n${describeDefault(fallback)}\nPrices are in US dollars per million tokens.\n`;
}

function columns({ target }: DefaultModel, paint: Paint): Column<ModelListing>[] {
  const fallback = target === undefined ? undefined : nameOf(target);
  return [
    { title: '', cell: ({ id }) => (id === fallback ? '*' : ' ') },
    { title: 'MODEL', cell: ({ id }) => paint('bold', id) },
    { title: 'PROVIDER', cell: ({ provider }) => provider, dispensable: 1 },
    { title: 'CONTEXT', cell: ({ contextWindow }) => contextWindow?.toString() ?? '-' },
    { title: 'INPUT', cell: ({ price }) => dollars(price?.input) },
    { title: 'OUTPUT', cell: ({ price }) => dollars(price?.output) },
  ];
}

function dollars(rate: number | undefined): string {
  return rate === undefined ? '-' : `$${rate}`;
}
