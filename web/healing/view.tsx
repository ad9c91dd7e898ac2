// Healing live: the schema, the raw text with its repairs, and the typed value that grows from it. Everything runs in the
// page; only "ask a model" calls the gateway.

import { computed } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { loadEngine } from './engine.ts';
import { CopyButton } from '../kit/copy-button.tsx';
import { Icon } from '../kit/icon.tsx';
import { visibleText } from '../kit/visible-text.ts';
import { healed, isPlaying, isReceiving, playText, showText, text } from './playback.ts';
import { RawText } from './raw-text.tsx';
import { Repairs, Verdict } from './repairs.tsx';
import { SchemaEditor } from './schema-editor.tsx';
import { chooseSource, problem, source, start, stop } from './source.ts';
import { schemaState } from './schema-source.ts';
import { Toolbar, Transport } from './toolbar.tsx';
import { ValueTree } from './value-tree.tsx';

const places = computed(() => [...new Set(healed.value.flags.flatMap(({ at }) => (at === undefined ? [] : [at[1]])))]);

export function HealingView() {
  useEffect(() => {
    addEventListener('paste', takePasted);
    loadEngine().catch(() => {
      problem.value = 'Healing could not be loaded. Reload the page.';
    });
    return () => {
      removeEventListener('paste', takePasted);
      stop();
    };
  }, []);
  return (
    <div class="healing">
      <h1 class="offscreen">Healing</h1>
      <Toolbar />
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {visibleText(problem.value)}
        </p>
      )}
      <div class="panes">
        <section class="card pane schema-pane" aria-labelledby="schema-title">
          <header>
            <h2 id="schema-title">Schema</h2>
            <span class="hint">JSON Schema, editable</span>
          </header>
          <SchemaEditor />
        </section>
        <section class="card pane raw-pane" aria-labelledby="raw-title">
          <header>
            <h2 id="raw-title">What the model wrote</h2>
            <EditButton />
          </header>
          <RawPane />
          <Transport marks={places.value} />
        </section>
        <section class="card pane value-pane" aria-labelledby="value-title">
          <header>
            <h2 id="value-title">What you get</h2>
            {healed.value.value !== undefined && (
              <CopyButton text={() => JSON.stringify(healed.value.value, undefined, 2)} label="Copy JSON" />
            )}
          </header>
          <Verdict />
          <div class="scroll" tabIndex={0} role="region" aria-label="Value and repairs">
            <ValueTree />
            <Repairs />
          </div>
        </section>
      </div>
    </div>
  );
}

function RawPane() {
  const isIdle = !isPlaying.value && !isReceiving.value;
  if (source.value === 'own' && isIdle) {
    return (
      <textarea
        class="raw own"
        aria-label="Your text"
        placeholder="Paste any answer of a model here: prose, half a JSON, Python, YAML …"
        spellcheck={false}
        value={text.value}
        onInput={(event) => showText(event.currentTarget.value)}
      />
    );
  }
  if (text.value !== '' || isReceiving.value) return <RawText />;
  return (
    <div class="invitation">
      <p>Models write almost-JSON: fences, comments, wrong quotes, missing brackets.</p>
      <button class="primary large" disabled={schemaState.value.schema === undefined} onClick={() => void start()}>
        <Icon name="play" /> Watch it heal
      </button>
      <p class="hint">or paste any text on this page</p>
    </div>
  );
}

function EditButton() {
  if (source.value === 'own' || text.value === '') return null;
  return (
    <button class="quiet" onClick={() => chooseSource('own')}>
      <Icon name="edit" />
      Edit
    </button>
  );
}

/** Text pasted anywhere outside a field is healed. */
function takePasted(event: ClipboardEvent): void {
  const { target } = event;
  if (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) return;
  const pasted = event.clipboardData?.getData('text/plain') ?? '';
  if (pasted === '') return;
  event.preventDefault();
  chooseSource('own');
  playText(pasted);
}
