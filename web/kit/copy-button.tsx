// A button that copies text and says so. The clipboard API needs a secure context, so there is another way for pages at an
// http address of another machine.

import { useState } from 'preact/hooks';
import { Icon } from './icon.tsx';

const shownFor = 1600;

export function CopyButton({ text, label = 'Copy' }: { readonly text: () => string; readonly label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const copy = async (): Promise<void> => {
    setState((await copyText(text())) ? 'copied' : 'failed');
    setTimeout(() => setState('idle'), shownFor);
  };
  const shown = { idle: label, copied: 'Copied', failed: 'Press Ctrl-C' }[state];
  return (
    <button class="quiet" onClick={() => void copy()} aria-live="polite">
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      {shown}
    </button>
  );
}

async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelected(text);
  }
}

function copySelected(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'offscreen';
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  return isCopied;
}
