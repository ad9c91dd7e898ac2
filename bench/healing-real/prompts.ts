// The prompt of a task in each style. A base model continues `plain` and `fence`; an instruction model answers the rest.

import type { Task } from './tasks.ts';

export type Style = 'plain' | 'fence' | 'shape' | 'schema' | 'shot' | 'explain';

export interface Prompt {
  readonly text: string;
  /** A worked example, as an earlier turn of the conversation. */
  readonly earlier?: { readonly text: string; readonly response: string };
}

const prompts: Readonly<Record<Style, (task: Task, input: string) => string>> = {
  plain: ({ instruction, shape, example }, input) =>
    `${instruction} Answer with JSON: ${shape}\n\nText: ${example.input}\nJSON: ${JSON.stringify(example.value)}\n\n` +
    `Text: ${input}\nJSON:`,
  fence: ({ instruction, shape, example }, input) =>
    `${instruction} Answer with JSON: ${shape}\n\nText: ${example.input}\nAnswer:\n${fenced(example.value)}\n\n` +
    `Text: ${input}\nAnswer:`,
  shape: ({ instruction, shape }, input) =>
    `${instruction} Answer with JSON only, in this shape: ${shape}\n\nText: ${input}`,
  schema: ({ instruction, schema }, input) =>
    `${instruction} Answer with a JSON value that matches this JSON Schema:\n${JSON.stringify(schema)}\n\nText: ${input}`,
  shot: ({ instruction }, input) => `${instruction} Answer with JSON only.\n\nText: ${input}`,
  explain: ({ instruction, shape }, input) =>
    `${instruction} First explain your reasoning, then give the answer as JSON in this shape: ${shape}\n\nText: ${input}`,
};

export function promptOf(style: Style, task: Task, input: string): Prompt {
  const text = prompts[style](task, input);
  if (style !== 'shot') return { text };
  return {
    text,
    earlier: { text: prompts.shot(task, task.example.input), response: JSON.stringify(task.example.value) },
  };
}

function fenced(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``;
}
