// `withPromptCache`: sets cache markers for providers that cache prompts on request. It marks the tools, the system prompt
// and the ends of the last two user messages. The first of those was the end of the previous request, so the cached prefix
// grows with the conversation. Anthropic allows at most four markers.

import type { Block, CacheMarker, Message } from '../core/message.ts';
import { isOpaqueTool, type ChatRequest } from '../core/request.ts';
import type { ModelSource } from './agent.ts';

const mark: CacheMarker = {};

export function withPromptCache(source: ModelSource): ModelSource {
  return {
    name: source.name,
    open: (request, signal, context) => source.open(toMarked(request), signal, context),
    costOf: (response) => source.costOf?.(response),
    contextWindowOf: (model) => source.contextWindowOf?.(model),
  };
}

export function toMarked(request: ChatRequest): ChatRequest {
  const tools = request.tools?.map((tool, index, all) =>
    index === all.length - 1 && !isOpaqueTool(tool) ? { ...tool, cache: mark } : tool,
  );
  return { ...request, messages: markMessages(request.messages), ...(tools === undefined ? {} : { tools }) };
}

function markMessages(messages: readonly Message[]): Message[] {
  const users = messages.flatMap(({ role }, index) => (role === 'user' ? [index] : []));
  const marked = new Set([messages.findLastIndex(({ role }) => role === 'system'), ...users.slice(-2)]);
  return messages.map((message, index) => (marked.has(index) ? markEnd(message) : message));
}

function markEnd({ role, content }: Message): Message {
  const last = content.at(-1);
  return last === undefined ? { role, content } : { role, content: [...content.slice(0, -1), toMarkedBlock(last)] };
}

function toMarkedBlock(block: Block): Block {
  return block.type === 'reasoning' || block.type === 'opaque' ? block : { ...block, cache: mark };
}
