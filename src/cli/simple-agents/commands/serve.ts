// `simple-agents serve`: runs the gateway as an HTTP server.

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
    .description('serve all configured models over HTTP, for OpenAI, Anthropic and Google clients')
    .addOption(new Option('--port <number>', 'port to listen on; 0 selects a free port').argParser(parsePort))
    .option('--host <address>', 'address to listen on; one that other machines can reach requires keys')
    .option('--config <file>', 'the configuration file to use')
    .addOption(
      new Option('--log-level <level>', 'minimum level of the log on stderr').choices([
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

The first line on stdout is the address; GET / on it shows commands to try. The server reloads the configuration
when the file changes and on SIGHUP. On Ctrl-C or SIGTERM it waits for calls in progress; a second one stops them.`;
