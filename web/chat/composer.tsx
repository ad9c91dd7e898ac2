// Where the user writes: text, pictures by button, paste or drop, send and stop.

import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { Icon } from '../kit/icon.tsx';
import { ask, isAsking, stop } from './asking.ts';

const draft = signal('');
const images = signal<readonly string[]>([]);
const problem = signal<string | undefined>(undefined);

const mostImages = 8;
const largestImage = 8 * 1024 * 1024;
const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** Fills in a text that the user can send or change. */
export function suggest(text: string): void {
  draft.value = text;
  document.getElementById('message')?.focus();
}

export function Composer() {
  const picker = useRef<HTMLInputElement>(null);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void attach(event.dataTransfer?.files);
      }}
    >
      {problem.value !== undefined && (
        <p class="problem" role="alert">
          {problem.value}
        </p>
      )}
      {images.value.length > 0 && <Attachments />}
      <div class="row">
        <input
          ref={picker}
          class="offscreen"
          type="file"
          accept={imageTypes.join()}
          multiple
          tabIndex={-1}
          aria-hidden="true"
          onChange={(event) => void attach(event.currentTarget.files)}
        />
        <button
          type="button"
          class="icon-button"
          aria-label="Attach a picture"
          title="Attach a picture"
          onClick={() => picker.current?.click()}
        >
          <Icon name="image" />
        </button>
        <textarea
          id="message"
          aria-label="Message"
          placeholder="Write a message"
          rows={Math.min(8, draft.value.split('\n').length)}
          value={draft.value}
          onInput={(event) => {
            draft.value = event.currentTarget.value;
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            send();
          }}
          onPaste={(event) => void attach(event.clipboardData?.files)}
        />
        {isAsking.value ? (
          <button type="button" class="primary" onClick={stop}>
            <Icon name="stop" /> Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={draft.value.trim() === '' && images.value.length === 0}>
            <Icon name="send" /> Send
          </button>
        )}
      </div>
    </form>
  );
}

function Attachments() {
  return (
    <ul class="attachments">
      {images.value.map((url, index) => (
        <li key={url}>
          <img src={url} alt={`Picture ${index + 1}`} />
          <button
            type="button"
            aria-label={`Remove picture ${index + 1}`}
            onClick={() => {
              images.value = images.value.filter((_, place) => place !== index);
            }}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}

function send(): void {
  const text = draft.value;
  if (isAsking.value || (text.trim() === '' && images.value.length === 0)) return;
  const attached = images.value;
  draft.value = '';
  images.value = [];
  ask(text, attached);
}

async function attach(files: FileList | null | undefined): Promise<void> {
  const given = [...(files ?? [])];
  const usable = given.filter(({ type, size }) => imageTypes.includes(type) && size <= largestImage);
  problem.value = usable.length < given.length ? 'Only PNG, JPEG, GIF and WebP up to 8 MB can be sent.' : undefined;
  const urls = await Promise.all(usable.map(toDataUrl));
  images.value = [...images.value, ...urls].slice(0, mostImages);
}

function toDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result as string));
    reader.addEventListener('error', () => reject(new Error('the picture cannot be read')));
    reader.readAsDataURL(file);
  });
}
