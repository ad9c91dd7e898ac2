// `withHealing`: heals tool-call arguments that are not JSON or do not match the tool's schema, when their block ends.
// This is the only place in the stack where arguments are healed. Deltas pass unchanged; `block-end` is authoritative. Text
// responses are healed elsewhere (healed-output.ts, client/). The block has the original text (`raw`) and the changes
// (`flags`). The agent knows its tools and decides by their effects whether a healed call may run. A server does not, and
// rejects guesses (healed-output.ts).
// Invariants:
//   1. Arguments that do not parse wait for the stop reason, because at the token limit nothing is healed.
//   2. A request without tools costs nothing: the inner stream is returned.

import type { BlockEnd, MessageEnd, StreamEvent } from '../../core/event.ts';
import { omitUndefined, isRecord, type JsonSchema } from '../../core/json.ts';
import type { ToolCallBlock } from '../../core/message.ts';
import type { CallContext } from '../../core/call.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import { isOpaqueTool, type ChatRequest } from '../../core/request.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import {
  checkSchemaSize,
  healArgumentsInTurns,
  HealError,
  type HealOptions,
  type PatternCompiler,
} from '../../heal/index.ts';
import { macrotask } from '../../core/macrotask.ts';
import { boundedHealing, nextTurn } from './bounded-healing.ts';
import { loadLinearPatterns } from './linear-pattern.ts';
import { rewriteStream, type Rewriter } from './rewrite.ts';

export interface HealingSettings extends Pick<HealOptions, 'strict' | 'coerceTypes' | 'minConfidence'> {
  /** `false`: the model's output is never changed. */
  readonly enabled?: boolean;
}

export interface TargetHealing extends HealingSettings {
  /** `false`: the target's arguments are normally valid, so its bytes may pass unchanged. */
  readonly tools?: boolean;
}

export function withHealing(provider: Provider, settings: TargetHealing = {}): Provider {
  const { enabled = true, tools = true, strict, coerceTypes, minConfidence } = settings;
  if (!enabled) return provider;
  const options = omitUndefined({ strict, coerceTypes, minConfidence });
  async function open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const schemas = inputSchemas(request);
    const patterns = await patternsFor(schemas);
    const stream = await provider.open(request, signal, context);
    if (schemas.size === 0) return stream;
    // The calls of one response share a budget, so that many calls cost no more than one.
    const healer = new ToolCallHealer(schemas, omitUndefined({ ...options, patterns }));
    return rewriteStream(stream, healer, { keepBytes: !tools });
  }
  return {
    name: provider.name,
    open: (request, signal, context) =>
      request.tools === undefined ? provider.open(request, signal, context) : open(request, signal, context),
  };
}

/** Keyed by tool name. Arguments are always an object, even if the schema does not say so. */
export function inputSchemas({ tools = [] }: ChatRequest): Map<string, JsonSchema> {
  const schemas = new Map<string, JsonSchema>();
  for (const tool of tools) {
    if (!isOpaqueTool(tool)) schemas.set(tool.name, { type: 'object', ...(tool.healingSchema ?? tool.inputSchema) });
  }
  return schemas;
}

/** `undefined` if no schema has a pattern. Rejects schemas that are too large. */
export async function patternsFor(schemas: ReadonlyMap<string, JsonSchema>): Promise<PatternCompiler | undefined> {
  return hasPatterns(schemas) ? (await loadLinearPatterns())() : undefined;
}

function hasPatterns(schemas: ReadonlyMap<string, JsonSchema>): boolean {
  let found = false;
  for (const [name, schema] of schemas) {
    try {
      found = checkSchemaSize(schema).hasPattern || found;
    } catch (error) {
      throw error instanceof HealError ? toToolSchemaError(name, error) : error;
    }
  }
  return found;
}

export function toToolSchemaError(tool: string, cause: HealError): SimpleAgentsError {
  return toSchemaError('tools', `parameters of "${tool}": ${cause.message}`, cause);
}

/** A `bad-request` for an unusable schema. `message`: what is wrong with the field. */
export function toSchemaError(field: string, message: string, cause: HealError): SimpleAgentsError {
  const { kind: code } = cause;
  return new SimpleAgentsError('bad-request', `${field}: ${message} (${code})`, { cause, field, code });
}

class ToolCallHealer implements Rewriter {
  readonly #schemas: ReadonlyMap<string, JsonSchema>;
  readonly #options: HealOptions & ReturnType<typeof boundedHealing>;
  /** The original arguments, by index. */
  readonly #written = new Map<number, string>();
  /** The ends of blocks whose arguments may have been cut off. */
  #held: BlockEnd[] = [];

  constructor(schemas: ReadonlyMap<string, JsonSchema>, options: HealOptions) {
    this.#schemas = schemas;
    this.#options = { ...options, ...boundedHealing() };
  }

  push(event: StreamEvent): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    switch (event.type) {
      case 'tool-call-delta':
        this.#written.set(event.index, (this.#written.get(event.index) ?? '') + event.json);
        return [event];
      case 'block-end':
        return this.#finish(event);
      case 'message-end':
        return this.#held.length === 0 ? [event] : this.#endMessage(event);
      default:
        return [event];
    }
  }

  release(): BlockEnd[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }

  async #endMessage(event: MessageEnd): Promise<readonly StreamEvent[]> {
    const held = this.release();
    if (event.stopReason === 'length') return [...held, event];
    const healed: BlockEnd[] = [];
    for (const end of held) healed.push(await this.#heal(end));
    return [...healed, event];
  }

  #finish(end: BlockEnd): readonly StreamEvent[] | Promise<readonly StreamEvent[]> {
    const { block } = end;
    if (block.type !== 'tool-call' || block.flags !== undefined || !this.#schemas.has(block.name)) return [end];
    return this.#finishCall(end, block);
  }

  async #finishCall(end: BlockEnd, block: ToolCallBlock): Promise<readonly StreamEvent[]> {
    if (block.error === undefined) {
      const healed = await this.#heal(end);
      // A call without any text may have been cut off after its name.
      if (healed === end || this.#textOf(end.index, block) !== '') return [healed];
    }
    this.#held.push(end);
    return [];
  }

  async #heal(end: BlockEnd): Promise<BlockEnd> {
    const block = end.block as ToolCallBlock;
    const raw = this.#textOf(end.index, block);
    try {
      const options = { ...this.#options, mayGuess: true };
      await nextTurn(options.budget);
      const { value, flags } = await healArgumentsInTurns(raw, this.#schemas.get(block.name) ?? {}, options, macrotask);
      // Members that the schema does not name pass as written, as they do in a stream.
      const isChanged = flags.some(({ kind }) => kind !== 'dropped-field');
      if (!isChanged && block.error === undefined) return end;
      const { error: _healed, ...call } = block;
      return { ...end, block: { ...call, input: value, raw, flags } };
    } catch (error) {
      if (!(error instanceof HealError)) throw error;
      // An unreadable schema is not the model's fault.
      if (error.kind === 'invalid-schema') return end;
      if (error.kind === 'schema-too-complex') throw toToolSchemaError(block.name, error);
      return {
        ...end,
        block: { ...block, raw, error: `the arguments do not match the tool's schema: ${error.message}` },
      };
    }
  }

  /** The text that the model wrote. Calls of tools without parameters have no text. */
  #textOf(index: number, { raw, input }: ToolCallBlock): string {
    const written = this.#written.get(index) ?? raw;
    if (written !== undefined) return written.trim() === '' ? '' : written;
    return isRecord(input) && Object.keys(input).length === 0 ? '' : JSON.stringify(input);
  }
}
