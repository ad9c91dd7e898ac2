// Reads files of shell commands that are data: flags, a tab, the command, and in the corpora a tab and a note.

import { readFileSync } from 'node:fs';

export interface CommandRecord {
  readonly flags: string;
  readonly command: string;
  readonly note: string;
}

export function readRecords(path: string): CommandRecord[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [flags = '', command = '', note = ''] = line.split('\t');
      if (!/^[-e?]+$/.test(flags)) return [];
      return [{ flags, command: flags.includes('e') ? decode(command) : command, note }];
    });
}

const characters: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };

function decode(text: string): string {
  return text.replaceAll(/\\(x[\da-f]{2}|[ntr\\])/gi, (_whole, code: string) => {
    return characters[code] ?? String.fromCharCode(Number.parseInt(code.slice(1), 16));
  });
}
