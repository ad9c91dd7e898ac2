// The commands that the page shows. Each can be pasted into a POSIX shell.

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
    { title: 'Call a model in the OpenAI format', text: post('/v1/chat/completions', ask) },
    { title: 'Stream the response', text: post('/v1/chat/completions', { ...ask, stream: true }, '-N') },
    {
      title: 'Get JSON that fits a schema, healed if needed',
      text: post('/v1/chat/completions', { ...ask, 'response_format': format }),
    },
    {
      title: 'Call a model in the Anthropic format',
      text: post('/v1/messages', { ...ask, 'max_tokens': 100 }, versioned),
    },
    { title: 'Estimate the tokens of a prompt', text: post('/v1/messages/count_tokens', ask, versioned) },
    {
      title: 'Chat with the assistant and its tools, configured in [chat]',
      text: post('/api/chat/stream', { messages: ask.messages }, '-N'),
    },
    { title: 'List the models', text: get('/v1/models') },
    { title: 'Heal damaged JSON', text: post('/v1/heal', { text: '{name: "Ada", age: "36",', schema: person }) },
    { title: 'Check that the gateway is alive', text: `curl ${origin}/health` },
    { title: 'Check that it accepts calls', text: `curl ${origin}/ready` },
    { title: 'Show the metrics', text: get('/metrics') },
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

/** Quotes text for a POSIX shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
