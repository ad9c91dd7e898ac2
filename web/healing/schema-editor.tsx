// The editor of the schema: line numbers, and the first error at its line.

import { useRef } from 'preact/hooks';
import { schemaState, schemaText } from './schema-source.ts';

export function SchemaEditor() {
  const gutter = useRef<HTMLDivElement>(null);
  const { problem } = schemaState.value;
  const count = schemaText.value.split('\n').length;
  return (
    <div class="editor-box">
      <div class="editor">
        <div class="gutter" ref={gutter} aria-hidden="true">
          {Array.from({ length: count }, (_, index) => (
            <span key={index} class={problem?.line === index + 1 ? 'bad' : undefined}>
              {index + 1}
            </span>
          ))}
        </div>
        <textarea
          aria-label="JSON Schema"
          aria-invalid={problem !== undefined}
          aria-describedby="schema-problem"
          spellcheck={false}
          autocomplete="off"
          wrap="off"
          value={schemaText.value}
          onInput={(event) => {
            schemaText.value = event.currentTarget.value;
          }}
          onScroll={(event) => {
            if (gutter.current !== null) gutter.current.scrollTop = event.currentTarget.scrollTop;
          }}
        />
      </div>
      <p id="schema-problem" class="problem" role="status" hidden={problem === undefined}>
        {problem?.line !== undefined && <b>Line {problem.line}: </b>}
        {problem?.message}
      </p>
    </div>
  );
}
