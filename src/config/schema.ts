// Everything a configuration file may say, as one table of fields. Validation, defaults, suggestions, the
// types of the values and the reference in docs/configuration.md are all made from these rows: a new setting
// is a new row. Names are in snake_case here because they are the file's; in the program they are camelCase.

import type { Field, FieldValues } from './field.ts';
import { breakerFields } from './fields/breaker.ts';
import { cacheFields } from './fields/cache.ts';
import { chainsFields } from './fields/chains.ts';
import { chatFields } from './fields/chat.ts';
import { clientFields } from './fields/client.ts';
import { healingFields } from './fields/healing.ts';
import { modelsFields } from './fields/models.ts';
import { networkFields } from './fields/network.ts';
import { pricesFields } from './fields/prices.ts';
import { providersFields } from './fields/providers.ts';
import { proxyFields } from './fields/proxy.ts';
import { retryFields } from './fields/retry.ts';
import { routerFields } from './fields/router.ts';
import { serverFields } from './fields/server.ts';
import { serverKeysFields } from './fields/server-keys.ts';
import { timeoutsFields } from './fields/timeouts.ts';
import type { TableName } from './table.ts';

export const fields = [
  ...clientFields,
  ...timeoutsFields,
  ...proxyFields,
  ...networkFields,
  ...healingFields,
  ...cacheFields,
  ...serverFields,
  ...serverKeysFields,
  ...chatFields,
  ...routerFields,
  ...retryFields,
  ...breakerFields,
  ...providersFields,
  ...modelsFields,
  ...chainsFields,
  ...pricesFields,
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
  readonly network: Values<'network'>;
  readonly healing: Values<'healing'>;
  readonly router: Values<'router'>;
  readonly retry: Values<'retry'>;
  readonly breaker: Values<'breaker'>;
  readonly cache: Values<'cache'>;
  readonly server: Values<'server'>;
  readonly 'server.keys': readonly Values<'server.keys'>[];
  readonly chat: Values<'chat'>;
  readonly providers: readonly Values<'providers'>[];
  readonly models: Readonly<Record<string, Values<'models'>>>;
  readonly chains: readonly Values<'chains'>[];
  readonly prices: Readonly<Record<string, Values<'prices'>>>;
}
