// A tool: one definition gives what the model is told, how its input is checked, whether it changes anything, and what
// runs. Knows no loop. Failures of every kind are answers the model reads, never exceptions.

import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined, isRecord, type JsonSchema } from '../core/json.ts';
import { text, type DocumentBlock, type ImageBlock, type TextBlock } from '../core/message.ts';
import type { ToolDefinition } from '../core/request.ts';
import { checkArguments, HealError, type SchemaInput } from '../heal/index.ts';
import { toAliasSchema, toModelSchema } from '../heal/schema/model-schema.ts';
import type { AgentEvent } from './event.ts';
import type { InputOf } from './schema-type.ts';

/** `pure` tools only read, so several may run at once, and arguments may be guessed. A `mutating` one runs alone. */
export type ToolEffect = 'pure' | 'mutating';

export interface ToolSpec<S extends SchemaInput> {
  readonly name: string;
  /** For the model: what it does, and its limits. */
  readonly description: string;
  /** From zod, from another library that gives JSON Schema, or a JSON Schema itself. Left out: no parameters. */
  readonly input?: S;
  /** `mutating` when left out. */
  readonly effect?: ToolEffect;
  /** Called before the user is asked whether the call may run. Changes nothing. See `Tool.preview`. */
  preview?(input: InputOf<S>): Promise<ToolPreview | ToolAnswer>;
  /** Gives a text, any JSON value, or a `ToolAnswer`. What it throws is told to the model as an error. */
  run(input: InputOf<S>, context: ToolContext): unknown;
}

/** What a call would do, for the user to decide about. */
export interface ToolPreview {
  /** `overwrites a.txt: 50 lines → 2 lines` */
  readonly title: string;
  /** All of it, as a unified diff. */
  readonly text: string;
}

export interface ToolContext {
  readonly callId: string;
  /** Aborted when the turn is cancelled: the tool is not waited for then. */
  readonly signal: AbortSignal;
  /** Shows a part of the output while the tool runs. The model reads it only when the call is cancelled. */
  readonly output: (chunk: string) => void;
  /** Tells of something beside the output: a permission asked for, an agent inside the tool. */
  readonly emit: (event: AgentEvent) => void;
}

export interface ToolAnswer {
  readonly content: readonly ToolAnswerPart[];
  readonly isError?: boolean;
}

export type ToolAnswerPart = TextBlock | ImageBlock | DocumentBlock;

export interface Tool {
  readonly definition: ToolDefinition;
  readonly effect: ToolEffect;
  /**
   * The input as `run` takes it: checked against the schema, with its defaults and transformations. Repairs nothing:
   * throws a `HealError` that names the field.
   */
  checkInput(input: unknown): unknown;
  /**
   * What the call would do at this moment, or the answer where nothing is left to decide. Throws when the call cannot
   * succeed, in the words of `run`.
   */
  preview?(input: unknown): Promise<ToolPreview | ToolAnswer>;
  run(input: unknown, context: ToolContext): unknown;
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/u;

export function defineTool<const S extends SchemaInput = { readonly type: 'object'; readonly properties: {} }>(
  spec: ToolSpec<S>,
): Tool {
  const { name, description, effect = 'mutating' } = spec;
  if (!namePattern.test(name)) {
    return invalidOption(`tool ${JSON.stringify(name)}`, 'a name has 1 to 64 letters, digits, "_" or "-"');
  }
  const schema: SchemaInput = spec.input ?? { type: 'object', properties: {} };
  const inputSchema = toInputSchema(schema, name);
  const healingSchema = toAliasSchema(schema) as JsonSchema | undefined;
  return {
    definition: { name, description, inputSchema, ...omitUndefined({ healingSchema }) },
    effect,
    checkInput: (input) => checkArguments(input, schema, { mayGuess: effect === 'pure' }),
    ...(spec.preview === undefined ? {} : { preview: (input: unknown) => spec.preview!(input as InputOf<S>) }),
    run: (input, context) => spec.run(input as InputOf<S>, context),
  };
}

/** The arguments of a call are an object, also where the schema leaves that unsaid. */
function toInputSchema(schema: SchemaInput, name: string): JsonSchema {
  try {
    const asked = { type: 'object', ...toModelSchema(schema) };
    return asked.type === 'object' ? asked : invalidOption(`tool "${name}": input`, 'must be the schema of an object');
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return invalidOption(`tool "${name}": input`, error.message);
  }
}

/** What a tool gave back, as the model reads it. */
export function toAnswer(output: unknown): ToolAnswer {
  if (isAnswer(output)) return output;
  if (typeof output === 'string') return { content: [text(output)] };
  if (output === undefined || output === null) return { content: [] };
  return { content: [text(JSON.stringify(output) ?? '')] };
}

export function toErrorAnswer(message: string): ToolAnswer {
  return { content: [text(message)], isError: true };
}

const partTypes: readonly unknown[] = ['text', 'image', 'document'] satisfies ToolAnswerPart['type'][];

function isAnswer(output: unknown): output is ToolAnswer {
  if (!isRecord(output) || !Array.isArray(output['content'])) return false;
  return output['content'].every((part) => isRecord(part) && partTypes.includes(part['type']));
}

/** Tools by name. Throws `configuration` when two have the same one. */
export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  const index = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.definition;
    if (index.has(name)) return invalidOption(`tools: "${name}"`, 'stands there twice; names must differ');
    index.set(name, tool);
  }
  return index;
}

/** Throws `configuration` for an option that cannot be used. */
export function invalidOption(field: string, problem: string): never {
  throw new SimpleAgentsError('configuration', `${field}: ${problem}`, { field });
}
