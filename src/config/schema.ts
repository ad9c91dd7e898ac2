// Everything a configuration file may say, as one table of fields. Validation, defaults, suggestions, the
// types of the values and the reference in docs/configuration.md are all made from these rows: a new setting
// is a new row. Names are in snake_case here because they are the file's; in the program they are camelCase.

import { strategyNames } from '../gateway/strategy.ts';
import { vendors } from '../providers/vendors.ts';
import {
  areDigests,
  areErrorKinds,
  areHeaders,
  areHosts,
  areOrigins,
  areTargets,
  isAddressVariable,
  isDeadline,
  areWeights,
  isAtLeastOne,
  isAboveZero,
  isFilled,
  isLasting,
  isNotNegative,
  isPlainUrl,
  isPort,
  isPositive,
  isProviderName,
  isRate,
  isShare,
  isSomeTime,
  isTimer,
  isVariableName,
  type Rule,
} from './rules.ts';

export interface Table {
  readonly name: string;
  /** `[client]`, `[[providers]]` or `[models.NAME]`. */
  readonly form: 'single' | 'list' | 'named';
  /** What stands for the name in `[models.NAME]`, where it is not just any. */
  readonly entry?: string;
  readonly description: string;
}

export const tables = [
  { name: 'client', form: 'single', description: 'What a call uses when it does not say otherwise.' },
  { name: 'timeouts', form: 'single', description: 'How long the parts of a call may take; `"0s"` means no limit.' },
  { name: 'proxy', form: 'single', description: 'The way out to the network.' },
  {
    name: 'healing',
    form: 'single',
    description: 'How typed answers and tool-call arguments are mended when a model damages them.',
  },
  {
    name: 'router',
    form: 'single',
    description: 'How one of several targets is chosen, and what happens when it fails.',
  },
  {
    name: 'retry',
    form: 'single',
    description: 'Trying again at the same target, while nothing has come of the answer.',
  },
  { name: 'breaker', form: 'single', description: 'Leaving a target alone for a while that keeps failing.' },
  { name: 'cache', form: 'single', description: 'Answers that are kept, so that the same question is asked once.' },
  {
    name: 'server',
    form: 'single',
    description: 'The gateway over HTTP, `simple-agents serve`. Flags go before it.',
  },
  {
    name: 'providers',
    form: 'list',
    description: 'One entry for each provider; the order is the order of preference.',
  },
  { name: 'models', form: 'named', description: 'Names of your own for models: ask for NAME, get one of its targets.' },
  { name: 'chains', form: 'list', description: 'Where the calls of a model go on when they fail.' },
  {
    name: 'prices',
    form: 'named',
    entry: 'provider/model',
    description: 'What a model costs, in US dollars for a million tokens, where the built-in list is not right.',
  },
] as const satisfies readonly Table[];

export type TableName = (typeof tables)[number]['name'];

export interface KnownTable extends Table {
  readonly name: TableName;
}

/** What each type of field is in the program. */
interface FieldValues {
  string: string;
  boolean: boolean;
  integer: number;
  number: number;
  /** Written as "30s", kept in milliseconds. */
  duration: number;
  /** Written as "64MB", kept in bytes. */
  size: number;
  URL: string;
  /** Written relative to the file it stands in. */
  path: string;
  choice: string;
  'list of strings': readonly string[];
  'list of numbers': readonly number[];
  'map of strings': Readonly<Record<string, string>>;
}
export type FieldType = keyof FieldValues;

interface FieldOf<T extends FieldType> {
  readonly table: TableName;
  readonly key: string;
  readonly type: T;
  /** One line, also for the reference. */
  readonly description: string;
  readonly required?: true;
  /** As it would be written in the file. */
  readonly default?: string | number | boolean;
  /** What holds without the field, where that is not one fixed value. */
  readonly otherwise?: string;
  /** The values of a choice. */
  readonly choices?: readonly string[];
  /** The providers the field means something to. */
  readonly only?: 'remote' | 'simulated';
  readonly rule?: Rule<FieldValues[T]>;
}
export type Field = { [T in FieldType]: FieldOf<T> }[FieldType];

export const simulatedType = 'simulated';
export const providerTypes = [...vendors.map(({ name }) => name), simulatedType];

/** The vendors that are somewhere by themselves; the others are protocols that any server may speak. */
export const placedVendors = vendors.filter(({ baseUrl }) => baseUrl !== undefined);

export const fields = [
  {
    table: 'client',
    key: 'default_model',
    type: 'string',
    description: 'The model of a call that names none: an alias, `provider/model`, or a model’s own name.',
    otherwise: 'that of the default provider, else of the first',
    rule: isFilled,
  },
  {
    table: 'client',
    key: 'default_provider',
    type: 'string',
    description: 'The provider of a model name that nothing else decides.',
    rule: isProviderName,
  },
  {
    table: 'client',
    key: 'default_timeout',
    type: 'duration',
    description: 'Bounds the wait for the first token of a stream, and the whole of a call that is not streamed.',
    otherwise: '`120s` for a stream, `30s` for a whole call',
    rule: isTimer,
  },
  {
    table: 'client',
    key: 'max_tokens',
    type: 'integer',
    description: 'The longest answer of a call that sets no limit, in tokens.',
    otherwise: 'the provider’s own limit',
    rule: isPositive,
  },
  {
    table: 'timeouts',
    key: 'connect',
    type: 'duration',
    description: 'Until the connection stands.',
    default: '10s',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'first_token',
    type: 'duration',
    description: 'Until a stream’s first content; goes before `default_timeout`.',
    default: '120s',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'idle',
    type: 'duration',
    description: 'Between two pieces of a stream’s content; keep-alive signals do not count.',
    default: '90s',
    rule: isTimer,
  },
  {
    table: 'timeouts',
    key: 'total',
    type: 'duration',
    description: 'The whole of a call, streamed or not; goes before `default_timeout`.',
    otherwise: 'none for a stream, `30s` for a whole call',
    rule: isTimer,
  },
  {
    table: 'proxy',
    key: 'http',
    type: 'URL',
    description:
      'The proxy, for `https` addresses too when `https` is not set. The variable `HTTP_PROXY` goes before it.',
    otherwise: 'none',
    rule: isPlainUrl,
  },
  {
    table: 'proxy',
    key: 'https',
    type: 'URL',
    description: 'The proxy for `https` addresses. The variable `HTTPS_PROXY` goes before it.',
    otherwise: 'as `http`',
    rule: isPlainUrl,
  },
  {
    table: 'proxy',
    key: 'no_proxy',
    type: 'list of strings',
    description: 'Hosts that are reached without the proxy. The variable `NO_PROXY` goes before it.',
    otherwise: 'none',
  },
  {
    table: 'healing',
    key: 'enabled',
    type: 'boolean',
    description: 'Mend at all; without, an answer that is not exactly what was asked for is an error.',
    default: true,
  },
  {
    table: 'healing',
    key: 'strict_mode',
    type: 'boolean',
    description: 'Any change is an error that tells the change.',
    default: false,
  },
  {
    table: 'healing',
    key: 'allow_type_coercion',
    type: 'boolean',
    description: 'Turn values into the type the schema wants, such as `"5"` into `5`.',
    default: true,
  },
  {
    table: 'healing',
    key: 'min_confidence',
    type: 'number',
    description: 'From 0 to 1: a value less sure than this is an error that carries the value.',
    default: 0.7,
    rule: isShare,
  },
  {
    table: 'cache',
    key: 'enabled',
    type: 'boolean',
    description: 'Keep answers, and share those under way; a call may say otherwise.',
    default: false,
  },
  {
    table: 'cache',
    key: 'backend',
    type: 'choice',
    description: 'Where answers are kept: in this process, or in Redis for many.',
    default: 'memory',
    choices: ['memory', 'redis'],
  },
  {
    table: 'cache',
    key: 'ttl',
    type: 'duration',
    description: 'How long an answer is kept.',
    default: '1h',
    rule: isSomeTime,
  },
  {
    table: 'cache',
    key: 'max_size',
    type: 'size',
    description: 'For `memory`: how much all answers together may take; those used longest ago go first.',
    default: '64MB',
    rule: isPositive,
  },
  {
    table: 'cache',
    key: 'url_env',
    type: 'string',
    description: 'For `redis`: the environment variable that holds its address, such as `redis://127.0.0.1:6379`.',
    default: 'REDIS_URL',
    rule: isAddressVariable,
  },
  {
    table: 'cache',
    key: 'timeout',
    type: 'duration',
    description: 'For `redis`: how long an operation may take; then the model is asked.',
    default: '50ms',
    rule: isDeadline,
  },
  {
    table: 'server',
    key: 'host',
    type: 'string',
    description: 'The address to listen on. One that other machines reach needs `keys`.',
    default: '127.0.0.1',
    rule: isFilled,
  },
  {
    table: 'server',
    key: 'port',
    type: 'integer',
    description: 'The port to listen on; 0 takes any free one.',
    default: 4000,
    rule: isPort,
  },
  {
    table: 'server',
    key: 'keys',
    type: 'list of strings',
    description: 'The SHA-256 of each key that opens the server, in hexadecimal. Without any, no key is asked for.',
    otherwise: 'none',
    rule: areDigests,
  },
  {
    table: 'server',
    key: 'cors_origins',
    type: 'list of strings',
    description: 'Origins whose pages may call it, such as `https://app.example.com`.',
    otherwise: 'none',
    rule: areOrigins,
  },
  {
    table: 'server',
    key: 'allowed_hosts',
    type: 'list of strings',
    description: 'Names it may be called by, beside `localhost`; without a port.',
    otherwise: 'any, where there are keys and it listens to other machines',
    rule: areHosts,
  },
  {
    table: 'server',
    key: 'body_limit',
    type: 'size',
    description: 'The largest body of a request.',
    default: '32MB',
    rule: isPositive,
  },
  {
    table: 'server',
    key: 'request_timeout',
    type: 'duration',
    description: 'How long a request may take to arrive.',
    default: '2m',
    rule: isDeadline,
  },
  {
    table: 'server',
    key: 'keep_alive',
    type: 'duration',
    description: 'The longest silence in a stream; then a comment is sent, which clients skip.',
    default: '15s',
    rule: isTimer,
  },
  {
    table: 'server',
    key: 'drain',
    type: 'duration',
    description: 'How long calls under way may go on when the server is told to end.',
    default: '30s',
    rule: isTimer,
  },
  {
    table: 'server',
    key: 'log_level',
    type: 'choice',
    description: 'What is written to stderr, a line of JSON each. Prompts and answers never are.',
    default: 'info',
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
  },
  {
    table: 'server',
    key: 'otlp_endpoint',
    type: 'URL',
    description: 'Where traces go, such as `http://127.0.0.1:4318/v1/traces`.',
    otherwise: 'nowhere',
    rule: isPlainUrl,
  },
  {
    table: 'router',
    key: 'strategy',
    type: 'choice',
    description: 'Which target is asked first.',
    default: 'priority',
    choices: strategyNames,
  },
  {
    table: 'router',
    key: 'fallback_enabled',
    type: 'boolean',
    description: 'Ask the next target when one fails before anything came.',
    default: true,
  },
  {
    table: 'router',
    key: 'fallback_on',
    type: 'list of strings',
    description: 'The kinds of errors after which the next target is asked.',
    otherwise: 'every kind but `bad-request`, `healing`, `configuration` and `internal`',
    rule: areErrorKinds,
  },
  {
    table: 'router',
    key: 'on_cut',
    type: 'choice',
    description: 'What becomes of a text that is cut in the middle: an error, or another target goes on with it.',
    default: 'fail',
    choices: ['fail', 'continue'],
  },
  {
    table: 'retry',
    key: 'max_attempts',
    type: 'integer',
    description: 'Calls at one target in all; 1 means none is made again.',
    default: 3,
    rule: isPositive,
  },
  {
    table: 'retry',
    key: 'initial_backoff',
    type: 'duration',
    description: 'The pause before the second call.',
    default: '100ms',
    rule: isTimer,
  },
  {
    table: 'retry',
    key: 'multiplier',
    type: 'number',
    description: 'How much longer each further pause is.',
    default: 2,
    rule: isAtLeastOne,
  },
  {
    table: 'retry',
    key: 'max_backoff',
    type: 'duration',
    description: 'The longest pause.',
    default: '10s',
    rule: isTimer,
  },
  {
    table: 'retry',
    key: 'jitter',
    type: 'boolean',
    description: 'Spread each pause by ±30 %, so that clients that failed together do not come back together.',
    default: true,
  },
  {
    table: 'retry',
    key: 'retryable_errors',
    type: 'list of strings',
    description: 'The kinds of errors after which a call is made again.',
    otherwise: '`rate-limit`, `overloaded`, `upstream`, `network`, `timeout`',
    rule: areErrorKinds,
  },
  {
    table: 'retry',
    key: 'max_retry_after',
    type: 'duration',
    description: 'A provider that asks for a longer pause is not waited for: the call goes on elsewhere, or fails.',
    default: '60s',
    rule: isTimer,
  },
  {
    table: 'retry',
    key: 'budget',
    type: 'number',
    description: 'Retries at one target as a part, from 0 to 1, of its calls of the last 10 s.',
    default: 0.1,
    rule: isShare,
  },
  {
    table: 'retry',
    key: 'budget_reserve',
    type: 'integer',
    description: 'Retries at one target in 10 s that are allowed however few calls there are.',
    default: 10,
    rule: isNotNegative,
  },
  {
    table: 'breaker',
    key: 'enabled',
    type: 'boolean',
    description: 'Leave failing targets alone at all.',
    default: true,
  },
  {
    table: 'breaker',
    key: 'window',
    type: 'duration',
    description: 'How far back calls are counted.',
    default: '30s',
    rule: isLasting,
  },
  {
    table: 'breaker',
    key: 'failure_ratio',
    type: 'number',
    description: 'From 0 to 1: the part of these calls that must have failed.',
    default: 0.5,
    rule: isShare,
  },
  {
    table: 'breaker',
    key: 'min_calls',
    type: 'integer',
    description: 'Of fewer calls nothing is concluded.',
    default: 10,
    rule: isPositive,
  },
  {
    table: 'breaker',
    key: 'open_for',
    type: 'duration',
    description: 'How long the target is left alone before it is tried again.',
    default: '15s',
    rule: isLasting,
  },
  {
    table: 'breaker',
    key: 'probes',
    type: 'integer',
    description: 'How many calls must then go well.',
    default: 2,
    rule: isPositive,
  },
  {
    table: 'providers',
    key: 'type',
    type: 'choice',
    description: 'Which service it is.',
    required: true,
    choices: providerTypes,
  },
  {
    table: 'providers',
    key: 'name',
    type: 'string',
    description: 'What stands before the slash in `provider/model`; no two providers share one.',
    otherwise: 'the type',
    rule: isProviderName,
  },
  {
    table: 'providers',
    key: 'model',
    type: 'string',
    description: 'The model when a call names only the provider.',
    otherwise: 'the first of `models`, else one of the vendor’s',
    rule: isFilled,
  },
  {
    table: 'providers',
    key: 'models',
    type: 'list of strings',
    description: 'Further models this provider answers for when a call names the model alone.',
    otherwise: 'none',
  },
  {
    table: 'providers',
    key: 'api_key_env',
    type: 'string',
    description: 'The environment variable that holds the key. The key itself never stands in the file.',
    otherwise: 'the vendor’s own variable',
    only: 'remote',
    rule: isVariableName,
  },
  {
    table: 'providers',
    key: 'base_url',
    type: 'URL',
    description: 'Where the service is; required for the `…-compatible` types.',
    otherwise: 'the vendor’s own address',
    only: 'remote',
    rule: isPlainUrl,
  },
  {
    table: 'providers',
    key: 'headers',
    type: 'map of strings',
    description: 'Headers sent with every call; none that carries a key.',
    otherwise: 'none',
    only: 'remote',
    rule: areHeaders,
  },
  {
    table: 'providers',
    key: 'timeout',
    type: 'duration',
    description: 'As `default_timeout`, for this provider; goes before it and before `[timeouts]`.',
    otherwise: '`default_timeout`',
    only: 'remote',
    rule: isTimer,
  },
  {
    table: 'providers',
    key: 'heal_tools',
    type: 'boolean',
    description: 'The server sends tool-call arguments when they are whole and healed, instead of as they come.',
    otherwise: '`false` for vendors that see to it themselves (`openai`, `anthropic`), else `true`',
  },
  {
    table: 'providers',
    key: 'max_retries',
    type: 'integer',
    description: 'Calls after the first, at this provider; goes before `max_attempts` in `[retry]`.',
    otherwise: '`max_attempts` less one',
    rule: isNotNegative,
  },
  {
    table: 'providers',
    key: 'weight',
    type: 'number',
    description: 'Its part of the calls when the strategy is `weighted`.',
    default: 1,
    rule: isAboveZero,
  },
  {
    table: 'providers',
    key: 'seed',
    type: 'integer',
    description: 'The same seed gives the same answers, another seed others.',
    otherwise: 'a fixed seed',
    only: 'simulated',
  },
  {
    table: 'providers',
    key: 'script',
    type: 'path',
    description: 'A file of replies for the simulated model, relative to the configuration file.',
    otherwise: 'none',
    only: 'simulated',
    rule: isFilled,
  },
  {
    table: 'models',
    key: 'targets',
    type: 'list of strings',
    description: 'A list of `provider/model`, not empty; the strategy chooses, and the others stand by.',
    required: true,
    rule: areTargets,
  },
  {
    table: 'prices',
    key: 'input',
    type: 'number',
    description: 'What is asked, as far as the prompt cache neither served nor stored it.',
    otherwise: 'as listed',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'output',
    type: 'number',
    description: 'What is answered.',
    otherwise: 'as listed',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'cache_read',
    type: 'number',
    description: 'What the prompt cache served.',
    otherwise: 'as listed, else as `input`',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'cache_write',
    type: 'number',
    description: 'What the prompt cache stored.',
    otherwise: 'as listed, else as `input`',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'reasoning',
    type: 'number',
    description: 'The part of the answer that is reasoning.',
    otherwise: 'as listed, else as `output`',
    rule: isRate,
  },
  {
    table: 'prices',
    key: 'context_window',
    type: 'integer',
    description: 'How many tokens the model can read at once.',
    otherwise: 'as listed',
    rule: isPositive,
  },
  {
    table: 'models',
    key: 'strategy',
    type: 'choice',
    description: 'Which target is asked first.',
    otherwise: 'that of `[router]`',
    choices: strategyNames,
  },
  {
    table: 'models',
    key: 'weights',
    type: 'list of numbers',
    description: 'One for each target: its part of the calls when the strategy is `weighted`.',
    otherwise: 'the `weight` of each provider',
    rule: areWeights,
  },
  {
    table: 'chains',
    key: 'model',
    type: 'string',
    description: 'The model whose calls these are: an alias, `provider/model`, or a model’s own name.',
    otherwise: 'the default model',
    rule: isFilled,
  },
  {
    table: 'chains',
    key: 'targets',
    type: 'list of strings',
    description: 'A list of `provider/model`, in the order they are asked.',
    required: true,
    rule: areTargets,
  },
  {
    table: 'chains',
    key: 'fallback_on',
    type: 'list of strings',
    description: 'The kinds of errors after which the next is asked.',
    otherwise: 'that of `[router]`',
    rule: areErrorKinds,
  },
] as const satisfies readonly Field[];

/** Keys people try that must not work, and what to do instead. */
export const refusedKeys: readonly { readonly table: TableName; readonly key: string; readonly advice: string }[] = [
  {
    table: 'cache',
    key: 'url',
    advice: 'the address may hold a password; put it in an environment variable and name that with url_env',
  },
  {
    table: 'providers',
    key: 'api_key',
    advice: 'a key does not belong in this file; put it in an environment variable and name that with api_key_env',
  },
];

export function fieldsOf(table: TableName): readonly Field[] {
  return fields.filter((field) => field.table === table);
}

export function headingOf({ name, form, entry: placeholder = 'NAME' }: Table, entry = placeholder): string {
  if (form === 'list') return `[[${name}]]`;
  if (form === 'single') return `[${name}]`;
  return `[${name}.${/^[\w-]+$/.test(entry) ? entry : JSON.stringify(entry)}]`;
}

type CamelCase<Key extends string> = Key extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Key;

export function toCamelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

type Row = (typeof fields)[number];
type RowsOf<T extends TableName> = Extract<Row, { readonly table: T }>;
type ValuesOf<Rows extends Row> = { readonly [R in Rows as CamelCase<R['key']>]: FieldValues[R['type']] };

/** What one table of a valid file says. */
export type Values<T extends TableName> = ValuesOf<Extract<RowsOf<T>, { readonly required: true }>> &
  Partial<ValuesOf<Exclude<RowsOf<T>, { readonly required: true }>>>;

/** The values that hold when nobody says anything. */
export type Defaults<T extends TableName> = ValuesOf<Extract<RowsOf<T>, { readonly default: unknown }>>;

/** What a valid file says. */
export interface FileValues {
  readonly client: Values<'client'>;
  readonly timeouts: Values<'timeouts'>;
  readonly proxy: Values<'proxy'>;
  readonly healing: Values<'healing'>;
  readonly router: Values<'router'>;
  readonly retry: Values<'retry'>;
  readonly breaker: Values<'breaker'>;
  readonly cache: Values<'cache'>;
  readonly server: Values<'server'>;
  readonly providers: readonly Values<'providers'>[];
  readonly models: Readonly<Record<string, Values<'models'>>>;
  readonly chains: readonly Values<'chains'>[];
  readonly prices: Readonly<Record<string, Values<'prices'>>>;
}
