// The system prompt of the coding agent: its role, its environment, how to work, and the project's own instructions (see
// instructions.ts). Pure functions.

export interface PromptEnvironment {
  readonly cwd: string;
  /** Further folders that the file tools may use. */
  readonly extraRoots?: readonly string[];
  /** A value of `process.platform`. */
  readonly platform: string;
  /** The current date, such as `2026-11-16`. */
  readonly date: string;
  /** Undefined outside a repository. */
  readonly git?: { readonly branch: string };
  /** The limits on Bash commands, such as `no network, only the workspace can be written`. */
  readonly sandbox?: string;
}

/** A file with instructions for agents. */
export interface Instructions {
  /** The path by which the model refers to it. */
  readonly path: string;
  readonly text: string;
}

const role =
  'You are forgeflare, a coding agent in a terminal. You help with software engineering: you read code, change it, run ' +
  'commands and report what you did. You act through tools; all other text you write is shown to the user as plain text.';

const workflow = `# How you work
- Read before you edit: look at a file with Read before you change it, and at its neighbours before you add one.
- Search first: find names and locations with Grep and Glob instead of guessing them. Make independent calls in one response.
- Make minimal changes: only what was asked for, in the style of the surrounding code. Edit needs text that occurs in the file exactly once, or replace_all.
- Verify: after a change, run the tests or the program and read their output. Say so if you could not.
- Be careful with Bash: nothing destructive unless asked to, no commands that wait for input, no secrets. Use Read, Glob and Grep to look at files, and Bash to run programs.
- Analyse errors: read the complete message, find the cause, and change something before you try again. If a tool call was refused, there was a reason: find another way or ask.
- Be brief: end with what you changed and how you know that it works. Refer to code as path:line.`;

export function toSystemPrompt(environment: PromptEnvironment, instructions: readonly Instructions[] = []): string {
  const sections = [role, describeEnvironment(environment), workflow];
  if (instructions.length > 0) sections.push(quote(instructions));
  return sections.join('\n\n');
}

const reporting = `# Your task
- You work on one task for another agent. The user does not see your text and cannot answer questions.
- Your final text is all that the other agent gets: report what it asked for, completely and briefly, with path:line references.
- If something is missing or refused, say so in the report instead of working around it.`;

/** For an agent that works on a single task. Without instructions of its own, it has those of the coding agent. */
export function toSubagentPrompt(
  prompt: string | undefined,
  environment: PromptEnvironment,
  instructions: readonly Instructions[] = [],
): string {
  const usual = toSystemPrompt(environment, instructions);
  if (prompt === undefined) return `${usual}\n\n${reporting}`;
  const sections = [prompt, describeEnvironment(environment), reporting];
  if (instructions.length > 0) sections.push(quote(instructions));
  return sections.join('\n\n');
}

function describeEnvironment({ cwd, extraRoots = [], platform, date, git, sandbox }: PromptEnvironment): string {
  const lines = [
    '# Environment',
    `- Working directory: ${cwd}`,
    ...extraRoots.map((path) => `- Further directory for the file tools: ${path}`),
    `- Platform: ${platform}`,
    `- Date: ${date}`,
    `- Git: ${git === undefined ? 'not a repository' : `branch ${git.branch}`}`,
  ];
  if (sandbox !== undefined) lines.push(`- Bash: ${sandbox}`);
  return lines.join('\n');
}

/** The nearest file comes last, because it takes precedence. */
function quote(instructions: readonly Instructions[]): string {
  const parts = instructions.map(({ path, text }) => `## ${path}\n\n${text.trim()}`);
  return ['# Project instructions', 'Where two of these differ, the later one applies.', ...parts].join('\n\n');
}
