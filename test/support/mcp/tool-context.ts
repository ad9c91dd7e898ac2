// The context of a tool call outside of an agent.

import type { ToolContext } from '../../../src/agent/tool.ts';

export function toolContext(
  output: (chunk: string) => void = () => undefined,
  signal: AbortSignal = new AbortController().signal,
): ToolContext {
  const account = { spend: () => undefined, isExhausted: () => false };
  return { callId: 'call', signal, output, emit: async () => undefined, account };
}
