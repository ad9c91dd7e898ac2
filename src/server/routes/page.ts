// `GET /`: a page that shows the gateway's state, its models and commands to try. It loads nothing from elsewhere, and its
// only script copies a command. If keys are required, a request without one sees no model names, and a wrong key is
// rejected as on every other route.

import type { ModelListing } from '../../core/model-listing.ts';
import { version } from '../../core/version.ts';
import type { Exchange } from '../http/exchange.ts';
import { policy, script, style } from '../page/assets.ts';
import { commandsFor, type ShownCommand } from '../page/commands.ts';
import type { HttpRoute } from './http-route.ts';
import type { ServerState } from '../server-state.ts';

export const page: HttpRoute = {
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

interface PageView {
  readonly origin: string;
  readonly models: readonly ModelListing[];
  readonly isKnown: boolean;
  readonly state: ServerState;
}

function render({ origin, models, isKnown, state }: PageView): string {
  const needsKey = !state.authentication.keys.isEmpty;
  const commands = commandsFor({ origin, needsKey, model: models[0]?.id ?? 'MODEL' });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>SimpleAgents gateway</title>
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>SimpleAgents gateway</h1>
<p>Version ${escape(version)}, ${state.isDraining ? 'shutting down: no new calls are accepted' : 'ready'}. ${escape(state.note ?? '')}</p>
<p>Point any OpenAI client at <code>${escape(origin)}/v1</code> and any Anthropic client at <code>${escape(origin)}</code>.
${needsKey ? 'A key is required, as a bearer token or as <code>x-api-key</code>.' : 'No key is required, and any key is accepted.'}</p>
<h2>Models</h2>
${isKnown ? modelTable(models) : '<p>Send a key to see the models.</p>'}
<h2>Try it</h2>
${needsKey ? '<p>Set your key first: <code>export KEY=…</code></p>' : ''}
${commands.map(commandBox).join('\n')}
<script>${script}</script>
</body></html>
`;
}

/** The button is hidden until the script runs, because it needs the script. */
function commandBox({ title, text }: ShownCommand): string {
  return `<section class="command"><header><h3>${escape(title)}</h3>
<button type="button" hidden aria-live="polite">Copy</button></header>
<pre>${escape(text)}</pre></section>`;
}

function modelTable(models: readonly ModelListing[]): string {
  const rows = models.map(({ id, provider, contextWindow, price }) => {
    const cost = price === undefined ? '' : `$${price.input} / $${price.output}`;
    return `<tr><td><code>${escape(id)}</code></td><td>${escape(provider)}</td><td>${contextWindow ?? ''}</td><td>${cost}</td></tr>`;
  });
  const head = '<tr><th>Name</th><th>Provider</th><th>Context</th><th>Price, in / out</th></tr>';
  return `<table>${head}${rows.join('')}</table>\n<p><small>Context is in tokens, prices are in US dollars per million tokens. A provider's other models can be called as <code>provider/model</code>.</small></p>`;
}

/** The origin as the client sees it. `Admission` has checked the host name. */
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
