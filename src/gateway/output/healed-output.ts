// `withCertainText`: for readers that send text on and cannot take it back, such as our server. An answer with a schema
// and the arguments of tool calls (certain-calls.ts) come healed, as text that can no longer change.
// The outermost policy: it has to see what the others, a cache among them, make of the answer.
// Invariants:
//   1. All text of an answer with a schema, joined, is JSON that fits it, or the stream fails; unless the model called
//      tools, refused or paused instead of answering: then its words pass as they came.
//   2. Nothing is sent before something is certain, so that a failure before it is still a refusal with a status.
//   3. Where there are bytes and no schema, the bytes stay as they are.

import type { CallContext } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, MessageEnd, StreamEvent } from '../../core/event.ts';
import { omitUndefined, type JsonSchema } from '../../core/json.ts';
import { text } from '../../core/message.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import { formatPath, HealError, healText, type HealedText, type PatternCompiler } from '../../heal/index.ts';
import { boundedHealing, inSlices } from './bounded-healing.ts';
import { bytesOnlyField } from './bytes-only.ts';
import {
  OrderedCalls,
  ReceivedCalls,
  StreamedCalls,
  type HealedCallEnd,
  type HealedCalls,
} from './healed-tool-calls.ts';
import { inputSchemas, patternsFor, toSchemaError, type HealingSettings } from './healing.ts';
import { loadLinearPatterns } from './linear-pattern.ts';
import { rewriteStream, type Rewriter } from './rewrite.ts';

type BoundedSettings = HealingSettings & ReturnType<typeof boundedHealing>;

/** The settings are asked for with each call, for they may change while the server works. */
export function withHealedOutput(provider: Provider, healing: () => HealingSettings = () => ({})): Provider {
  async function open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const settings = healing();
    const field = bytesOnlyField(request);
    const schema = settings.enabled === false ? undefined : schemaOf(request, field !== undefined);
    if (field !== undefined && schema !== undefined) return rejectBytesOnly(field);
    // A schema that cannot be read is told before anybody is asked.
    const bounds = boundedHealing();
    const answer =
      schema && new HealedResponse(schema, { ...settings, patterns: (await loadLinearPatterns())(), ...bounds });
    const stream = await provider.open(request, signal, context);
    if (field !== undefined && stream.bytes === undefined) return rejectBytesOnly(field, stream);
    const hasCalls = request.tools !== undefined && settings.enabled !== false;
    // Where there are bytes, the arguments of the target are not healed: they pass as they come.
    const isKept = stream.bytes !== undefined && schema === undefined;
    if (schema === undefined && !hasCalls) return stream;
    if (answer !== undefined) answer.target = stream.target;
    const healer = new HealedOutput(answer, context);
    if (isKept) {
      if (hasCalls) healer.calls = receivedCalls(request, healer);
      return rewriteStream(stream, healer, { keepBytes: true });
    }
    if (hasCalls) healer.calls = await healedCalls(request, { ...settings, ...bounds }, healer);
    return rewriteStream(inSlices(stream, bounds.budget), healer);
  }
  return {
    name: provider.name,
    open: (request, signal, context) =>
      isPlain(request) ? provider.open(request, signal, context) : open(request, signal, context),
  };
}

function receivedCalls({ stream }: ChatRequest, { report }: HealedOutput): HealedCalls {
  return stream === true ? new OrderedCalls() : new ReceivedCalls((changes, tool) => report(changes, { tool }));
}

async function healedCalls(
  request: ChatRequest,
  { strict, coerceTypes, minConfidence, budget, maxDepth }: BoundedSettings,
  { report }: HealedOutput,
): Promise<HealedCalls> {
  const schemas = inputSchemas(request);
  const patterns = await patternsFor(schemas);
  const options = omitUndefined({ strict, coerceTypes, minConfidence, patterns, budget, maxDepth });
  return new StreamedCalls(schemas, options, (changes, tool) => report(changes, { tool }));
}

/** Words, of which every one is certain as it comes. */
function isPlain({ responseFormat, choices, tools, extra }: ChatRequest): boolean {
  return responseFormat === undefined && choices === undefined && tools === undefined && extra === undefined;
}

const anyObject: JsonSchema = { type: 'object' };

/** JSON without a schema is healed as well, unless it has to pass as it comes. */
function schemaOf({ responseFormat }: ChatRequest, isBytesOnly: boolean): JsonSchema | undefined {
  if (responseFormat?.type === 'json') return isBytesOnly ? undefined : anyObject;
  return responseFormat?.type === 'json-schema' ? responseFormat.schema : undefined;
}

async function rejectBytesOnly(field: string, stream?: ModelStream): Promise<never> {
  await stream?.[Symbol.asyncIterator]().return?.();
  const problem = 'cannot be given here, because the answer is translated, healed or cached on its way; leave it out';
  throw new SimpleAgentsError('bad-request', `${field}: ${problem}`, { field });
}

class HealedOutput implements Rewriter {
  readonly #answer: HealedResponse | undefined;
  readonly #context: CallContext | undefined;
  /** What came before anything was certain. */
  #opening: StreamEvent[] = [];
  calls: HealedCalls | undefined;
  #hasBegun = false;
  #hasCalls = false;

  constructor(answer: HealedResponse | undefined, context: CallContext | undefined) {
    this.#answer = answer;
    this.#context = context;
  }

  push(event: StreamEvent): readonly StreamEvent[] {
    const certain = this.#toCertain(event);
    if (this.#hasBegun) return certain;
    this.#opening.push(...certain);
    if (certain.every(({ type }) => type === 'message-start' || type === 'notice')) return [];
    this.#hasBegun = true;
    return this.#opening;
  }

  release(): readonly StreamEvent[] {
    return [];
  }

  #toCertain(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'text-delta':
        return this.#answer?.push(event.index, event.text) ?? [event];
      case 'tool-call-start':
        this.#hasCalls = true;
        return this.calls?.push(event) ?? [event];
      case 'tool-call-delta':
        return this.calls?.push(event) ?? [event];
      case 'block-end':
        return this.#endBlock(event);
      case 'message-end':
        return this.#finish(event);
      default:
        return [event];
    }
  }

  #endBlock(end: BlockEnd): readonly StreamEvent[] {
    const { index, block } = end;
    if (block.type === 'text') return this.#answer?.endBlock(index, block.text) ?? [end];
    if (block.type !== 'tool-call') return [end];
    this.#hasCalls = true;
    return this.calls?.push(end as HealedCallEnd) ?? [end];
  }

  #finish(end: MessageEnd): readonly StreamEvent[] {
    const cut = this.calls?.finish(end.stopReason) ?? [];
    if (this.#answer === undefined) return [...cut, end];
    const isNoAnswer = end.stopReason === 'refusal' || end.stopReason === 'pause' || this.#hasCalls;
    if (isNoAnswer && !this.#answer.hasBegun) return [...this.#answer.asWritten(), ...cut, end];
    const { events, flags, confidence } = this.#answer.end(end.stopReason === 'length');
    this.report(flags, { confidence });
    return [...events, ...cut, end];
  }

  /** Reports what healing changed, in the answer or in the arguments of a tool. */
  readonly report = (
    flags: readonly { readonly kind: string }[],
    more: { confidence?: number; tool?: string },
  ): void => {
    if (flags.length === 0 || this.#context === undefined) return;
    const kinds = [...new Set(flags.map(({ kind }) => kind))];
    this.#context.observe({ call: this.#context.id, type: 'answer-heal', kinds, ...more });
  };
}

/** The text of one answer, however many blocks it comes in: it goes out as one. */
class HealedResponse {
  target = '';
  readonly #healed: HealedText;
  /** The first block's. */
  #index: number | undefined;
  #written = '';
  #sent = '';
  readonly #streamed = new Set<number>();

  constructor(schema: JsonSchema, settings: BoundedSettings & { readonly patterns: PatternCompiler }) {
    const { strict, coerceTypes, minConfidence, patterns, budget, maxDepth } = settings;
    const options = omitUndefined({ strict, coerceTypes, minConfidence, patterns, budget, maxDepth });
    this.#healed = this.#explained(() => healText(schema, options));
  }

  get hasBegun(): boolean {
    return this.#sent !== '';
  }

  push(index: number, delta: string): StreamEvent[] {
    this.#index ??= index;
    this.#streamed.add(index);
    this.#written += delta;
    return this.#send(this.#explained(() => this.#healed.push(delta)));
  }

  /** A block may come without deltas. It ends with the answer. */
  endBlock(index: number, whole: string): StreamEvent[] {
    return this.#streamed.has(index) ? [] : this.push(index, whole);
  }

  asWritten(): StreamEvent[] {
    const index = this.#index;
    if (index === undefined) return [];
    return [
      { type: 'text-delta', index, text: this.#written },
      { type: 'block-end', index, block: text(this.#written) },
    ];
  }

  end(isCut: boolean) {
    const { text: rest, flags: made, confidence, leftOut } = this.#explained(() => this.#healed.end(), isCut);
    // Members that the schema does not name are not part of the value; the client still learns that they are gone.
    const flags = leftOut.length === 0 ? made : [...made, { kind: 'dropped-field' }];
    const events = this.#send(rest);
    const index = (this.#index ??= 0);
    events.push({ type: 'block-end', index, block: text(this.#sent) });
    return { events, flags, confidence };
  }

  #send(certain: string): StreamEvent[] {
    if (certain === '') return [];
    this.#sent += certain;
    return [{ type: 'text-delta', index: this.#index ?? 0, text: certain }];
  }

  #explained<T>(step: () => T, isCut = false): T {
    try {
      return step();
    } catch (error) {
      throw error instanceof HealError ? this.#toError(error, isCut) : error;
    }
  }

  #toError(cause: HealError, isCut: boolean): SimpleAgentsError {
    const { value, flags, confidence, path } = cause;
    const field = path.length === 0 ? {} : { field: formatPath(path) };
    const found = { value, flags, confidence, ...field };
    if (cause.kind === 'invalid-schema' || cause.kind === 'schema-too-complex') {
      return toSchemaError('responseFormat', cause.message, cause);
    }
    const why = isCut ? ' (the answer was cut at its token limit)' : '';
    const message = `the answer cannot be healed: ${cause.message}${why}`;
    return new SimpleAgentsError('healing', message, { cause, text: this.#written, target: this.target, ...found });
  }
}
