// The agents that a Task call can choose from: the built-in ones, the user's, the project's, and those of the front end. An
// agent replaces one of the same name that comes before it in this order. Its tools are a subset of the run's.

import type { Subagent } from '../../agent/subagent.ts';
import { SimpleAgentsError } from '../../core/error.ts';
import { omitUndefined } from '../../core/json.ts';
import { didYouMean } from '../../core/suggest.ts';
import type { AgentDefinition } from './agent-definition.ts';

const builtIn: readonly AgentDefinition[] = [
  { name: 'general', description: 'Any task with several steps: searching, changing files, running commands.' },
  {
    name: 'explore',
    description: 'Finds files and answers questions about the code. Changes nothing.',
    tools: ['Read', 'Glob', 'Grep'],
  },
];

export interface SubagentSetting {
  /** In order: the user's, the project's, the front end's. */
  readonly agents: readonly AgentDefinition[];
  /** The names of all tools of the coding agent, also of those that this run does not offer. */
  readonly known: readonly string[];
  /** The names of the tools of this run. */
  readonly offered: readonly string[];
  /** The system prompt of an agent with these instructions. */
  readonly systemOf: (prompt: string | undefined) => string;
  /** Throws if no provider has the model. */
  readonly checkModel: (name: string) => unknown;
  readonly warn: (line: string) => void;
}

/** Throws `configuration` if an agent names a tool that does not exist. */
export function toSubagents(setting: SubagentSetting): Subagent[] {
  const byName = new Map([...builtIn, ...setting.agents].map((agent) => [agent.name, agent]));
  const agents = [...byName.values()];
  const problems = agents.flatMap((agent) => findUnknownTools(agent, setting));
  if (problems.length > 0) throw new SimpleAgentsError('configuration', problems.join('\n'), { field: 'agents' });
  for (const agent of agents) checkModel(agent, setting);
  return agents.map((agent) => toSubagent(agent, setting));
}

function toSubagent({ name, description, tools, model, prompt }: AgentDefinition, setting: SubagentSetting): Subagent {
  const { offered, systemOf } = setting;
  const chosen = tools?.filter((tool) => offered.includes(tool));
  return { name, description, system: systemOf(prompt), ...omitUndefined({ tools: chosen, model }) };
}

/** The tools of an MCP server may be missing because the server is, so they only cause a warning. */
function findUnknownTools({ name, file, tools = [] }: AgentDefinition, { known, warn }: SubagentSetting): string[] {
  const problems: string[] = [];
  for (const tool of tools.filter((each) => !known.includes(each))) {
    const hint = didYouMean(tool, known) || `; the tools are: ${known.join(', ')}`;
    const problem = `${file ?? `agent ${name}`}: tools: there is no tool ${JSON.stringify(tool)}${hint}`;
    if (tool.startsWith('mcp__')) warn(problem);
    else problems.push(problem);
  }
  return problems;
}

/** Only a warning, because the keys of the user and not the file decide whether a model is available. */
function checkModel({ name, file, model }: AgentDefinition, setting: SubagentSetting): void {
  if (model === undefined) return;
  try {
    setting.checkModel(model);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    setting.warn(`${file ?? `agent ${name}`}: model: ${reason}; tasks for this agent will fail`);
  }
}
