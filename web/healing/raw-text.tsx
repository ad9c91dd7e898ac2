// The text as it arrives, with every repair marked at its place and the text outside the value dimmed.

import { useEffect, useRef } from 'preact/hooks';
import { visibleText } from '../kit/visible-text.ts';
import { flagLooks } from './flag-title.ts';
import { point, pointed } from './focus.ts';
import { insertedText } from './inserted-text.ts';
import { healed, isComplete, isPlaying, position, text } from './playback.ts';
import { toSegments, type Segment } from './segments.ts';

export function RawText() {
  const box = useRef<HTMLPreElement>(null);
  const shown = text.value.slice(0, position.value);
  const segments = toSegments(shown, healed.value.flags);
  useEffect(() => {
    if (isPlaying.value && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [shown]);
  return (
    <pre class="raw" ref={box} tabIndex={0} aria-label="Raw text">
      {segments.map((segment) => (
        <SegmentView key={`${segment.start} ${segment.style} ${segment.flag ?? ''}`} segment={segment} />
      ))}
      {!isComplete.value && <span class="caret" aria-hidden="true" />}
    </pre>
  );
}

function SegmentView({ segment: { text: source, style, flag } }: { readonly segment: Segment }) {
  const content = visibleText(source);
  if (style === 'plain') return <span>{content}</span>;
  if (flag === undefined) return <span class="outside">{content}</span>;
  const repair = healed.value.flags[flag];
  if (repair === undefined) return <span>{content}</span>;
  return (
    <mark
      class={`mark ${style}${pointed.value === flag ? ' pointed' : ''}`}
      title={flagLooks[repair.kind].title}
      onMouseEnter={() => point(flag)}
      onMouseLeave={() => point(undefined)}
    >
      {content === '' ? insertedText(repair, healed.value.value) : content}
    </mark>
  );
}
