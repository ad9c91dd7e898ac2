// What was changed: the confidence and the list of repairs, in the order of the text.

// Not from the index, which would bring all of healing into the first view.
import { formatPath } from '../../src/heal/report/error.ts';
import { isGuess, type Flag } from '../../src/heal/report/flag.ts';
import { visibleText } from '../kit/visible-text.ts';
import { flagLooks } from './flag-title.ts';
import { point, pointed } from './focus.ts';
import { healed, isComplete, text } from './playback.ts';
import { schemaState } from './schema-source.ts';

/** Values below this are refused unless the caller says otherwise. */
const minConfidence = 0.7;

export function Verdict() {
  const { confidence, error, flags, value } = healed.value;
  if (schemaState.value.schema === undefined) {
    return (
      <div class="verdict bad" role="status">
        <b>No schema</b>
        <span>the schema has an error: fix it to continue</span>
      </div>
    );
  }
  if (error !== undefined) {
    return (
      <div class="verdict bad" role="status">
        <b>Not healed</b>
        <span>{visibleText(error)}</span>
      </div>
    );
  }
  if (confidence === undefined || !isComplete.value) {
    return (
      <div class="verdict" role="status">
        <b>{text.value === '' ? 'Ready' : 'Reading'}</b>
        <span>{value === undefined ? 'waiting for the value' : `${count(flags.length, 'repair')} so far`}</span>
      </div>
    );
  }
  const isLow = confidence < minConfidence;
  return (
    <div class={`verdict ${isLow ? 'bad' : 'good'}`} role="status">
      <b>{percent(confidence)} % confident</b>
      <span>{isLow ? 'refused by default, below 70 %' : describeChanges(flags)}</span>
      <span class="meter" aria-hidden="true">
        <svg viewBox="0 0 100 4" preserveAspectRatio="none">
          <rect class="track" width="100" height="4" />
          <rect class="fill" width={100 * confidence} height="4" />
        </svg>
      </span>
    </div>
  );
}

/** Rounded down, because only an unchanged text has 100. */
function percent(share: number): string {
  const tenths = Math.floor(share * 1000) / 10;
  return share > 0.99 && share < 1 ? Math.min(99.9, tenths).toFixed(1) : tenths.toFixed(0);
}

function describeChanges(flags: readonly Flag[]): string {
  if (flags.length === 0) return 'valid as it was: nothing changed';
  return `${count(flags.length, 'repair')}, fits the schema`;
}

export function Repairs() {
  const { flags } = healed.value;
  if (flags.length === 0) return null;
  return (
    <section class="repairs" aria-label="Repairs">
      <h3>Repairs</h3>
      <ol>
        {flags.map((flag, index) => (
          <Repair key={`${index} ${flag.kind}`} flag={flag} index={index} />
        ))}
      </ol>
    </section>
  );
}

function Repair({ flag, index }: { readonly flag: Flag; readonly index: number }) {
  const { title, style } = flagLooks[flag.kind];
  return (
    <li>
      <button
        class={`repair ${style}${pointed.value === index ? ' pointed' : ''}`}
        title={flag.kind}
        onMouseEnter={() => point(index)}
        onMouseLeave={() => point(undefined)}
        onFocus={() => point(index)}
        onBlur={() => point(undefined)}
      >
        <i aria-hidden="true" />
        <span class="what">
          {title}
          <small>{visibleText(describePlace(flag))}</small>
        </span>
        {isGuess(flag) && <span class="guess">guess</span>}
      </button>
    </li>
  );
}

function describePlace({ path, from, to, found, expected, field, count: times }: Flag): string {
  const place = path.length === 0 ? '' : formatPath(path);
  const change = from !== undefined && to !== undefined ? `${from} → ${to}` : '';
  const types = found !== undefined && expected !== undefined ? `${found} → ${expected}` : '';
  const number = times === undefined ? '' : `× ${times}`;
  return [place || (field ?? ''), change || types, number].filter(Boolean).join(' · ');
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
