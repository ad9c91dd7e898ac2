// `withCertainText`: for readers that send text on and cannot take it back, such as our server. An answer that has a
// schema comes healed, as text that can no longer change; a tool call's arguments come when they are whole and healed.
// The outermost policy: it has to see what the others, a cache among them, make of the answer.
// Invariants:
//   1. All text of an answer with a schema, joined, is JSON that fits it, or the stream fails; unless the model called
//      tools, refused or paused instead of answering: then its words pass as they came.
//   2. Arguments of a call that no healing made JSON fail the stream, unless the token limit cut them; those that are
//      JSON but do not fit their tool pass, for the reader to answer.
//   3. Nothing is handed out before something is certain, so that a failure before it is still a refusal.
//   4. Where there are bytes and no schema, nothing is done at all: the bytes are good as they are.

import type { CallContext } from '../core/call.ts';
import { SimpleAgentsError } from '../core/error.ts';
import type { BlockEnd, MessageEnd, StreamEvent } from '../core/event.ts';
import { compact, type JsonSchema } from '../core/json.ts';
import { argumentsOf, text, type ToolCallBlock } from '../core/message.ts';
import type { ModelStream, Provider } from '../core/provider.ts';
import type { ChatRequest } from '../core/request.ts';
import {
  formatPath,
  HealError,
  healText,
  type HealBudget,
  type HealedText,
  type PatternCompiler,
} from '../heal/index.ts';
import { boundedHealing, inSlices } from './bounded-healing.ts';
import type { HealingSettings } from './heal.ts';
import { loadLinearPatterns } from './linear-pattern.ts';
import { rewriteStream, type Rewriter } from './rewrite.ts';

/** The settings are asked for with each call, for they may change while the server works. */
export function withCertainText(provider: Provider, healing: () => HealingSettings = () => ({})): Provider {
  async function open(request: ChatRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const settings = healing();
    const schema = settings.enabled === false ? undefined : schemaOf(request);
    const isSeveral = (request.choices ?? 1) > 1;
    if (isSeveral && schema !== undefined) return refuseSeveral();
    // A schema that cannot be read is told before anybody is asked.
    const answer = schema && new CertainAnswer(schema, settings, (await loadLinearPatterns())());
    const stream = await provider.open(request, signal, context);
    if (isSeveral && stream.bytes === undefined) return refuseSeveral(stream);
    if (schema === undefined && (stream.bytes !== undefined || request.tools === undefined)) return stream;
    if (answer !== undefined) answer.target = stream.target;
    return rewriteStream(answer === undefined ? stream : inSlices(stream), new CertainText(answer, context));
  }
  return {
    name: provider.name,
    open: (request, signal, context) =>
      isPlain(request) ? provider.open(request, signal, context) : open(request, signal, context),
  };
}

/** Words, of which every one is certain as it comes. */
function isPlain({ responseFormat, choices, tools }: ChatRequest): boolean {
  return responseFormat === undefined && choices === undefined && tools === undefined;
}

function schemaOf({ responseFormat }: ChatRequest): JsonSchema | undefined {
  return responseFormat?.type === 'json-schema' ? responseFormat.schema : undefined;
}

/** Only an upstream's own bytes hold more than one answer. */
async function refuseSeveral(stream?: ModelStream): Promise<never> {
  await stream?.[Symbol.asyncIterator]().return?.();
  throw new SimpleAgentsError(
    'bad-request',
    'n: one answer at a time can be given here, because it is translated or healed on its way; leave n out',
    { field: 'n' },
  );
}

class CertainText implements Rewriter {
  readonly #answer: CertainAnswer | undefined;
  readonly #context: CallContext | undefined;
  /** What came before anything was certain. */
  #opening: StreamEvent[] = [];
  /** Ends of calls whose arguments are no JSON. */
  readonly #broken: BlockEnd[] = [];
  #hasBegun = false;
  #hasCalls = false;

  constructor(answer: CertainAnswer | undefined, context: CallContext | undefined) {
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
        return [event];
      case 'tool-call-delta':
        return [];
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
    this.#tell(block.flags, { tool: block.name });
    if (!isJson(argumentsOf(block))) {
      this.#broken.push(end);
      return [];
    }
    return [{ type: 'tool-call-delta', index, json: argumentsOf(block) }, end];
  }

  #finish(end: MessageEnd): readonly StreamEvent[] {
    const cut = this.#releaseBroken(end);
    if (this.#answer === undefined) return [...cut, end];
    const isNoAnswer = end.stopReason === 'refusal' || end.stopReason === 'pause' || this.#hasCalls;
    if (isNoAnswer && !this.#answer.hasBegun) return [...this.#answer.asWritten(), ...cut, end];
    const { events, flags, confidence } = this.#answer.end(end.stopReason === 'length');
    this.#tell(flags, { confidence });
    return [...events, ...cut, end];
  }

  /** A call that the token limit cut is half a call on every wire, and its reader is told so by the stop reason. */
  #releaseBroken({ stopReason }: MessageEnd): readonly StreamEvent[] {
    const [first] = this.#broken;
    if (first?.block.type === 'tool-call' && stopReason !== 'length') {
      const { name, raw = '', error = 'they are no JSON' } = first.block;
      throw new SimpleAgentsError('healing', `the call of ${name} cannot be healed: ${error}`, { text: raw });
    }
    return this.#broken.flatMap((end) => [
      { type: 'tool-call-delta', index: end.index, json: argumentsOf(end.block as ToolCallBlock) } as const,
      end,
    ]);
  }

  #tell(flags: readonly { readonly kind: string }[] = [], more: { confidence?: number; tool?: string }): void {
    if (flags.length === 0 || this.#context === undefined) return;
    const kinds = [...new Set(flags.map(({ kind }) => kind))];
    this.#context.observe({ call: this.#context.id, type: 'answer-heal', kinds, ...more });
  }
}

function isJson(written: string): boolean {
  try {
    JSON.parse(written);
    return true;
  } catch {
    return false;
  }
}

/** The text of one answer, however many blocks it comes in: it goes out as one. */
class CertainAnswer {
  target = '';
  readonly #healed: HealedText;
  readonly #budget: HealBudget;
  /** The first block's. */
  #index: number | undefined;
  #written = '';
  #sent = '';
  readonly #streamed = new Set<number>();

  constructor(schema: JsonSchema, settings: HealingSettings, patterns: PatternCompiler) {
    const { strict, coerceTypes, minConfidence } = settings;
    const bounds = boundedHealing();
    this.#budget = bounds.budget;
    this.#healed = this.#explained(() =>
      healText(schema, compact({ strict, coerceTypes, minConfidence, patterns, ...bounds })),
    );
  }

  get hasBegun(): boolean {
    return this.#sent !== '';
  }

  push(index: number, delta: string): StreamEvent[] {
    this.#index ??= index;
    this.#streamed.add(index);
    this.#written += delta;
    this.#budget.startTurn();
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
    this.#budget.startTurn();
    const { text: rest, flags, confidence } = this.#explained(() => this.#healed.end(), isCut);
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
      const message = `response_format: ${cause.message}`;
      return new SimpleAgentsError('bad-request', message, { cause, field: 'response_format' });
    }
    const why = isCut ? ' (the answer was cut at its token limit)' : '';
    const message = `the answer cannot be healed: ${cause.message}${why}`;
    return new SimpleAgentsError('healing', message, { cause, text: this.#written, target: this.target, ...found });
  }
}
