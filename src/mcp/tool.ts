// MCP tools as tools of an agent. A tool whose schema cannot be used is left out, with the reason.

import { defineTool, type Tool, type ToolAnswer, type ToolContext } from '../agent/tool.ts';
import { isRecord, type JsonSchema } from '../core/json.ts';
import { quote, type ListedTool } from './listing.ts';
import { toToolName } from './tool-name.ts';

type CallTool = (tool: ListedTool, input: Record<string, unknown>, context: ToolContext) => Promise<ToolAnswer>;

export interface ConvertedTools {
  readonly tools: readonly Tool[];
  readonly problems: readonly string[];
}

export function toTools(server: string, listed: readonly ListedTool[], call: CallTool): ConvertedTools {
  const tools = new Map<string, Tool>();
  const problems: string[] = [];
  for (const each of listed) {
    const name = toToolName(server, each.name);
    try {
      if (tools.has(name)) throw new Error(`another tool has the name ${name}`);
      tools.set(name, toTool(name, each, call));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      problems.push(`the tool ${quote(each.name)} was left out: ${reason.slice(0, 300)}`);
    }
  }
  return { tools: [...tools.values()], problems };
}

function toTool(name: string, listed: ListedTool, call: CallTool): Tool {
  const { description, inputSchema = {}, isReadOnly, needsTask } = listed;
  if (needsTask) throw new Error('it runs only as a task of MCP, which is not supported');
  if (!isRecord(inputSchema)) throw new Error('its input schema is not an object');
  const tool = defineTool({
    name,
    description,
    input: inputSchema as JsonSchema,
    effect: isReadOnly ? 'pure' : 'mutating',
    run: (input, context) => call(listed, input as Record<string, unknown>, context),
  });
  // The model sees the schema as the server wrote it.
  return { ...tool, definition: { ...tool.definition, inputSchema: { type: 'object', ...inputSchema } } };
}
