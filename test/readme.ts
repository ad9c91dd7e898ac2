// The programs the README shows, so that tests run what readers copy.

/** The first TypeScript block below a heading that contains "Hello". */
export function firstProgram(markdown: string): string {
  const afterHeading = markdown.split(/^#+ .*hello.*$/im)[1];
  const program = /^```ts\n([\s\S]*?)^```$/m.exec(afterHeading ?? '')?.[1];
  if (program === undefined) throw new Error('README.md has no ```ts block below a heading that contains "Hello"');
  return program;
}
