// Extracts programs and commands from Markdown pages, so that tests run what readers copy.

/** The first TypeScript block below a heading that contains "Hello". */
export function firstProgram(markdown: string): string {
  const afterHeading = markdown.split(/^#+ .*hello.*$/im)[1];
  const program = /^```ts\n([\s\S]*?)^```$/m.exec(afterHeading ?? '')?.[1];
  if (program === undefined) throw new Error('README.md has no ```ts block below a heading that contains "Hello"');
  return program;
}

export interface ConsoleSession {
  readonly command: string;
  readonly output: string;
}

/** Every command in the ```console blocks of a page, with its output. */
export function consoleSessions(markdown: string): ConsoleSession[] {
  const blocks = [...markdown.matchAll(/```console\n([^]*?)```/g)].map(([, block = '']) => block);
  const parts = blocks.flatMap((block) => block.split(/^\$ /m).filter((part) => part !== ''));
  return parts.map((part) => {
    const [command = '', ...output] = part.split('\n');
    return { command, output: output.join('\n') };
  });
}
