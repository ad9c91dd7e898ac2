// The tables a configuration file may have, and how each is written.

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
    name: 'network',
    form: 'single',
    description: 'How connections to providers are made. The paths are relative to the configuration file.',
  },
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
  {
    name: 'breaker',
    form: 'single',
    description: 'When a target that stalls or keeps failing gets no calls, and when it is probed.',
  },
  { name: 'cache', form: 'single', description: 'Answers that are kept, so that the same question is asked once.' },
  {
    name: 'server',
    form: 'single',
    description: 'The gateway over HTTP, `simple-agents serve`. Flags go before it.',
  },
  {
    name: 'server.keys',
    form: 'list',
    description:
      'One entry for each key that opens the gateway. Instead of it, `keys` in `[server]` lists hashes alone.',
  },
  {
    name: 'chat',
    form: 'single',
    description: 'The assistant at `POST /api/chat/stream` of the gateway, with tools of your own.',
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

export function headingOf({ name, form, entry: placeholder = 'NAME' }: Table, entry = placeholder): string {
  if (form === 'list') return `[[${name}]]`;
  if (form === 'single') return `[${name}]`;
  return `[${name}.${/^[\w-]+$/.test(entry) ? entry : JSON.stringify(entry)}]`;
}

/** Where a table is in a file: `server.keys` is below `server`. */
export function pathOf({ name }: Table): string[] {
  return name.split('.');
}

/** What a parsed file has in a table. A key that may also be a plain list is a table only when it holds tables. */
export function contentOf(table: Table, document: Readonly<Record<string, unknown>>): unknown {
  const [name = '', key] = pathOf(table);
  const content = document[name];
  if (key === undefined) return content;
  const value = isTable(content) ? content[key] : undefined;
  return holdsTables(value) ? value : undefined;
}

/** `[server.keys]`, which should have been `[[server.keys]]`, is meant as a table as well. */
export function holdsTables(value: unknown): boolean {
  return isTable(value) || (Array.isArray(value) && value.some(isTable));
}

/** A TOML table; a date is an object too, but not one of these. */
export function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
