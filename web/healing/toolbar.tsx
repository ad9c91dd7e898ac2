// The controls of the healing view: example, source of the text, kind of damage, and playback.

import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { models } from '../app/gateway.ts';
import { Icon } from '../kit/icon.tsx';
import type { DamageGroup, DamageName } from './damage.ts';
import { examples } from './examples.ts';
import { isPlaying, pause, play, position, seek, speed, speeds, text } from './playback.ts';
import {
  chooseExample,
  chooseSource,
  damage,
  damageAgain,
  example,
  model,
  question,
  source,
  start,
  type Source,
} from './source.ts';
import { schemaState } from './schema-source.ts';

const sources: Readonly<Record<Source, string>> = { damaged: 'Damage it', model: 'Ask a model', own: 'Your text' };

export function Toolbar() {
  return (
    <section class="toolbar card" aria-label="Controls">
      <label class="field">
        <span>Example</span>
        <select value={example.value.name} onChange={(event) => chooseExample(event.currentTarget.value)}>
          {examples.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <fieldset class="segmented">
        <legend>Text</legend>
        {(Object.keys(sources) as Source[]).map((name) => (
          <label key={name}>
            <input type="radio" name="source" checked={source.value === name} onChange={() => chooseSource(name)} />
            <span>{sources[name]}</span>
          </label>
        ))}
      </fieldset>
      {source.value === 'damaged' && <DamageField />}
      {source.value === 'model' && <ModelFields />}
      <div class="spacer" />
      <SpeedField />
      <button class="primary large" disabled={isBlocked()} onClick={() => void start()}>
        <Icon name={source.value === 'model' ? 'send' : 'play'} />
        {source.value === 'model' ? 'Ask and heal' : 'Watch it heal'}
      </button>
    </section>
  );
}

function isBlocked(): boolean {
  if (schemaState.value.schema === undefined) return true;
  return source.value === 'own' && text.value === '';
}

const groups = signal<readonly DamageGroup[]>([]);

/** The kinds of damage are loaded after the first view. */
async function loadGroups(): Promise<void> {
  const { damageGroups } = await import('./damage.ts');
  groups.value = damageGroups;
}

function chooseDamage(name: string): void {
  damage.value = name as DamageName | 'typical';
  void start();
}

function DamageField() {
  useEffect(() => void loadGroups().catch(() => undefined), []);
  return (
    <div class="field with-button">
      <label class="field">
        <span>Damage</span>
        <select value={damage.value} onChange={(event) => chooseDamage(event.currentTarget.value)}>
          <option value="typical">Typical mistakes</option>
          {groups.value.map(({ title, names }) => (
            <optgroup key={title} label={title}>
              {names.map((name) => (
                <option key={name} value={name}>
                  {name.replaceAll('-', ' ')}
                </option>
              ))}
            </optgroup>
          ))}
        </select>
      </label>
      {damage.value !== 'typical' && (
        <button
          class="icon-button bordered"
          title="Damage it again"
          aria-label="Damage it again"
          onClick={() => void damageAgain()}
        >
          <Icon name="dice" />
        </button>
      )}
    </div>
  );
}

function ModelFields() {
  return (
    <>
      <label class="field">
        <span>Model</span>
        <select
          value={model.value}
          onChange={(event) => {
            model.value = event.currentTarget.value;
          }}
        >
          <option value="">Default</option>
          {models.value.map(({ id }) => (
            <option key={id}>{id}</option>
          ))}
        </select>
      </label>
      <label class="field grow">
        <span>Question</span>
        <input
          type="text"
          value={question.value}
          onInput={(event) => {
            question.value = event.currentTarget.value;
          }}
        />
      </label>
    </>
  );
}

function SpeedField() {
  return (
    <label class="field">
      <span>Speed</span>
      <select
        value={String(speed.value)}
        onChange={(event) => {
          speed.value = speeds.find(({ rate }) => String(rate) === event.currentTarget.value)?.rate;
        }}
      >
        {speeds.map(({ name, rate }) => (
          <option key={name} value={String(rate)}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}

/** Buttons and the slider that moves through the text. */
export function Transport({ marks }: { readonly marks: readonly number[] }) {
  const { length } = text.value;
  return (
    <div class="transport">
      <button
        class="icon-button"
        aria-label={isPlaying.value ? 'Pause' : 'Play'}
        title={isPlaying.value ? 'Pause' : 'Play'}
        disabled={length === 0}
        onClick={() => (isPlaying.value ? pause() : play())}
      >
        <Icon name={isPlaying.value ? 'pause' : 'play'} />
      </button>
      <div class="scrubber">
        <svg class="ticks" viewBox={`0 0 ${Math.max(1, length)} 1`} preserveAspectRatio="none" aria-hidden="true">
          {marks.map((place) => (
            <rect key={place} x={place} width={Math.max(1, length / 220)} height="1" />
          ))}
        </svg>
        <input
          type="range"
          aria-label="Place in the text"
          min={0}
          max={length}
          value={position.value}
          disabled={length === 0}
          onInput={(event) => seek(Number(event.currentTarget.value))}
        />
      </div>
      <output>
        {position.value} / {length}
      </output>
    </div>
  );
}
