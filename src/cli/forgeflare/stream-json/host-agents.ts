// Subagents that a host defines, with `--agents` or in `initialize`: `{ "reviewer": { "description", "prompt", … } }`. A host
// speaks of the tools and models of the claude CLI. Tools that we do not have are left out, and a model that is named by
// an alias is the model of the run.

import { SimpleAgentsError } from '../../../core/error.ts';
import { isRecord, omitUndefined } from '../../../core/json.ts';
import type { AgentDefinition } from '../../../coder/agents/agent-definition.ts';
import { stringOf } from '../../../streamjson/line.ts';

export const codingToolNames: readonly string[] = ['Read', 'Glob', 'Grep', 'Bash', 'Edit', 'Write'];

const modelAliases: ReadonlySet<string> = new Set(['inherit', 'default', 'opus', 'sonnet', 'haiku', 'fable']);

/** `source`: where the host defines them, for messages. Throws `bad-request` if one is malformed. */
export function toAgents(agents: unknown, source: string): AgentDefinition[] {
  if (agents === undefined || agents === null) return [];
  if (!isRecord(agents)) return invalid(source, 'must be an object of agents');
  return Object.entries(agents).map(([name, agent]) => toAgent(name, agent, `${source}: ${name}`));
}

export function parseAgents(json: string): AgentDefinition[] {
  let agents: unknown;
  try {
    agents = JSON.parse(json);
  } catch (error) {
    return invalid('--agents', `is not JSON: ${(error as Error).message}`);
  }
  return toAgents(agents, '--agents');
}

function toAgent(name: string, agent: unknown, source: string): AgentDefinition {
  if (!isRecord(agent)) return invalid(source, 'must be an object');
  const { description, prompt, tools, model, disallowedTools } = agent;
  if (typeof description !== 'string') return invalid(source, 'description: must be a text');
  if (typeof prompt !== 'string') return invalid(source, 'prompt: must be a text');
  if (disallowedTools !== undefined)
    return invalid(source, 'disallowedTools: is not supported; name the tools instead');
  const own = stringOf(model);
  return {
    name,
    description,
    prompt,
    file: source,
    ...omitUndefined({
      tools: tools === undefined ? undefined : toTools(tools, source),
      model: own === undefined || modelAliases.has(own) ? undefined : own,
    }),
  };
}

function toTools(tools: unknown, source: string): readonly string[] {
  if (!Array.isArray(tools) || !tools.every((tool) => typeof tool === 'string')) {
    return invalid(source, 'tools: must be a list of texts');
  }
  return tools.filter((tool) => codingToolNames.includes(tool) || tool.startsWith('mcp__'));
}

function invalid(where: string, problem: string): never {
  throw new SimpleAgentsError('bad-request', `${where}: ${problem}`);
}
