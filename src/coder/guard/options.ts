// Splits the arguments of a program into flags, option values and operands, by a small grammar. Long options may be
// abbreviated, as in getopt. Options that are not in the grammar are flags.

import { emptyField, literalOf, prefixOf, shownOf, withoutPrefix, type ShellField } from './field.ts';

export interface Grammar {
  /** Letters of short options that take a value. */
  readonly short?: string;
  /** Long options with a value, as the next argument or after `=`. Also single-dash words (`-exec`). */
  readonly long?: readonly string[];
  /** The first operand ends the options: the rest belongs to another program. */
  readonly stopsAtOperand?: boolean;
}

export class Options {
  readonly #flags = new Set<string>();
  readonly #values: { readonly name: string; readonly value: ShellField }[] = [];
  readonly operands: ShellField[] = [];

  constructor(args: readonly ShellField[], { short = '', long = [], stopsAtOperand = false }: Grammar = {}) {
    for (let index = 0; index < args.length; index += 1) {
      const argument = args[index] ?? emptyField;
      const shown = prefixOf(argument);
      if (shown === '--' && literalOf(argument) === '--') {
        this.operands.push(...args.slice(index + 1));
        return;
      }
      if (shown.length < 2 || !shown.startsWith('-')) {
        if (stopsAtOperand) {
          this.operands.push(...args.slice(index));
          return;
        }
        this.operands.push(argument);
      } else if (long.includes(shownOf(argument))) {
        this.#values.push({ name: shownOf(argument), value: args[(index += 1)] ?? emptyField });
      } else if (shown.startsWith('--')) {
        index += this.#readLong(argument, args[index + 1], long);
      } else {
        index += this.#readShort(argument, args[index + 1], short);
      }
    }
  }

  #readLong(argument: ShellField, next: ShellField | undefined, long: readonly string[]): number {
    const shown = prefixOf(argument);
    const equals = shown.indexOf('=');
    if (equals !== -1) {
      this.#flags.add(shown.slice(0, equals));
      this.#values.push({ name: shown.slice(0, equals), value: withoutPrefix(argument, equals + 1) });
      return 0;
    }
    this.#flags.add(shown);
    const full = shown.length > 3 ? long.find((option) => option.startsWith(shown)) : undefined;
    if (full === undefined || next === undefined) return 0;
    this.#values.push({ name: full, value: next });
    return 1;
  }

  #readShort(argument: ShellField, next: ShellField | undefined, short: string): number {
    const shown = prefixOf(argument);
    for (let place = 1; place < shown.length; place += 1) {
      const flag = `-${shown[place]}`;
      this.#flags.add(flag);
      if (!short.includes(shown[place] ?? '')) continue;
      const attached = withoutPrefix(argument, place + 1);
      this.#values.push({ name: flag, value: attached.length > 0 ? attached : (next ?? emptyField) });
      return attached.length > 0 ? 0 : 1;
    }
    return 0;
  }

  /** By short name, or by a long name, which may be abbreviated to three letters. */
  has(...names: readonly string[]): boolean {
    for (const flag of this.#flags) {
      if (names.some((name) => flag === name || (flag.length >= 5 && name.startsWith(flag)))) return true;
    }
    return false;
  }

  /** The values given to any of these options. */
  valuesOf(...names: readonly string[]): ShellField[] {
    return this.#values
      .filter(({ name: given }) =>
        names.some((name) => given === name || (given.length >= 5 && name.startsWith(given))),
      )
      .map(({ value }) => value);
  }
}
