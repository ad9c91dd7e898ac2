// The tools of a request for the Converse wire. The API has no tool choice `none`, and it rejects calls in the
// conversation to tools that the request does not declare.

import { omitUndefined, type JsonValue } from '../../core/json.ts';
import { mayReturnTo, type Message } from '../../core/message.ts';
import {
  isForcedChoice,
  isOpaqueTool,
  type ChatRequest,
  type OpaqueTool,
  type ToolChoice,
  type ToolDefinition,
} from '../../core/request.ts';
import { cachePoint, type Encoding } from './encoding.ts';
import { isClaude } from './model-family.ts';
import { wireName } from './types.ts';

export function encodeToolConfig(request: ChatRequest, encoding: Encoding): JsonValue | undefined {
  const { losses } = encoding;
  const { toolChoice, parallelToolCalls } = request;
  const called = calledTools(request.messages);
  const tools = request.tools?.flatMap((tool) => encodeTool(tool, request.model, encoding)) ?? [];
  if (tools.length === 0) return withoutTools(toolChoice, called, encoding);
  // A model without tools does not call any.
  if (toolChoice === 'none' && called.size === 0) return undefined;
  if (toolChoice === 'none')
    losses.drop('toolChoice', 'the tool choice "none" was left out: the API requires the tools of the conversation');
  if (parallelToolCalls === false)
    losses.drop('parallelToolCalls', 'the ban of parallel tool calls was left out: the API has none');
  if (isForcedChoice(toolChoice) && /llama|cohere|ai21/i.test(request.model)) {
    losses.drop('toolChoice', 'the tool choice was left out: the model cannot be forced to call a tool');
    return { tools };
  }
  return omitUndefined({ tools, toolChoice: encodeToolChoice(toolChoice) });
}

function withoutTools(
  toolChoice: ToolChoice | undefined,
  called: ReadonlySet<string>,
  { losses }: Encoding,
): JsonValue | undefined {
  if (isForcedChoice(toolChoice)) losses.drop('toolChoice', 'the tool choice was left out: the request has no tools');
  if (called.size === 0) return undefined;
  losses.add('the tools that the conversation calls were declared: the API requires it');
  return { tools: [...called].map((name) => ({ toolSpec: { name, inputSchema: { json: { type: 'object' } } } })) };
}

function calledTools(messages: readonly Message[]): Set<string> {
  const calls = messages.flatMap(({ content }) => content).filter((block) => block.type === 'tool-call');
  return new Set(calls.map(({ name }) => name));
}

function encodeTool(tool: ToolDefinition | OpaqueTool, model: string, encoding: Encoding): JsonValue[] {
  const { losses, options } = encoding;
  if (isOpaqueTool(tool)) {
    return mayReturnTo(tool.origin, wireName, options.provider) ? [tool.data] : losses.omitTool(tool);
  }
  const { name, inputSchema, strict, cache } = tool;
  losses.takeExtra(tool.extra, wireName);
  // The API rejects an empty description.
  const description = tool.description === '' ? undefined : tool.description;
  const toolSpec = omitUndefined({ name, description, inputSchema: { json: inputSchema }, strict });
  // Only Claude accepts cache points among the tools.
  return cache !== undefined && isClaude(model) ? [{ toolSpec }, cachePoint(cache)] : [{ toolSpec }];
}

function encodeToolChoice(toolChoice: ToolChoice | undefined): JsonValue | undefined {
  if (typeof toolChoice === 'object') return { tool: { name: toolChoice.name } };
  if (toolChoice === 'required') return { any: {} };
  return toolChoice === 'auto' ? { auto: {} } : undefined;
}
