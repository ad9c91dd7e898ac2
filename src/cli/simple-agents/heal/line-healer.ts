// `heal --jsonl`: each line is a request and gives one result line, in the same order. An invalid line gives an error and
// does not stop the others. No state is kept per line, so the input may be endless.

import { SimpleAgentsError, toError } from '../../../core/error.ts';
import { omitUndefined, isRecord } from '../../../core/json.ts';
import { HealError, type HealOptions, type SchemaInput } from '../../../heal/index.ts';
import { toJsonText } from '../../../heal/report/json-text.ts';
import { runHealRequest, type HealRequest } from './request.ts';

/** Defaults for lines that do not set a value themselves. */
export type LineDefaults = Omit<HealRequest, 'text'>;

export class LineHealer {
  readonly #defaults: LineDefaults;
  /** By the text of the schema, so that a schema that many lines share is compiled once. */
  readonly #schemas = new Map<string, SchemaInput>();

  constructor(defaults: LineDefaults) {
    this.#defaults = defaults;
  }

  /** The result for a line, without a line break; undefined for an empty line. */
  heal(line: string): string | undefined {
    if (line.trim() === '') return undefined;
    let id: unknown = null;
    try {
      const document = parseLine(line);
      id = document['id'] ?? null;
      const { value, flags, confidence } = runHealRequest(this.#read(document));
      return toJsonText({ id, value: value ?? null, flags, confidence });
    } catch (error) {
      return toJsonText({ id, error: describeError(error) });
    }
  }

  #read(document: Record<string, unknown>): HealRequest {
    const { text, schema, mode, options } = document;
    if (typeof text !== 'string') throw invalidField('text', 'must be a string');
    return omitUndefined({
      text,
      schema: schema === undefined || schema === null ? this.#defaults.schema : this.#schemaOf(schema),
      mode: mode === undefined || mode === null ? this.#defaults.mode : readMode(mode),
      options: {
        ...this.#defaults.options,
        ...(options === undefined || options === null ? {} : readOptions(options)),
      },
    });
  }

  #schemaOf(schema: unknown): SchemaInput {
    if (!isRecord(schema)) throw invalidField('schema', 'must be a JSON Schema object');
    const text = toJsonText(schema);
    const known = this.#schemas.get(text);
    if (known !== undefined) return known;
    if (this.#schemas.size >= 100) this.#schemas.clear();
    this.#schemas.set(text, schema);
    return schema;
  }
}

function parseLine(line: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(line);
    if (isRecord(document)) return document;
  } catch {
    throw invalidField('the line', 'is not JSON');
  }
  throw invalidField('the line', 'must be an object with id and text');
}

function readMode(mode: unknown): 'final' | 'partial' {
  if (mode === 'final' || mode === 'partial') return mode;
  throw invalidField('mode', 'must be "final" or "partial"');
}

type LineOption = Exclude<keyof HealOptions, 'budget' | 'patterns'>;

const optionTypes: Readonly<Record<LineOption, 'boolean' | 'number'>> = {
  strict: 'boolean',
  coerceTypes: 'boolean',
  minConfidence: 'number',
  maxBytes: 'number',
  maxDepth: 'number',
  locate: 'boolean',
};

function readOptions(options: unknown): HealOptions {
  if (!isRecord(options)) throw invalidField('options', 'must be an object');
  for (const [name, value] of Object.entries(options)) {
    const type = Object.hasOwn(optionTypes, name) ? optionTypes[name as LineOption] : undefined;
    if (type === undefined)
      throw invalidField(`options.${name}`, `unknown option; the options are ${Object.keys(optionTypes).join(', ')}`);
    if (typeof value !== type)
      throw invalidField(`options.${name}`, type === 'number' ? 'must be a number' : 'must be true or false');
  }
  return options;
}

function invalidField(field: string, problem: string): SimpleAgentsError {
  return new SimpleAgentsError('bad-request', `${field}: ${problem}`, { field });
}

/** Every error becomes a result, so that no line stops the others. */
function describeError(error: unknown): object {
  if (error instanceof HealError) {
    const { kind, message, flags, confidence } = error;
    return flags.length === 0 ? { kind, message } : { kind, message, flags, confidence };
  }
  const { kind, message } = toError(error);
  return { kind, message };
}
