// Asks for a key of the gateway.

import { useEffect, useRef } from 'preact/hooks';
import { access, enterKey } from './access.ts';

export function KeyDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const { problem } = access.value;
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby="key-title" onCancel={(event) => event.preventDefault()}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const entered = field.current?.value.trim() ?? '';
          if (entered !== '') enterKey(entered);
        }}
      >
        <h2 id="key-title">This gateway needs a key</h2>
        <p>It is one of the keys in [server] of the configuration. This page keeps it in memory until you close it.</p>
        <label>
          Key
          <input ref={field} type="password" name="key" autocomplete="off" spellcheck={false} required />
        </label>
        {problem !== undefined && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button class="primary" type="submit">
          Continue
        </button>
      </form>
    </dialog>
  );
}
