// The TodoWrite tool: the model's plan as a list that the editor shows. It changes nothing but the display.

import { defineTool, type Tool } from '../../agent/tool.ts';

const description = `Shows the user your plan for a task with several steps, as a list with the state of each step.
- Send the complete list each time: when you start, and whenever a step begins or ends.
- Have exactly one step in_progress. Mark a step completed as soon as it is done.
- Do not use it for a task with one step or for a question.`;

export function createTodoWrite(): Tool {
  return defineTool({
    name: 'TodoWrite',
    description,
    input: {
      type: 'object',
      properties: {
        todos: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              content: { type: 'string', minLength: 1, description: 'The step, in a few words.' },
              status: { type: 'string', enum: ['pending', 'in_progress', 'completed'] },
            },
            required: ['content', 'status'],
          },
        },
      },
      required: ['todos'],
    },
    effect: 'pure',
    run: ({ todos }) => `The plan with ${todos.length} ${todos.length === 1 ? 'step' : 'steps'} is shown to the user.`,
  });
}
