// `withHealedOutput`: for readers that send text on and cannot take it back, such as our server. Responses with a schema and
// the arguments of tool calls (healed-tool-calls.ts) are healed and released as text that can no longer change. It is the
// outermost policy, so that it also heals cached responses.
// Invariants:
//   1. With a schema, the joined text of a response is JSON that matches it, or the stream fails. If the model called tools,
//      refused or paused instead, its text passes unchanged, and so does a response of which only the bytes have everything
//      (bytes-only.ts).
//   2. No event is released before some text is final, so that an earlier failure can still be sent as an HTTP status.
//   3. If there are bytes and no schema, the bytes stay unchanged.
//   4. A whole response whose text already is JSON that matches the schema stays unchanged, bytes included.

import type { CallContext, CallEvent } from '../../core/call.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import type { BlockEnd, MessageEnd, StreamEvent } from '../../core/event.ts';
import { omitUndefined, type JsonSchema, type JsonValue } from '../../core/json.ts';
import { text, type TextBlock } from '../../core/message.ts';
import type { ModelStream, Provider } from '../../core/provider.ts';
import type { ChatRequest } from '../../core/request.ts';
import {
  formatPath,
  HealError,
  healText,
  isValidText,
  type HealedText,
  type HealTextOptions,
  type PatternCompiler,
} from '../../heal/index.ts';
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
import { readResponse, type WholeResponse } from './whole-response.ts';

type BoundedSettings = HealingSettings & ReturnType<typeof boundedHealing>;

/** `healing` is called for each request, because the settings may be reloaded. */
export function withHealedOutput(provider: Provider, healing: () => HealingSettings = () => ({})): Provider {
  async function open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const settings = healing();
    const field = bytesOnlyField(request);
    // A bare string is not healed only, but also translated.
    const isOff = settings.enabled === false && !isBare(request);
    const format = isOff ? undefined : schemaOf(request);
    // An invalid schema is reported before the model is called.
    const bounds = boundedHealing();
    // A response that is sent whole is healed whole: later text can still change the value.
    const commit = request.stream === true ? 'early' : 'end';
    const patterns = format && (await loadLinearPatterns())();
    const isBareText = isBare(request);
    const options = { ...settings, ...omitUndefined({ patterns }), ...bounds, commit, isBare: isBareText } as const;
    const response = format && new HealedResponse(format, options);
    const omitted = new Set<string>();
    const opened = await provider.open(request, signal, field === undefined ? context : withOmitted(context, omitted));
    const unread = field && bytesOnlyField(request, omitted);
    if (unread !== undefined && opened.bytes === undefined) return rejectBytesOnly(unread, opened);
    const [schema, answer] = unread === undefined ? [format, response] : [];
    const whole = schema === undefined || commit === 'early' ? undefined : await readResponse(opened);
    if (whole !== undefined && !isBareText && needsNoHealing(whole, schema, patterns)) return whole.unchanged;
    const stream = whole?.decoded ?? opened;
    const hasCalls = request.tools !== undefined && settings.enabled !== false;
    // If there are bytes, the arguments pass unchanged and are not healed.
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

/** Tool calls beside bytes pass unchanged, as they do without a schema. */
function needsNoHealing(
  { texts, hasCalls, isNoAnswer, unchanged: { bytes } }: WholeResponse,
  schema: JsonSchema = {},
  patterns: PatternCompiler | undefined,
): boolean {
  if (bytes === undefined && (hasCalls || isNoAnswer || texts.length !== 1)) return false;
  if (hasCalls || isNoAnswer) return true;
  const { budget } = boundedHealing();
  return isValidText(texts.join(''), schema, omitUndefined({ patterns, budget }));
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

/** Plain text, which needs no healing. */
function isPlain({ responseFormat, choices, tools, completion, extra }: ChatRequest): boolean {
  const isText = responseFormat === undefined && choices === undefined && tools === undefined;
  return isText && completion === undefined && extra === undefined;
}

const anyObject: JsonSchema = { type: 'object' };

/** JSON without a schema is healed as well. */
function schemaOf({ responseFormat }: ChatRequest): JsonSchema | undefined {
  if (responseFormat?.type === 'json') return anyObject;
  return responseFormat?.type === 'json-schema' ? responseFormat.schema : undefined;
}

function isBare({ responseFormat }: ChatRequest): boolean {
  return responseFormat?.type === 'json-schema' && responseFormat.isBare === true;
}

async function rejectBytesOnly(field: string, stream: ModelStream): Promise<never> {
  await stream[Symbol.asyncIterator]().return?.();
  const problem = 'is not supported here, because the response is translated, changed or cached; remove it';
  throw new SimpleAgentsError('bad-request', `${field}: ${problem}`, { field });
}

/** Collects the fields that the target does not get. */
function withOmitted(context: CallContext | undefined, omitted: Set<string>): CallContext | undefined {
  if (context === undefined) return undefined;
  const observe = (event: CallEvent): void => {
    if (event.type === 'field-drop') for (const name of event.fields) omitted.add(name);
    context.observe(event);
  };
  return { ...context, observe };
}

class HealedOutput implements Rewriter {
  readonly #answer: HealedResponse | undefined;
  readonly #context: CallContext | undefined;
  /** Events before the first final text. */
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
    if (block.type === 'text') return this.#answer?.endBlock(index, block) ?? [end];
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

/** The text of one response. Several blocks are joined into one. */
class HealedResponse {
  target = '';
  readonly #healed: HealedText;
  /** The index of the first block. */
  #index: number | undefined;
  #written = '';
  #sent = '';
  /** For a bare string: its JSON, until it is complete. */
  #held: string | undefined;
  readonly #streamed = new Set<number>();
  readonly #citations: JsonValue[] = [];

  constructor(schema: JsonSchema, settings: BoundedSettings & HealTextOptions & { readonly isBare: boolean }) {
    this.#held = settings.isBare ? '' : undefined;
    const { strict, coerceTypes, minConfidence, patterns, commit, budget, maxDepth } = settings;
    const options = omitUndefined({ strict, coerceTypes, minConfidence, patterns, commit, budget, maxDepth });
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

  /** A block may come without deltas. Its end is sent with the end of the response. */
  endBlock(index: number, { text: whole, citations = [] }: TextBlock): StreamEvent[] {
    this.#citations.push(...citations);
    return this.#streamed.has(index) ? [] : this.push(index, whole);
  }

  asWritten(): StreamEvent[] {
    const index = this.#index;
    if (index === undefined) return [];
    return [
      { type: 'text-delta', index, text: this.#written },
      { type: 'block-end', index, block: this.#block(this.#written) },
    ];
  }

  end(isCut: boolean) {
    const { text: rest, flags, confidence } = this.#explained(() => this.#healed.end(), isCut);
    const events = this.#send(rest);
    events.push(...this.#sendHeld());
    const index = (this.#index ??= 0);
    events.push({ type: 'block-end', index, block: this.#block(this.#sent) });
    return { events, flags, confidence };
  }

  #block(whole: string): TextBlock {
    return this.#citations.length === 0 ? text(whole) : { ...text(whole), citations: this.#citations };
  }

  #send(certain: string): StreamEvent[] {
    if (certain === '') return [];
    if (this.#held !== undefined) {
      this.#held += certain;
      return [];
    }
    this.#sent += certain;
    return [{ type: 'text-delta', index: this.#index ?? 0, text: certain }];
  }

  #sendHeld(): StreamEvent[] {
    const held = this.#held;
    this.#held = undefined;
    return held === undefined ? [] : this.#send(JSON.parse(held) as string);
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
    const why = isCut ? ' (the response was cut off at its token limit)' : '';
    const message = `the response cannot be healed: ${cause.message}${why}`;
    return new SimpleAgentsError('healing', message, { cause, text: this.#written, target: this.target, ...found });
  }
}
