// Requests JSON output in the best way that the vendor supports. With a schema: the vendor's structured output, else a tool
// that the model must call, whose arguments become the text of the response, else an instruction in the prompt. Without a
// schema: the vendor's JSON mode, else an instruction in the prompt. In all cases the text of the response is JSON. Whether
// it matches the schema is checked elsewhere.

import type { BlockEnd, MessageEnd, StopReason, StreamEvent, ToolCallDelta, ToolCallStart } from '../../core/event.ts';
import { omitUndefined, type JsonSchema } from '../../core/json.ts';
import { argumentsOf, text } from '../../core/message.ts';
import type { CallContext } from '../../core/call.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import { isForcedChoice, isOpaqueTool, type ChatRequest, type ResponseFormat } from '../../core/request.ts';
import type { Capabilities } from '../../providers/vendors.ts';
import { rewriteStream, type Rewriter } from './rewrite.ts';
import { toObjectFormat, WordRewriter } from './word-choice.ts';
import { schemaRules, toVendorSchema } from './vendor-schema.ts';

type JsonSchemaFormat = Extract<ResponseFormat, { type: 'json-schema' }>;

/** `cannotForce`: whether a model refuses forced tool calls. */
export function withStructuredOutput(
  provider: Provider,
  capabilities: Capabilities,
  cannotForce: (request: ChatRequest) => boolean = () => false,
): Provider {
  async function open(request: SchemaRequest, signal: AbortSignal, context?: CallContext): Promise<ModelStream> {
    const { responseFormat: format } = request;
    if (format.isBare === true && capabilities.wordChoice !== true) {
      const asObject = { ...request, responseFormat: toObjectFormat(format) };
      return rewriteStream(await open(asObject, signal, context), new WordRewriter());
    }
    const isWithout = capabilities.formatless?.test(request.model) === true;
    const native = isWithout ? undefined : toNativeFormat(format, capabilities);
    if (native !== undefined) return provider.open({ ...request, responseFormat: native }, signal, context);
    if (cannotForce(request) || !canForceTool(request, format, capabilities)) {
      return provider.open(withSchemaInstruction(request, format, capabilities), signal, context);
    }
    const name = toolNameFor(request);
    const stream = await provider.open(withAnswerTool(request, format, name), signal, context);
    const report = (): void => context?.observe({ call: context.id, type: 'answer-heal', kinds: ['stripped-prose'] });
    return rewriteStream(stream, new AnswerToolRewriter(name, report));
  }
  return {
    name: provider.name,
    open(request, signal, context) {
      if (hasSchema(request)) return open(request, signal, context);
      return provider.open(
        needsJsonInstruction(request, capabilities) ? withJsonInstruction(request) : request,
        signal,
        context,
      );
    },
  };
}

function needsJsonInstruction({ responseFormat }: ChatRequest, capabilities: Capabilities): boolean {
  return (
    responseFormat?.type === 'json' && (capabilities.plainJson === false || capabilities.responseFormat === 'none')
  );
}

function withJsonInstruction({ responseFormat: _format, ...request }: ChatRequest): ChatRequest {
  const words = 'Answer with one JSON object, and with JSON only: no explanation before or after it, no Markdown.';
  return withSystemText(request, words);
}

/** After the caller's own system messages. */
export function withSystemText(request: ChatRequest, words: string): ChatRequest {
  const { messages } = request;
  const turns = messages.findIndex(({ role }) => role !== 'system');
  const place = turns === -1 ? messages.length : turns;
  return { ...request, messages: messages.toSpliced(place, 0, { role: 'system', content: [text(words)] }) };
}

type SchemaRequest = ChatRequest & { readonly responseFormat: JsonSchemaFormat };

function hasSchema(request: ChatRequest): request is SchemaRequest {
  return request.responseFormat?.type === 'json-schema';
}

/** Vendors that compile schemas accept only object schemas. */
function toNativeFormat(
  format: JsonSchemaFormat,
  { responseFormat, schemas }: Capabilities,
): JsonSchemaFormat | undefined {
  if (format.isBare === true) return format;
  if (responseFormat !== 'json-schema' || !isObjectSchema(format.schema)) return undefined;
  if (schemas === undefined) return format;
  // A caller that sets `strict` has written the schema for it.
  if (schemas === 'strict' && format.strict !== undefined) return format;
  const schema = toVendorSchema(format.schema, schemaRules[schemas]);
  if (schemas === 'closed') return schema && { ...format, schema };
  return schema === undefined ? format : { ...format, schema, strict: true };
}

/** A tool call cannot be forced if the caller requires one of its own tools, or if the model reasons first. */
function canForceTool(
  { toolChoice, reasoning }: ChatRequest,
  { schema }: JsonSchemaFormat,
  { tools }: Capabilities,
): boolean {
  const isThinking = reasoning !== undefined && reasoning.effort !== 'none';
  return tools && !isThinking && !isForcedChoice(toolChoice) && isObjectSchema(schema);
}

function isObjectSchema(schema: JsonSchema): boolean {
  return schema['type'] === 'object';
}

function toolNameFor({ tools = [] }: ChatRequest): string {
  const taken = new Set(tools.map((tool) => (isOpaqueTool(tool) ? '' : tool.name)));
  let name = 'respond';
  while (taken.has(name)) name += '_';
  return name;
}

/** If the caller has its own tools, the model may call one of them first. Otherwise it must call this one. */
function withAnswerTool(request: ChatRequest, { schema, description }: JsonSchemaFormat, name: string): ChatRequest {
  const { responseFormat: _format, tools = [], toolChoice, ...rest } = request;
  const own = toolChoice === 'none' ? [] : tools;
  const purpose = 'Gives the final answer. Call it exactly once, with the whole answer.';
  const tool = { name, description: [description, purpose].filter(Boolean).join(' '), inputSchema: schema };
  return { ...rest, tools: [...own, tool], toolChoice: own.length > 0 ? 'required' : { name } };
}

function withSchemaInstruction(
  request: ChatRequest,
  format: JsonSchemaFormat,
  capabilities: Capabilities,
): ChatRequest {
  const { responseFormat: _format, ...rest } = request;
  const words = `Answer with one JSON value that fits the JSON Schema below, and with JSON only: no explanation before or after it, no Markdown.\n\n${JSON.stringify(format.schema)}`;
  // Plain JSON mode gives objects only.
  const isPlain = capabilities.responseFormat === 'json' && isObjectSchema(format.schema);
  return {
    ...withSystemText(rest, words),
    ...omitUndefined({ responseFormat: isPlain ? ({ type: 'json' } as const) : undefined }),
  };
}

/** Turns the call of the answer tool into the text of the response. Other text is held back until the call is ruled out. */
class AnswerToolRewriter implements Rewriter {
  readonly #name: string;
  /** Reports that text was dropped. */
  readonly #report: () => void;
  /** The text of the response, by the index of its call. */
  readonly #written = new Map<number, string>();
  #words: StreamEvent[] = [];
  #hasOtherCalls = false;

  constructor(name: string, report: () => void) {
    this.#name = name;
    this.#report = report;
  }

  push(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'tool-call-start':
        return this.#begin(event);
      case 'tool-call-delta':
        return [this.#continue(event)];
      case 'text-delta':
        return this.#hold(event);
      case 'block-end':
        return event.block.type === 'text' ? this.#hold(event) : [this.#end(event)];
      case 'message-end':
        return this.#finish(event);
      default:
        return [event];
    }
  }

  release(): StreamEvent[] {
    const words = this.#words;
    this.#words = [];
    return words;
  }

  outcomeOf(outcome: Outcome): Outcome {
    return outcome.type === 'complete' ? { ...outcome, stopReason: this.#stopReason(outcome.stopReason) } : outcome;
  }

  #begin(event: ToolCallStart): StreamEvent[] {
    if (event.name === this.#name) {
      this.#written.set(event.index, '');
      return [];
    }
    this.#hasOtherCalls = true;
    return [...this.release(), event];
  }

  #continue(event: ToolCallDelta): StreamEvent {
    const { index, json } = event;
    const before = this.#written.get(index);
    if (before === undefined) return event;
    this.#written.set(index, before + json);
    return { type: 'text-delta', index, text: json };
  }

  #hold(event: StreamEvent): StreamEvent[] {
    if (this.#hasOtherCalls) return [event];
    this.#words.push(event);
    return [];
  }

  #end(event: BlockEnd): BlockEnd {
    const written = this.#written.get(event.index);
    if (written === undefined || event.block.type !== 'tool-call') return event;
    return { ...event, block: text(written === '' ? argumentsOf(event.block) : written) };
  }

  #finish(event: MessageEnd): StreamEvent[] {
    const end = { ...event, stopReason: this.#stopReason(event.stopReason) };
    const words = this.release();
    if (this.#written.size === 0 || words.length === 0) return [...words, end];
    this.#report();
    return [{ type: 'notice', kind: 'warning', detail: 'text besides the structured output was dropped' }, end];
  }

  #stopReason(reason: StopReason): StopReason {
    return reason === 'tool-calls' && this.#written.size > 0 && !this.#hasOtherCalls ? 'end' : reason;
  }
}
