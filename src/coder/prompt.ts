// What the coding agent is told before anything else: where it is, how it works, and what the project says of itself.
// Pure: whoever composes the agent has looked at the machine (see instructions.ts for the project's own files).

export interface PromptEnvironment {
  readonly cwd: string;
  /** As `process.platform` calls it. */
  readonly platform: string;
  /** The day, as `2026-11-16`. */
  readonly date: string;
  /** The branch, where the folder is in a repository. */
  readonly git?: { readonly branch: string };
  /** How Bash is held, in words: `no network, only the workspace can be written`. */
  readonly sandbox?: string;
}

/** A file of the project that speaks to agents. */
export interface Instructions {
  /** As the model shall call it. */
  readonly path: string;
  readonly text: string;
}

const role =
  'You are forgeflare, a coding agent in a terminal. You help with software engineering: you read code, change it, run ' +
  'commands and report what you did. You act through tools; what you write besides is shown to the user as plain text.';

const workflow = `# How you work
- Read before you edit: look at a file with Read before you change it, and at its neighbours before you add one.
- Search first: find names and places with Grep and Glob instead of guessing them. Independent looks go in one answer.
- Make minimal changes: what was asked for and no more, in the style of the code around it. Edit needs text that stands in the file exactly once, or replace_all.
- Verify: after a change run the tests or the program, and read what they say. Say so when you could not.
- Be careful with Bash: nothing destructive without being asked to, no commands that wait for input, no secrets. Read, Glob and Grep look; Bash runs.
- Analyse errors: read the whole message, find the cause, and change something before you try again. A tool that was refused was refused for a reason: find another way or ask.
- Be brief: end with what you changed and how you know that it works. Name places as path:line.`;

export function toSystemPrompt(environment: PromptEnvironment, instructions: readonly Instructions[] = []): string {
  const sections = [role, describeEnvironment(environment), workflow];
  if (instructions.length > 0) sections.push(quote(instructions));
  return sections.join('\n\n');
}

function describeEnvironment({ cwd, platform, date, git, sandbox }: PromptEnvironment): string {
  const lines = [
    '# Environment',
    `- Working directory: ${cwd}`,
    `- Platform: ${platform}`,
    `- Date: ${date}`,
    `- Git: ${git === undefined ? 'not a repository' : `branch ${git.branch}`}`,
  ];
  if (sandbox !== undefined) lines.push(`- Bash: ${sandbox}`);
  return lines.join('\n');
}

/** The nearest file comes last, for it goes before the others. */
function quote(instructions: readonly Instructions[]): string {
  const parts = instructions.map(({ path, text }) => `## ${path}\n\n${text.trim()}`);
  return ['# What this project says', 'Where two of these differ, the later one holds.', ...parts].join('\n\n');
}
