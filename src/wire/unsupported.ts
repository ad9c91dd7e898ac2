// Finds the part of a request that a wire cannot express and without which the response would have another meaning.
// Checked for each target before a call: the router skips such a target, and the provider rejects such a request.

import { isRecord } from '../core/json.ts';
import { mayReturnTo, type Block, type OpaqueBlock } from '../core/message.ts';
import { isOpaqueTool, type ChatRequest, type OpaqueTool } from '../core/request.ts';
import { findInCompletion } from './openai-completions/types.ts';
import { isCarried, ruleOf } from './request-fields.ts';

export interface Unsupported {
  /** Named as in the client's wire. */
  readonly field: string;
  /** Completes the sentence "FIELD: this model …". */
  readonly problem: string;
}

export interface UnsupportedRules {
  readonly wire: string;
  readonly provider?: string | undefined;
  /** The problem with a block that is not opaque, also inside a tool result. */
  readonly findInBlock?: (block: Block) => string | undefined;
}

export function findUnsupported(request: ChatRequest, rules: UnsupportedRules): Unsupported | undefined {
  const { completion } = request;
  return (
    (completion && findInCompletion(completion)) ??
    findField(request, rules) ??
    findTool(request, rules) ??
    findBlock(request, rules)
  );
}

function findField({ extra }: ChatRequest, { wire }: UnsupportedRules): Unsupported | undefined {
  // A caller that sets fields for this wire too knows that it may be used.
  if (extra === undefined || extra[wire] !== undefined) return undefined;
  for (const [other, members] of Object.entries(extra)) {
    for (const [field, value] of Object.entries(members)) {
      if (isRefused(other, field, value)) return { field, problem: 'does not support this field' };
    }
  }
  return undefined;
}

/** A translated field is in `extra` only if its value could not be translated. */
function isRefused(wire: string, field: string, value: unknown): boolean {
  const rule = ruleOf(wire, field, value);
  return rule?.class === 'refused' || (rule?.class === 'translated' && !isCarried(wire, field));
}

function findTool({ tools = [] }: ChatRequest, { wire, provider }: UnsupportedRules): Unsupported | undefined {
  for (const tool of tools) {
    if (!isOpaqueTool(tool) || tool.isOptional || mayReturnTo(tool.origin, wire, provider)) continue;
    return { field: 'tools', problem: `does not support a tool of type "${typeOf(tool)}"` };
  }
  return undefined;
}

function findBlock({ messages }: ChatRequest, rules: UnsupportedRules): Unsupported | undefined {
  for (const { content } of messages) {
    const problem = findInBlocks(content, rules);
    if (problem !== undefined) return { field: 'messages', problem };
  }
  return undefined;
}

function findInBlocks(blocks: readonly Block[], rules: UnsupportedRules): string | undefined {
  for (const block of blocks) {
    if (block.type === 'text') continue;
    const problem = block.type === 'opaque' ? findInOpaque(block, rules) : rules.findInBlock?.(block);
    if (problem !== undefined) return problem;
    const inner = block.type === 'tool-result' ? findInBlocks(block.content, rules) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** A block that another provider created is left out without an error, because it is not part of the client's request. */
function findInOpaque(block: OpaqueBlock, { wire }: UnsupportedRules): string | undefined {
  const { origin } = block;
  if (origin.wire === wire || origin.provider !== undefined) return undefined;
  return `does not support a block of type "${typeOf(block)}"`;
}

/** Google's wire has no types: the name of the only member is the type. */
export function typeOf({ data }: OpaqueTool | OpaqueBlock): string {
  if (!isRecord(data)) return 'unknown';
  return typeof data['type'] === 'string' ? data['type'] : (Object.keys(data)[0] ?? 'unknown');
}
