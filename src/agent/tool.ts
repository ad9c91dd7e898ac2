// A tool: one definition holds its description for the model, its input schema, whether it has side effects, and its code.
// Failures become results that the model reads, never exceptions.

import { SimpleAgentsError } from '../core/error.ts';
import { omitUndefined, isRecord, type JsonSchema } from '../core/json.ts';
import { text, type DocumentBlock, type ImageBlock, type TextBlock } from '../core/message.ts';
import type { ToolDefinition } from '../core/request.ts';
import { checkShape } from '../core/shape.ts';
import { checkArguments, HealError, type SchemaInput } from '../heal/index.ts';
import { toAliasSchema, toModelSchema } from '../heal/schema/model-schema.ts';
import type { AgentEvent } from './event.ts';
import type { SubagentIdentity } from './policy.ts';
import { toolListShape, toolSpecShape } from './option-shape.ts';
import type { InputOf } from './schema-type.ts';
import type { Spending } from './turn-state.ts';

/**
 * `pure` tools only read: several may run in parallel, and healing may guess their arguments. A `mutating` tool runs alone.
 * A `delegating` tool runs a subagent, whose own calls pass the policies one by one: several may run in parallel, and a
 * cancelled turn waits until the subagent has ended.
 */
export type ToolEffect = 'pure' | 'mutating' | 'delegating';

export interface ToolSpec<S extends SchemaInput> {
  readonly name: string;
  /** For the model: what the tool does, and its limits. */
  readonly description: string;
  /** A zod schema, a schema of another library that provides JSON Schema, or a JSON Schema. Default: no parameters. */
  readonly input?: S;
  /** Default: `mutating`. */
  readonly effect?: ToolEffect;
  /** Called before the user is asked for permission. Must not change anything. See `Tool.preview`. */
  preview?(input: InputOf<S>, caller: ToolCaller): Promise<ToolPreview | ToolAnswer>;
  /** Returns a text, any JSON value, or a `ToolAnswer`. Whatever it throws becomes an error result. */
  run(input: InputOf<S>, context: ToolContext): unknown;
}

/** What a call would do, shown to the user before the decision. */
export interface ToolPreview {
  /** `overwrites a.txt: 50 lines → 2 lines` */
  readonly title: string;
  /** The complete change as a unified diff. */
  readonly text: string;
}

/** Who makes a call. */
export interface ToolCaller {
  /** Undefined for a call of the agent itself. */
  readonly subagent?: SubagentIdentity;
}

export interface ToolContext extends ToolCaller {
  readonly callId: string;
  /** Aborted when the turn is cancelled. The loop does not wait for the tool then. */
  readonly signal: AbortSignal;
  /** Shows a part of the output while the tool runs. The model receives it only if the call is cancelled. */
  readonly output: (chunk: string) => void;
  /**
   * Emits an event other than output, such as a permission request or an event of a subagent. Resolves when the reader
   * requests more; await it to be no faster than the reader.
   */
  readonly emit: (event: AgentEvent) => Promise<void>;
  /** For a tool that calls a model. */
  readonly account: TurnAccount;
}

/** What a turn has spent. */
export interface TurnAccount {
  /** Adds the usage and cost of a model response that a tool caused. */
  readonly spend: (spending: Spending) => void;
  /** Whether the cost limit of the turn is reached. */
  readonly isExhausted: () => boolean;
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
   * Returns the input for `run`: checked against the schema, with defaults and transformations applied. Repairs nothing:
   * throws a `HealError` that names the field.
   */
  checkInput(input: unknown): unknown;
  /**
   * Resolves to what the call would do now, or to the answer if there is nothing to decide. Throws the error of `run` if
   * the call cannot succeed.
   */
  preview?(input: unknown, caller: ToolCaller): Promise<ToolPreview | ToolAnswer>;
  run(input: unknown, context: ToolContext): unknown;
}

const namePattern = /^[a-zA-Z0-9_-]{1,64}$/u;

export function isToolName(name: string): boolean {
  return namePattern.test(name);
}

export function defineTool<const S extends SchemaInput = { readonly type: 'object'; readonly properties: {} }>(
  spec: ToolSpec<S>,
): Tool {
  checkShape(toolSpecShape, spec, { kind: 'configuration', name: 'tool' });
  const { name, description, effect = 'mutating' } = spec;
  if (!isToolName(name)) {
    return invalidOption(`tool ${JSON.stringify(name)}`, 'the name must have 1 to 64 letters, digits, "_" or "-"');
  }
  const schema: SchemaInput = spec.input ?? { type: 'object', properties: {} };
  const inputSchema = toInputSchema(schema, name);
  const healingSchema = toAliasSchema(schema) as JsonSchema | undefined;
  return {
    definition: { name, description, inputSchema, ...omitUndefined({ healingSchema }) },
    effect,
    checkInput: (input) => checkArguments(input, schema, { mayGuess: effect === 'pure' }),
    ...(spec.preview === undefined
      ? {}
      : { preview: (input: unknown, caller: ToolCaller) => spec.preview!(input as InputOf<S>, caller) }),
    run: (input, context) => spec.run(input as InputOf<S>, context),
  };
}

/** The arguments of a call are always an object, even if the schema does not say so. */
function toInputSchema(schema: SchemaInput, name: string): JsonSchema {
  try {
    const inputSchema = { type: 'object', ...toModelSchema(schema) };
    return inputSchema.type === 'object'
      ? inputSchema
      : invalidOption(`tool "${name}": input`, 'must be the schema of an object');
  } catch (error) {
    if (!(error instanceof HealError)) throw error;
    return invalidOption(`tool "${name}": input`, error.message);
  }
}

/** The return value of a tool as the model receives it. */
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

/** Tools by name. Throws `configuration` if two have the same name. */
export function indexTools(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  checkShape(toolListShape, tools, { kind: 'configuration', name: 'tools' });
  const index = new Map<string, Tool>();
  for (const tool of tools) {
    const { name } = tool.definition;
    if (index.has(name)) return invalidOption(`tools: "${name}"`, 'is defined twice; tool names must be unique');
    index.set(name, tool);
  }
  return index;
}

/** Throws `configuration` for an option that cannot be used. */
export function invalidOption(field: string, problem: string): never {
  throw new SimpleAgentsError('configuration', `${field}: ${problem}`, { field });
}
