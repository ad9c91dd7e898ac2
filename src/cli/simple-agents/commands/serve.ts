// `simple-agents serve`: the gateway over HTTP, until it is told to stop.

import { Option, type Command } from 'commander';
import { parsePort } from '../../flags.ts';
import type { Run } from '../../invocation.ts';

export interface ServeFlags {
  readonly port?: number;
  readonly host?: string;
  readonly config?: string;
  readonly logLevel?: string;
}

export function registerServe(program: Command, run: Run): void {
  program
    .command('serve')
    .description('serve every configured model over HTTP, to OpenAI and Anthropic clients')
    .addOption(new Option('--port <number>', 'where to listen; 0 takes any free one').argParser(parsePort))
    .option('--host <address>', 'where to listen; other than this machine needs keys')
    .option('--config <file>', 'the configuration file, instead of looking for one')
    .addOption(
      new Option('--log-level <level>', 'what is written to stderr').choices([
        'debug',
        'info',
        'warn',
        'error',
        'silent',
      ]),
    )
    .addHelpText('after', examples)
    .action((flags: ServeFlags) =>
      run(async (invocation) => {
        const { serve } = await import('../serve/serve.ts');
        return serve(flags, invocation);
      }),
    );
}

const examples = `
Examples:
  simple-agents serve
  simple-agents serve --port 8080 --config gateway.toml
  OPENAI_BASE_URL=http://127.0.0.1:4000/v1 OPENAI_API_KEY=any python app.py

The first line on stdout is the address; GET / there says what to try. Changes of the file are taken up
while it runs, at SIGHUP too. Ctrl-C and SIGTERM let calls under way end; a second one ends them.`;
