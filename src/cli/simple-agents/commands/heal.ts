// `simple-agents heal`: parses malformed JSON and prints the value with the changes and the confidence.

import { InvalidArgumentError, Option, type Command } from 'commander';
import { omitUndefined } from '../../../core/json.ts';
import type { JsonSchema } from '../../../heal/index.ts';
import { reportFailure } from '../../failure.ts';
import { bytesOf, linesOf, readAll } from '../../terminal/input.ts';
import type { LineDefaults } from '../heal/line-healer.ts';
import type { HealRequest } from '../heal/request.ts';
import type { Invocation, Run } from '../../invocation.ts';
import { write, type Terminal } from '../../terminal/terminal.ts';

interface HealFlags {
  readonly schema?: string;
  readonly partial?: true;
  readonly strict?: true;
  readonly minConfidence?: number;
  readonly jsonl?: true;
  readonly output?: 'text' | 'json';
}

export function registerHeal(program: Command, run: Run): void {
  program
    .command('heal')
    .description('repair malformed JSON, optionally against a schema')
    .argument('[file]', 'the file to read; standard input if left out')
    .option('--schema <file>', 'a JSON Schema file that the value must match')
    .option('--partial', 'the text is incomplete: print the part of the value that is certain')
    .option('--strict', 'treat any change as an error')
    .option('--min-confidence <number>', 'from 0 to 1; less confidence is an error', parseShare)
    .option('--jsonl', 'each input line is a JSON object with id, text, and optional schema, mode and options')
    .addOption(
      new Option('--output <format>', 'output format; by default text at a terminal, else json').choices([
        'text',
        'json',
      ]),
    )
    .addHelpText('after', examples)
    .action((file: string | undefined, flags: HealFlags) => run((invocation) => heal(file, flags, invocation)));
}

const examples = `
Examples:
  simple-agents heal answer.txt
  simple-agents heal --schema character.json < answer.txt
  echo '{"name": "Ada", "age": 36' | simple-agents heal
  simple-agents heal --jsonl < answers.jsonl > values.jsonl

With --jsonl, each input line gives one output line, {"id", "value", "flags", "confidence"} or {"id", "error"}, in
the same order.`;

function parseShare(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) throw new InvalidArgumentError('It must be between 0 and 1.');
  return value;
}

async function heal(file: string | undefined, flags: HealFlags, invocation: Invocation): Promise<number> {
  const { terminal } = invocation;
  const format = formatOf(flags, terminal);
  try {
    const { readSchema } = await import('../heal/schema-file.ts');
    const schema = flags.schema === undefined ? undefined : await readSchema(flags.schema, terminal.cwd);
    const defaults = toDefaults(flags, schema);
    const bytes = bytesOf(file, invocation);
    if (flags.jsonl) await healLines(linesOf(bytes), defaults, terminal);
    else await healOne({ ...defaults, text: await readAll(bytes) }, format, terminal);
    return 0;
  } catch (error) {
    return reportFailure(error, terminal, format);
  }
}

/** With `--jsonl`, stdout contains only result lines, so a failure of the command itself goes to stderr. */
function formatOf({ output, jsonl }: HealFlags, { stdout }: Terminal): 'text' | 'json' {
  if (jsonl) return 'text';
  return output ?? (stdout.isTTY === true ? 'text' : 'json');
}

function toDefaults({ partial, strict, minConfidence }: HealFlags, schema: JsonSchema | undefined): LineDefaults {
  const mode = partial === undefined ? undefined : ('partial' as const);
  return omitUndefined({ schema, mode, options: omitUndefined({ strict, minConfidence }) });
}

async function healLines(lines: AsyncIterable<string>, defaults: LineDefaults, { stdout }: Terminal): Promise<void> {
  const { LineHealer } = await import('../heal/line-healer.ts');
  const healer = new LineHealer(defaults);
  for await (const line of lines) {
    const result = healer.heal(line);
    if (result !== undefined) await write(stdout, `${result}\n`);
  }
}

async function healOne(request: HealRequest, format: 'text' | 'json', terminal: Terminal): Promise<void> {
  const { runHealRequest: answer, toFailure } = await import('../heal/request.ts');
  const { describeChanges: describeDoubts, describeHealed } = await import('../heal/report.ts');
  const { toJsonText } = await import('../../../heal/report/json-text.ts');
  const { HealError } = await import('../../../heal/index.ts');
  try {
    const { value, flags, confidence } = answer(request);
    const healed = { value, flags, confidence };
    await write(terminal.stdout, format === 'json' ? `${toJsonText(healed, 2)}\n` : describeHealed(healed, terminal));
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    if (format === 'text') await write(terminal.stderr, describeDoubts(error.flags, terminal));
    throw toFailure(error);
  }
}
