// `GET /`: a page that says what is running and what to try. It loads nothing and runs nothing: its policy forbids it.
// Without a key, where keys are needed, it shows no names of models; a wrong key is refused as on every other route.

import { hash } from 'node:crypto';

import { version } from '../../core/version.ts';
import type { ModelListing } from '../../core/model-listing.ts';
import type { Exchange } from '../exchange.ts';
import type { Route } from '../route.ts';
import type { ServerState } from '../server-state.ts';

const style = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #1b1f24; }
  pre { background: #f3f4f6; padding: .75rem; overflow-x: auto; border-radius: .4rem; font-size: .85rem; }
  code, pre { font-family: ui-monospace, monospace; } table { border-collapse: collapse; }
  td, th { text-align: left; padding: .15rem 1rem .15rem 0; } small { color: #57606a; }
  @media (prefers-color-scheme: dark) { body { background: #0d1117; color: #e6edf3; } pre { background: #161b22; } }
`;

const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

export const page: Route = {
  method: 'GET',
  path: '/',
  access: 'open',
  async handle(exchange, state) {
    const { keys } = state.authentication;
    const isKnown = keys.check(exchange.request.headers) !== 'missing';
    if (isKnown) state.authentication.check(exchange, 'call');
    const models = isKnown ? await state.models() : [];
    exchange.send(200, render({ origin: originOf(exchange), models, isKnown, state }), {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    });
  },
};

interface View {
  readonly origin: string;
  readonly models: readonly ModelListing[];
  readonly isKnown: boolean;
  readonly state: ServerState;
}

function render({ origin, models, isKnown, state }: View): string {
  const key = state.authentication.keys.isEmpty ? '' : ` -H "authorization: Bearer $KEY"`;
  const first = models[0]?.id ?? 'MODEL';
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>SimpleAgents gateway</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>SimpleAgents gateway</h1>
<p>Version ${escape(version)}, ${state.isDraining ? 'ending: it takes no new calls' : 'ready'}. ${escape(state.note ?? '')}</p>
<p>Point any OpenAI client at <code>${escape(origin)}/v1</code> and any Anthropic client at <code>${escape(origin)}</code>.
${state.authentication.keys.isEmpty ? 'Any key will do: it asks for none.' : 'It asks for a key, as a bearer token or as <code>x-api-key</code>.'}</p>
<h2>Models</h2>
${isKnown ? modelTable(models) : '<p>Send a key to see them.</p>'}
<h2>Try</h2>
${commands(origin, key, first)
  .map(([title, command]) => `<p>${escape(title)}</p>\n<pre>${escape(command)}</pre>`)
  .join('\n')}
</body></html>
`;
}

function modelTable(models: readonly ModelListing[]): string {
  const rows = models.map(({ id, provider, contextWindow, price }) => {
    const cost = price === undefined ? '' : `$${price.input} / $${price.output}`;
    return `<tr><td><code>${escape(id)}</code></td><td>${escape(provider)}</td><td>${contextWindow ?? ''}</td><td>${cost}</td></tr>`;
  });
  const head = '<tr><th>name</th><th>provider</th><th>tokens it reads</th><th>per million tokens in / out</th></tr>';
  return `<table>${head}${rows.join('')}</table>\n<p><small>A provider answers to its other models too: <code>provider/model</code>.</small></p>`;
}

function commands(origin: string, key: string, model: string): [title: string, command: string][] {
  const json = ` -H 'content-type: application/json'`;
  const post = (path: string, body: object, more = ''): string =>
    `curl ${origin}${path}${key}${json}${more} -d '${JSON.stringify(body)}'`;
  const ask = { model, messages: [{ role: 'user', content: 'Count to 5' }] };
  const schema = {
    type: 'object',
    properties: { name: { type: 'string' }, age: { type: 'integer' } },
    required: ['name', 'age'],
  };
  const format = { type: 'json_schema', 'json_schema': { name: 'person', schema } };
  const versioned = ` -H 'anthropic-version: 2023-06-01'`;
  return [
    ['Ask, in OpenAI’s words', post('/v1/chat/completions', ask)],
    ['As a stream', post('/v1/chat/completions', { ...ask, stream: true }, ' -N')],
    [
      'An answer that fits a schema, whatever the model writes',
      post('/v1/chat/completions', { ...ask, 'response_format': format }),
    ],
    ['Ask, in Anthropic’s words', post('/v1/messages', { ...ask, 'max_tokens': 100 }, versioned)],
    ['How long a prompt is, about', post('/v1/messages/count_tokens', ask, versioned)],
    ['Ask the assistant, which has the tools of [chat]', post('/api/chat/stream', { messages: ask.messages }, ' -N')],
    ['What may be asked for', `curl ${origin}/v1/models${key}`],
    ['Mend a text that was meant to be JSON', post('/v1/heal', { text: '{name: "Ada", age: "36",', schema })],
    [
      'Whether it is alive, whether it takes calls, what it counts',
      `curl ${origin}/health\ncurl ${origin}/ready\ncurl ${origin}/metrics${key}`,
    ],
  ];
}

/** As the client calls us; its name was checked. */
function originOf({ request }: Exchange): string {
  return `http://${request.headers.host ?? '127.0.0.1'}`;
}

function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = {
    '&': '&amp;',
    '<': '&lt;',
    '>': '&gt;',
    '"': '&quot;',
    "'": '&#39;',
  };
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
