// The commands that the page shows: each works as it is, in a POSIX shell.

export interface ShownCommand {
  readonly title: string;
  /** One command or several lines of them. */
  readonly text: string;
}

interface CommandSettings {
  readonly origin: string;
  readonly needsKey: boolean;
  readonly model: string;
}

export function commandsFor({ origin, needsKey, model }: CommandSettings): ShownCommand[] {
  const key = needsKey ? ['-H "authorization: Bearer $KEY"'] : [];
  const get = (path: string): string => inLines([`curl ${origin}${path}`, ...key]);
  const post = (path: string, body: object, ...more: string[]): string =>
    inLines([
      `curl ${origin}${path}`,
      ...key,
      `-H 'content-type: application/json'`,
      ...more,
      `-d ${quote(JSON.stringify(body))}`,
    ]);
  const ask = { model, messages: [{ role: 'user', content: 'Count to 5' }] };
  const versioned = `-H 'anthropic-version: 2023-06-01'`;
  return [
    { title: 'Ask, in the OpenAI format', text: post('/v1/chat/completions', ask) },
    { title: 'Ask, as a stream', text: post('/v1/chat/completions', { ...ask, stream: true }, '-N') },
    {
      title: 'An answer that fits a schema, healed if needed',
      text: post('/v1/chat/completions', { ...ask, 'response_format': format }),
    },
    { title: 'Ask, in the Anthropic format', text: post('/v1/messages', { ...ask, 'max_tokens': 100 }, versioned) },
    { title: 'Estimate the length of a prompt', text: post('/v1/messages/count_tokens', ask, versioned) },
    {
      title: 'Ask the assistant, with the tools of [chat]',
      text: post('/api/chat/stream', { messages: ask.messages }, '-N'),
    },
    { title: 'List the models', text: get('/v1/models') },
    { title: 'Heal damaged JSON', text: post('/v1/heal', { text: '{name: "Ada", age: "36",', schema: person }) },
    { title: 'Is it alive?', text: `curl ${origin}/health` },
    { title: 'Does it take calls?', text: `curl ${origin}/ready` },
    { title: 'Metrics', text: get('/metrics') },
  ];
}

const person = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};

const format = { type: 'json_schema', 'json_schema': { name: 'person', schema: person } };

function inLines(parts: readonly string[]): string {
  return parts.join(' \\\n  ');
}

/** For a shell: everything between single quotes is taken as it is. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
