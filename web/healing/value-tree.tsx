// The typed value as a tree. A part with a repair has a dot; the part that the user points at is lit.

import type { ComponentChildren } from 'preact';
import type { Flag } from '../../src/heal/index.ts';
import { visibleText } from '../kit/visible-text.ts';
import { pointed } from './focus.ts';
import { healed } from './playback.ts';
import { pathText, valuePaths } from './value-path.ts';

/** Parts beyond these are counted, not shown. */
const mostItems = 200;
const mostDepth = 40;

export function ValueTree() {
  const { value, flags } = healed.value;
  if (value === undefined) return <p class="empty">The value appears here as soon as there is something to see.</p>;
  const inValue = valuePaths(flags);
  const paths = new Set(inValue);
  const lit = pointed.value === undefined ? undefined : inValue[pointed.value];
  return (
    <div class="tree" role="group" aria-label="Typed value">
      <Part value={value} path={[]} places={{ paths, lit }} />
    </div>
  );
}

interface PartProps {
  readonly value: unknown;
  readonly path: Flag['path'];
  readonly places: RepairedPlaces;
  readonly name?: string;
}

interface RepairedPlaces {
  readonly paths: ReadonlySet<string>;
  /** The path that the user points at. */
  readonly lit: string | undefined;
}

function Part({ value, path, places, name }: PartProps) {
  const place = pathText(path);
  const isRepaired = path.length > 0 && places.paths.has(place);
  const label = name === undefined ? undefined : <span class="key">{visibleText(name)}</span>;
  const lit = path.length > 0 && places.lit === place ? ' pointed' : '';
  if (typeof value !== 'object' || value === null) {
    return (
      <div class={`row${lit}`}>
        {label}
        <Scalar value={value} />
        {isRepaired && <i class="dot" title="Repaired" />}
      </div>
    );
  }
  return (
    <div class="part">
      <div class={`row${lit}`}>
        {label}
        <span class="count">{describeSize(value)}</span>
        {isRepaired && <i class="dot" title="Repaired" />}
      </div>
      <div class="children">{path.length >= mostDepth ? '…' : childrenOf(value, path, places)}</div>
    </div>
  );
}

function childrenOf(value: object, path: Flag['path'], places: RepairedPlaces): ComponentChildren {
  const entries: [string | number, unknown][] = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  const shown = entries.slice(0, mostItems);
  return (
    <>
      {shown.map(([key, child]) => (
        <Part key={key} name={String(key)} value={child} path={[...path, key]} places={places} />
      ))}
      {entries.length > shown.length && <div class="row count">{entries.length - shown.length} more</div>}
    </>
  );
}

function Scalar({ value }: { readonly value: unknown }) {
  if (typeof value === 'string') return <span class="scalar string">“{visibleText(value)}”</span>;
  return <span class={`scalar ${value === null ? 'null' : typeof value}`}>{String(value)}</span>;
}

function describeSize(value: object): string {
  if (!Array.isArray(value)) return 'object';
  return value.length === 0 ? 'empty list' : `list of ${value.length}`;
}
