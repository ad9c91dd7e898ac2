// The schemas that users may pass: a JSON Schema, or a schema of any library that implements Standard JSON Schema (zod
// 4, arktype, valibot with its adapter). The library's own validation runs last, so refinements apply.

import { HealBudget } from '../budget.ts';
import { formatPath, HealError } from '../report/error.ts';
import type { PathKey } from '../report/flag.ts';
import type { HealOptions, HealResult } from '../option.ts';
import { compileSchema } from './schema-compiler.ts';
import type { JsonSchema } from './schema.ts';
import { HealTarget } from './heal-target.ts';
import { validationNeeds } from '../validate/keyword-table.ts';

/** The parts of Standard Schema and Standard JSON Schema that we use. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate?: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema?: {
      readonly input: (options: {
        target: string;
        libraryOptions?: Record<string, unknown>;
      }) => Record<string, unknown>;
    };
  };
}

interface StandardResult<Output> {
  readonly value?: Output;
  readonly issues?: readonly StandardIssue[] | undefined;
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export type SchemaInput = JsonSchema | StandardSchema;

/**
 * Rejects an object literal that contains an option, such as `{ schema }` or `{ strict: true }`, with a type error,
 * because `heal(text, schema, options)` takes the schema itself.
 */
export type SchemaArgument<S> = S extends { readonly '~standard': unknown }
  ? S
  : string extends keyof S
    ? S
    : keyof S & OptionName extends never
      ? S
      : { readonly [name in keyof S & OptionName]: 'is not part of a schema: write heal(text, schema, options)' };

type OptionName = 'schema' | keyof HealOptions;

/** The type of a schema's value; `unknown` for a plain JSON Schema. */
export type InferOutput<S> = S extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : unknown;

const targets = new WeakMap<object, HealTarget>();

/** Compiles each schema object once. */
export function toTarget(schema: SchemaInput, budget = new HealBudget()): HealTarget {
  if (!isObject(schema)) throw new HealError('invalid-schema', 'the schema must be an object');
  let target = targets.get(schema);
  if (target === undefined) {
    const { node, root } = compileSchema(toJsonSchema(schema), budget);
    const validation = isStandard(schema) ? undefined : { root, ...validationNeeds(root, budget) };
    target = new HealTarget(node, budget, validation);
    targets.set(schema, target);
  }
  return target;
}

export function isStandard(schema: SchemaInput): schema is StandardSchema {
  return isObject(schema) && '~standard' in schema;
}

/** Callers without types may pass anything. The schemas of some libraries are functions. */
function isObject(value: unknown): boolean {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}

export function toJsonSchema(schema: SchemaInput): JsonSchema {
  if (!isStandard(schema)) return assertNotOptions(schema);
  const { jsonSchema, vendor } = schema['~standard'];
  if (jsonSchema === undefined) {
    throw new HealError(
      'invalid-schema',
      `${vendor} does not export JSON Schema; use its Standard JSON Schema adapter or pass a JSON Schema`,
    );
  }
  try {
    return jsonSchema.input({
      target: 'draft-2020-12',
      libraryOptions: { unrepresentable: 'any', override: representZod },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new HealError('invalid-schema', `${vendor} could not convert this schema to JSON Schema: ${reason}`);
  }
}

const optionNames: ReadonlySet<string> = new Set<OptionName>([
  'schema',
  'strict',
  'coerceTypes',
  'minConfidence',
  'maxBytes',
  'maxDepth',
]);

/**
 * Catches options passed as a schema, and OpenAI's form `{ name, schema }`. As a JSON Schema, such an object would
 * allow any value.
 */
function assertNotOptions(schema: JsonSchema): JsonSchema {
  const names = Object.keys(schema);
  const option = names.find((name) => optionNames.has(name));
  const isOnlyOptions = names.every((name) => optionNames.has(name) || name === 'name' || name === 'description');
  if (option === undefined || !isOnlyOptions) return schema;
  const problem = `${JSON.stringify(option)} is not a JSON Schema keyword; pass the schema itself, and options as a separate argument`;
  throw new HealError('invalid-schema', problem);
}

/**
 * Adds what zod leaves out because JSON Schema cannot express it, and removes the safe-integer bounds that zod adds.
 */
function representZod(context: {
  zodSchema: { _zod: { def: { type: string; defaultValue?: unknown } } };
  jsonSchema: Record<string, unknown>;
}): void {
  const { type, defaultValue } = context.zodSchema._zod.def;
  const schema = context.jsonSchema;
  if (typeof defaultValue === 'bigint') schema['x-default'] = String(defaultValue);
  if (type === 'bigint') Object.assign(schema, { type: 'integer', 'x-type': 'bigint' });
  if (type === 'date') Object.assign(schema, { type: 'string', format: 'date-time', 'x-type': 'date' });
  if (schema['maximum'] === Number.MAX_SAFE_INTEGER) delete schema['maximum'];
  if (schema['minimum'] === Number.MIN_SAFE_INTEGER) delete schema['minimum'];
}

/** Returns the value as the library's own validation returns it. */
export function validateStandard(schema: StandardSchema, result: HealResult): unknown {
  const checked = runValidation(schema, result);
  if (checked === undefined) return result.value;
  if (checked instanceof Promise) {
    // The promise is not awaited. Its rejection must not end the process.
    checked.catch(() => undefined);
    // zod validates asynchronously after an error, such as one caused by its own recursion.
    if (isDeep(result.value)) throw tooDeep(result);
    throw new HealError(
      'invalid-schema',
      'the schema validates asynchronously; healing supports only synchronous validation',
      result,
    );
  }
  const [issue] = checked.issues ?? [];
  if (issue === undefined) return checked.value;
  const path = (issue.path ?? []).map(toPathKey);
  throw new HealError('invalid-value', `${formatPath(path)}: ${issue.message}`, { ...result, path });
}

function runValidation(
  schema: StandardSchema,
  result: HealResult,
): StandardResult<unknown> | Promise<StandardResult<unknown>> | undefined {
  try {
    return schema['~standard'].validate?.(result.value);
  } catch (error) {
    if (error instanceof RangeError && isDeep(result.value)) throw tooDeep(result);
    throw error;
  }
}

function tooDeep(result: HealResult): HealError {
  const message =
    'the value is nested too deep for the validation of the schema library; set maxDepth to a lower limit';
  return new HealError('too-deep', message, result);
}

/** Values of this depth may exceed the stack of code that recurses. */
const deep = 300;

/** Walks one level after the other, because recursion might fail. */
function isDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; depth < deep && level.length > 0; depth++) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return level.length > 0;
}

function toPathKey(part: PropertyKey | { readonly key: PropertyKey }): PathKey {
  const key = typeof part === 'object' ? part.key : part;
  return typeof key === 'symbol' ? String(key) : key;
}
