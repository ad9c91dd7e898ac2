// Parses a sed script far enough to find the commands that it runs and the files that it writes.

export interface SedEffects {
  /** Commands of `e`. */
  readonly commands: readonly string[];
  /** Files of `w`. */
  readonly files: readonly string[];
  /** `e` without a command, or as a flag of `s`: the input is run as commands. */
  readonly isExecuted: boolean;
}

export function readSed(code: string): SedEffects {
  const commands: string[] = [];
  const files: string[] = [];
  let isExecuted = false;
  let place = 0;
  const restOfLine = (): string => {
    const end = code.indexOf('\n', place);
    const rest = code.slice(place, end === -1 ? undefined : end).trim();
    place = end === -1 ? code.length : end + 1;
    return rest;
  };
  while (place < code.length) {
    place = pastAddress(code, place);
    const command = code[place] ?? '';
    place += 1;
    if (command === 's' || command === 'y') {
      const flags = readSubstitution(code, place);
      place = flags.end;
      isExecuted ||= flags.isExecuted;
      if (flags.isWriting) files.push(restOfLine());
    } else if (command === 'e') {
      const text = restOfLine();
      if (text === '') isExecuted = true;
      else commands.push(text);
    } else if (command === 'w' || command === 'W') files.push(restOfLine());
    else if (/[aicrR#:btT]/.test(command)) restOfLine();
  }
  return { commands, files, isExecuted };
}

/** Skips addresses before a command: numbers, `$`, `/patterns/`, ranges and white space. */
function pastAddress(code: string, start: number): number {
  let place = start;
  for (;;) {
    const character = code[place] ?? '';
    if (character === '/') place = pastPattern(code, place + 1, '/');
    else if (character === '\\' && place + 1 < code.length) place = pastPattern(code, place + 2, code[place + 1] ?? '');
    else if (character !== '' && /[\s\d$,;{}!~+I]/.test(character)) place += 1;
    else return place;
  }
}

function pastPattern(code: string, start: number, delimiter: string): number {
  for (let place = start; place < code.length; place += 1) {
    if (code[place] === '\\') place += 1;
    else if (code[place] === delimiter) return place + 1;
  }
  return code.length;
}

function readSubstitution(code: string, start: number): { end: number; isExecuted: boolean; isWriting: boolean } {
  const delimiter = code[start] ?? '';
  const end = pastPattern(code, pastPattern(code, start + 1, delimiter), delimiter);
  const [flags = ''] = /^[gpimIMe\d]*w?/.exec(code.slice(end)) ?? [];
  return { end: end + flags.length, isExecuted: flags.includes('e'), isWriting: flags.endsWith('w') };
}
