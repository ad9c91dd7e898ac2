// The inline style and script of the gateway's page, and the content security policy that allows exactly these two.

import { hash } from 'node:crypto';

export const style = `
  :root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --back: #ffffff; --box: #f3f4f6; --line: #d0d7de; }
  @media (prefers-color-scheme: dark) {
    :root { --text: #e6edf3; --soft: #9da7b1; --back: #0d1117; --box: #161b22; --line: #30363d; }
  }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem;
    color: var(--text); background: var(--back); }
  code, pre { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
  pre { margin: 0; padding: .75rem; white-space: pre-wrap; font-size: .85rem; }
  table { border-collapse: collapse; }
  td, th { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top; }
  @media (max-width: 30rem) { td, th { padding-right: .5rem; font-size: .85rem; } }
  td code { overflow-wrap: break-word; }
  small { color: var(--soft); }
  .command { border: 1px solid var(--line); border-radius: .4rem; margin: 1rem 0; background: var(--box); }
  .command header { display: flex; align-items: center; justify-content: space-between; gap: 1rem;
    padding: .25rem .5rem .25rem .75rem; border-bottom: 1px solid var(--line); }
  .command h3 { margin: 0; font-size: 1rem; font-weight: 600; }
  button { font: inherit; font-size: .85rem; color: inherit; background: var(--back); border: 1px solid var(--line);
    border-radius: .3rem; padding: .1rem .6rem; cursor: pointer; }
`;

/** The clipboard API needs a secure context. Elsewhere, such as at `http://` on another machine, the text is selected. */
export const script = `
  const select = (block) => {
    const range = document.createRange();
    range.selectNodeContents(block);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    return document.execCommand('copy');
  };
  const copy = async (block) => {
    try {
      await navigator.clipboard.writeText(block.textContent);
      return true;
    } catch {
      return select(block);
    }
  };
  for (const button of document.querySelectorAll('button')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      button.textContent = (await copy(button.closest('.command').querySelector('pre'))) ? 'Copied' : 'Press Ctrl-C';
      setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
  }
`;

export const policy = [
  `default-src 'none'`,
  `style-src ${source(style)}`,
  `script-src ${source(script)}`,
  `base-uri 'none'`,
  `form-action 'none'`,
  `frame-ancestors 'none'`,
].join('; ');

function source(text: string): string {
  return `'sha256-${hash('sha256', text, 'base64')}'`;
}
