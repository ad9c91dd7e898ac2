// Chat: any model of the gateway, or up to four side by side.

import { signal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { models } from '../app/gateway.ts';
import { Boundary } from '../kit/boundary.tsx';
import { Icon } from '../kit/icon.tsx';
import { isAsking, stop } from './asking.ts';
import { Composer, suggest } from './composer.tsx';
import { change, conversations, createConversation, current, open, remove } from './conversation.ts';
import { SettingsPanel } from './settings-panel.tsx';
import { BrokenMessage, TurnView } from './turn-view.tsx';

const mostModels = 4;
const showsHistory = signal(false);
const showsSettings = signal(false);

export function ChatView() {
  useEffect(() => stop, []);
  return (
    <div class="chat">
      <h1 class="offscreen">Chat</h1>
      {showsHistory.value && <History />}
      <section class="card conversation" aria-label="Conversation">
        <Head />
        {showsSettings.value && <SettingsPanel />}
        <Log />
        <Composer />
      </section>
    </div>
  );
}

function Head() {
  const { models: chosen } = current.value;
  return (
    <header class="chat-head">
      <ToggleButton icon="history" label="Conversations" state={showsHistory} />
      <div class="pickers">
        {chosen.map((_, column) => (
          <ModelPicker key={column} column={column} />
        ))}
        {chosen.length < mostModels && (
          <button
            class="quiet"
            title="Compare with another model"
            disabled={isAsking.value}
            onClick={() => change({ models: [...chosen, nextModel(chosen)] })}
          >
            <Icon name="plus" /> Compare
          </button>
        )}
      </div>
      <button class="quiet" disabled={isAsking.value} onClick={begin}>
        <Icon name="edit" /> New
      </button>
      <ToggleButton icon="sliders" label="Settings" state={showsSettings} />
    </header>
  );
}

function ToggleButton({
  icon,
  label,
  state,
}: {
  icon: 'history' | 'sliders';
  label: string;
  state: { value: boolean };
}) {
  return (
    <button
      class="icon-button"
      aria-label={label}
      title={label}
      aria-expanded={state.value}
      onClick={() => {
        state.value = !state.value;
      }}
    >
      <Icon name={icon} />
    </button>
  );
}

/** A model that is not shown yet. */
function nextModel(chosen: readonly string[]): string {
  return models.value.find(({ id }) => !chosen.includes(id))?.id ?? '';
}

function begin(): void {
  current.value = createConversation(current.value.models);
}

function ModelPicker({ column }: { readonly column: number }) {
  const { models: chosen } = current.value;
  const set = (name: string): void => change({ models: chosen.map((old, index) => (index === column ? name : old)) });
  return (
    <span class="picker">
      <select
        aria-label={chosen.length === 1 ? 'Model' : `Model ${column + 1}`}
        value={chosen[column]}
        disabled={isAsking.value}
        onChange={(event) => set(event.currentTarget.value)}
      >
        <option value="">Default model</option>
        {models.value.map(({ id }) => (
          <option key={id}>{id}</option>
        ))}
      </select>
      {chosen.length > 1 && (
        <button
          class="icon-button"
          aria-label={`Remove model ${column + 1}`}
          title="Remove"
          disabled={isAsking.value}
          onClick={() => change({ models: chosen.filter((_, index) => index !== column) })}
        >
          <Icon name="close" />
        </button>
      )}
    </span>
  );
}

/** Within this many pixels of the end, new text keeps the end in view. */
const nearEnd = 60;

function Log() {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const { turns } = current.value;
  useEffect(() => {
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [turns]);
  return (
    <div
      class="log"
      ref={box}
      role="log"
      aria-label="Messages"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearEnd;
      }}
    >
      {turns.length === 0 && <Welcome />}
      {turns.map((turn) => (
        <Boundary key={turn.id} instead={<BrokenMessage />}>
          <TurnView turn={turn} />
        </Boundary>
      ))}
    </div>
  );
}

const suggestions = [
  'Hello! What can you do?',
  'Count to 20',
  'Explain server-sent events with a short code example',
] as const;

function Welcome() {
  return (
    <div class="welcome">
      <h2>Talk to any model of this gateway</h2>
      <p class="hint">Add models with Compare to see them side by side. Conversations stay in this browser.</p>
      <div class="suggestions">
        {suggestions.map((text) => (
          <button key={text} onClick={() => suggest(text)}>
            {text}
          </button>
        ))}
      </div>
    </div>
  );
}

function History() {
  return (
    <aside class="card history" aria-label="Conversations">
      {conversations.value.length === 0 && <p class="empty">No conversations yet.</p>}
      <ul>
        {conversations.value.map(({ id, title }) => (
          <li key={id}>
            <button
              class="quiet"
              aria-current={id === current.value.id ? 'true' : undefined}
              disabled={isAsking.value}
              onClick={() => open(id)}
            >
              {title}
            </button>
            <button
              class="icon-button"
              aria-label={`Delete ${title}`}
              disabled={isAsking.value}
              onClick={() => remove(id)}
            >
              <Icon name="trash" />
            </button>
          </li>
        ))}
      </ul>
    </aside>
  );
}
