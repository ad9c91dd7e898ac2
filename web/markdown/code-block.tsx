// A code block with its language and a copy button. Only the visible lines of a long one are elements.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualItem,
} from '@tanstack/virtual-core';
import { CopyButton } from '../kit/copy-button.tsx';
import { visibleText } from '../kit/visible-text.ts';

const longCode = 200;
const lineHeight = 20;
/** A longer line is shown in part, because a browser lays out a whole line at once. */
const longLine = 5000;

export function CodeBlock({ text, language }: { readonly text: string; readonly language: string }) {
  const lines = text.split('\n');
  return (
    <figure class="code">
      <figcaption>
        <span>{language.slice(0, 30) || 'text'}</span>
        <CopyButton text={() => visibleText(text)} />
      </figcaption>
      {lines.length > longCode ? (
        <LongCode lines={lines} />
      ) : (
        <pre tabIndex={0}>
          <code>{lines.map(toShown).join('\n')}</code>
        </pre>
      )}
    </figure>
  );
}

function LongCode({ lines }: { readonly lines: readonly string[] }) {
  const box = useRef<HTMLPreElement>(null);
  const [, redraw] = useState({});
  const virtualizer = useRef<Virtualizer<HTMLPreElement, Element>>(null);
  const options = {
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => lineHeight,
    overscan: 20,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => redraw({}),
  };
  virtualizer.current ??= new Virtualizer<HTMLPreElement, Element>(options);
  const { current } = virtualizer;
  current.setOptions(options);
  useLayoutEffect(() => current._didMount(), []);
  useLayoutEffect(() => current._willUpdate());
  const items = current.getVirtualItems();
  return (
    <pre class="long" ref={box} tabIndex={0} aria-label={`${lines.length} lines of code`}>
      <Space height={items[0]?.start ?? 0} />
      <code>{linesOf(items, lines)}</code>
      <Space height={current.getTotalSize() - (items.at(-1)?.end ?? 0)} />
    </pre>
  );
}

function linesOf(items: readonly VirtualItem[], lines: readonly string[]): string {
  return items.map(({ index }) => toShown(lines[index] ?? '')).join('\n');
}

function toShown(line: string): string {
  const rest = line.length - longLine;
  const shown = rest > 0 ? `${line.slice(0, longLine)} … ${rest} more characters; copy to get all` : line;
  return visibleText(shown);
}

/** A height as an attribute of a drawing, because the policy of the page allows no style attributes. */
function Space({ height }: { readonly height: number }) {
  return <svg class="space" width="1" height={height} aria-hidden="true" />;
}
