// Forced tool calls at models that refuse them. If one function is forced, the model writes its arguments as structured
// output, and the caller gets them as the call that it asked for. A choice among several tools has no equivalent, so the
// request is rejected.

import { parseToolCall } from '../../core/assembler.ts';
import type { CallContext } from '../../core/call.ts';
import { SimpleAgentsError, unsupportedField } from '../../core/error.ts';
import type { BlockEnd, StreamEvent, TextDelta } from '../../core/event.ts';
import { textOf } from '../../core/message.ts';
import type { ModelStream, Outcome, Provider } from '../../core/provider.ts';
import { isForcedChoice, isOpaqueTool, type ChatRequest, type ToolDefinition } from '../../core/request.ts';
import { isOwnFormat, refusesForcedTool, type RuledProvider } from '../../providers/vendor-rules.ts';
import { rewriteStream, type Rewriter } from './rewrite.ts';
import { withSystemText } from './structured.ts';

/** `provider` gives structured output. `rules`: how the provider is configured. */
export function withForcedTool(provider: Provider, rules: RuledProvider): Provider {
  async function openStructured(
    request: ChatRequest,
    signal: AbortSignal,
    context?: CallContext,
  ): Promise<ModelStream> {
    const tool = findForced(request);
    if (tool === undefined) throw forcedToolError(provider.name);
    const stream = await provider.open(toStructured(request, tool), signal, context);
    return rewriteStream(stream, new CallRewriter(tool.name));
  }
  return {
    name: provider.name,
    open: (request, signal, context) =>
      isRefused(rules, request) ? openStructured(request, signal, context) : provider.open(request, signal, context),
  };
}

/** Whether the request forces a call that the model refuses and that has no equivalent. */
export function lacksForcedTool(rules: RuledProvider, request: ChatRequest): boolean {
  return isRefused(rules, request) && findForced(request) === undefined;
}

/** For counting tokens, where the choice makes no difference worth an error. */
export function withoutRefusedTool(request: ChatRequest, rules: RuledProvider): ChatRequest {
  return isRefused(rules, request) ? { ...request, toolChoice: 'auto' } : request;
}

function isRefused(rules: RuledProvider, request: ChatRequest): boolean {
  const { tools = [], toolChoice } = request;
  return (
    tools.length > 0 && isForcedChoice(toolChoice) && !isOwnFormat(rules, request) && refusesForcedTool(rules, request)
  );
}

function findForced({ tools = [], toolChoice }: ChatRequest): ToolDefinition | undefined {
  const functions = tools.filter((tool): tool is ToolDefinition => !isOpaqueTool(tool));
  if (typeof toolChoice === 'object') return functions.find(({ name }) => name === toolChoice.name);
  return tools.length === 1 ? functions[0] : undefined;
}

function forcedToolError(target: string): SimpleAgentsError {
  const problem =
    'this model does not accept a forced tool call; force one function by its name, or let the model choose';
  return new SimpleAgentsError('bad-request', `toolChoice: ${problem}`, {
    field: 'toolChoice',
    target,
    code: unsupportedField,
  });
}

/** The tools stay in the request, because the conversation may call them. */
function toStructured(
  request: ChatRequest,
  { name, description = '', inputSchema: schema }: ToolDefinition,
): ChatRequest {
  const purpose = description === '' ? '' : ` Its purpose: ${description}`;
  const words = `Your answer is the arguments of a call of the function "${name}", as one JSON object.${purpose}`;
  return {
    ...withSystemText(request, words),
    toolChoice: 'none',
    responseFormat: { type: 'json-schema', name, schema },
  };
}

/** Turns the text of the response into a tool call. */
class CallRewriter implements Rewriter {
  readonly #name: string;
  #id = '';
  /** The block that becomes the call. */
  #index: number | undefined;

  constructor(name: string) {
    this.#name = name;
  }

  push(event: StreamEvent): readonly StreamEvent[] {
    switch (event.type) {
      case 'message-start':
        // Ids of calls have letters, digits, `_` and `-` in every format.
        this.#id = `call_${event.id.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}`.slice(0, 64);
        return [event];
      case 'text-delta':
        return this.#write(event);
      case 'block-end':
        return event.block.type === 'text' ? this.#end(event) : [event];
      case 'message-end':
        return [
          this.#index !== undefined && event.stopReason === 'end' ? { ...event, stopReason: 'tool-calls' } : event,
        ];
      default:
        return [event];
    }
  }

  release(): readonly StreamEvent[] {
    return [];
  }

  outcomeOf(outcome: Outcome): Outcome {
    const isCall = this.#index !== undefined && outcome.type === 'complete' && outcome.stopReason === 'end';
    return isCall ? { ...outcome, stopReason: 'tool-calls' } : outcome;
  }

  /** Structured output is one text. Blank text before it, and any text besides it, is left out. */
  #write({ index, text: json }: Pick<TextDelta, 'index' | 'text'>): StreamEvent[] {
    const isFirst = this.#index === undefined;
    if (isFirst && json.trim() === '') return [];
    this.#index ??= index;
    if (index !== this.#index) return [];
    const delta = { type: 'tool-call-delta', index, json } as const;
    return isFirst ? [{ type: 'tool-call-start', index, id: this.#id, name: this.#name }, delta] : [delta];
  }

  #end({ index, block }: BlockEnd): StreamEvent[] {
    const raw = textOf([block]);
    const begun = this.#index === undefined ? this.#write({ index, text: raw }) : [];
    if (index !== this.#index) return [];
    return [...begun, { type: 'block-end', index, block: parseToolCall(this.#id, this.#name, raw) }];
  }
}
