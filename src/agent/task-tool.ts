// The `Task` tool: the model hands a task to a subagent and reads its final text as the result.

import { ParallelLimit } from './parallel-limit.ts';
import type { PolicyAnswer } from './policy.ts';
import { runSubagent, taskToolName, type Subagent, type SubagentHost } from './subagent.ts';
import { defineTool, toErrorAnswer, type Tool } from './tool.ts';

const mostAtOnce = 8;

const introduction = `Hands a task to a subagent, which works on it with its own conversation and returns its final text.
- The subagent sees nothing of this conversation: put everything it needs into prompt, and say what it must report.
- Several calls in one response run in parallel, at most ${mostAtOnce} at a time; the others wait. Give parallel subagents tasks that do not change the same files.
- It cannot start subagents or ask the user. Its tools, permissions and cost limit are at most yours.
- A subagent that fails or reaches a limit is an error with its last text. At most 100 KB of the result are kept, head and tail.`;

/** The first subagent is the default. */
export function createTaskTool(subagents: readonly [Subagent, ...Subagent[]], host: SubagentHost): Tool {
  const limit = new ParallelLimit(mostAtOnce);
  const names = subagents.map(({ name }) => name);
  return defineTool({
    name: taskToolName,
    description: `${introduction}\n\nSubagents:\n${subagents.map(describe).join('\n')}`,
    input: {
      type: 'object',
      properties: {
        description: { type: 'string', minLength: 1, description: 'The task in 3 to 8 words, shown to the user.' },
        prompt: { type: 'string', minLength: 1, description: 'The complete task.' },
        'subagent_type': {
          type: 'string',
          enum: names,
          description: `The name of the subagent. Default: ${names[0]}.`,
        },
      },
      required: ['description', 'prompt'],
    },
    effect: 'delegating',
    run: async ({ description, prompt, 'subagent_type': name }, context): Promise<PolicyAnswer> => {
      const subagent = subagents.find((each) => each.name === name) ?? subagents[0];
      if (prompt.trim() === '') return toErrorAnswer('prompt: must not be empty.');
      return limit.run(() => runSubagent({ subagent, prompt, description }, host, context), context.signal);
    },
  });
}

function describe({ name, description, tools }: Subagent): string {
  const offered = tools === undefined ? 'all of yours' : tools.join(', ') || 'none';
  return `- ${name}: ${description.trim()} (tools: ${offered})`;
}
