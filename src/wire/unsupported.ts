// What a request asks for that a wire has no words for, and without which the answer would mean something else. Judged
// before a call for each target: a router passes such a target over, and a provider that is asked all the same refuses.

import { isRecord } from '../core/json.ts';
import { mayReturnTo, type Block, type OpaqueBlock } from '../core/message.ts';
import { isOpaqueTool, type ChatRequest, type OpaqueTool } from '../core/request.ts';
import { isCarried, ruleOf } from './request-fields.ts';

export interface Unsupported {
  /** As a request of the client's wire has it. */
  readonly field: string;
  /** Completes the sentence "FIELD: this model …". */
  readonly problem: string;
}

export interface UnsupportedRules {
  readonly wire: string;
  readonly provider?: string | undefined;
  /** Of a block of any kind but opaque, outside and inside tool results. */
  readonly findInBlock?: (block: Block) => string | undefined;
}

export function findUnsupported(request: ChatRequest, rules: UnsupportedRules): Unsupported | undefined {
  return findField(request, rules) ?? findTool(request, rules) ?? findBlock(request, rules);
}

function findField({ extra }: ChatRequest, { wire }: UnsupportedRules): Unsupported | undefined {
  // Whoever has fields for this wire as well knows which wires may answer.
  if (extra === undefined || extra[wire] !== undefined) return undefined;
  for (const [other, members] of Object.entries(extra)) {
    for (const [field, value] of Object.entries(members)) {
      if (isRefused(other, field, value)) return { field, problem: 'has nothing like it' };
    }
  }
  return undefined;
}

/** A field that is translated comes here only with a value that could not be. */
function isRefused(wire: string, field: string, value: unknown): boolean {
  const rule = ruleOf(wire, field, value);
  return rule?.class === 'refused' || (rule?.class === 'translated' && !isCarried(wire, field));
}

function findTool({ tools = [] }: ChatRequest, { wire, provider }: UnsupportedRules): Unsupported | undefined {
  for (const tool of tools) {
    if (!isOpaqueTool(tool) || mayReturnTo(tool.origin, wire, provider)) continue;
    return { field: 'tools', problem: `cannot use a tool of type "${kindOf(tool)}"` };
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

/** A block that a provider of ours wrote and that we carry along is left out elsewhere: it is no part of what was asked. */
function findInOpaque(block: OpaqueBlock, { wire }: UnsupportedRules): string | undefined {
  const { origin } = block;
  if (origin.wire === wire || origin.provider !== undefined) return undefined;
  return `cannot read a block of type "${kindOf(block)}"`;
}

function kindOf({ data }: OpaqueTool | OpaqueBlock): string {
  return isRecord(data) && typeof data['type'] === 'string' ? data['type'] : 'unknown';
}
