// Connect: the lines for each client, and a check that waits for its first call.

import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { needsKey } from '../app/access.ts';
import { models, note } from '../app/gateway.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { formatDuration } from '../kit/format.ts';
import { calls, state } from '../live/feed.ts';
import { clients } from './clients.ts';

const chosen = signal(0);
const openedAt = signal(0);

/** The first call since the view was opened. Other views make no calls meanwhile. */
const received = computed(() => calls.value.findLast(({ startedAt }) => startedAt >= openedAt.value));

export function ConnectView() {
  useEffect(() => {
    openedAt.value = Date.now();
  }, []);
  const client = clients[chosen.value] ?? clients[0];
  const key = needsKey.value ? 'YOUR_KEY' : 'any';
  const text = client.lines({ origin: location.origin, key, model: models.value[0]?.id ?? 'simulated' });
  return (
    <div class="connect">
      <header>
        <h1>Connect a client</h1>
        <p class="hint">
          OpenAI clients: <code>{location.origin}/v1</code>. Anthropic clients: <code>{location.origin}</code>.{' '}
          {needsKey.value ? 'Use a key of this gateway.' : 'Any key is accepted.'}
        </p>
        {note !== '' && <p class="hint">{note}</p>}
      </header>
      <div class="connect-body">
        <nav class="card clients" aria-label="Clients">
          {clients.map(({ name, language }, index) => (
            <button
              key={`${name} ${language}`}
              class="quiet"
              aria-current={chosen.value === index ? 'true' : undefined}
              onClick={() => {
                chosen.value = index;
              }}
            >
              {name}
              <small>{language}</small>
            </button>
          ))}
        </nav>
        <section class="card lines" aria-label={`${client.name}, ${client.language}`}>
          {client.install !== undefined && <Lines title="Install" text={client.install} />}
          <Lines title={client.language === 'shell' ? 'Run' : client.language} text={text} />
          <Received />
        </section>
      </div>
    </div>
  );
}

function Lines({ title, text }: { readonly title: string; readonly text: string }) {
  return (
    <figure class="code">
      <figcaption>
        <span>{title}</span>
        <CopyButton text={() => text} />
      </figcaption>
      <pre tabIndex={0} aria-label={title}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}

function Received() {
  const call = received.value;
  if (call === undefined) {
    return (
      <p class="received" role="status">
        <i aria-hidden="true" />
        {state.value === 'open' ? 'Waiting for the first call …' : 'Connecting to the gateway …'}
      </p>
    );
  }
  return (
    <p class="received good" role="status">
      <i aria-hidden="true" />
      <span>
        <b>Received.</b> {call.model || 'The default model'}
        {call.outcome === 'failed'
          ? ` failed: ${call.error ?? ''}`
          : ` answered in ${formatDuration(call.duration ?? 0)}.`}
      </span>
    </p>
  );
}
