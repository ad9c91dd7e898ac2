// `simple-agents config`: creates, shows, changes, validates and finds the configuration file.

import type { Command } from 'commander';
import { outputOption } from '../../flags.ts';
import type { Invocation, Run } from '../../invocation.ts';

export interface FileFlags {
  readonly config?: string;
}

export interface ConfigListFlags extends FileFlags {
  readonly output: 'text' | 'json';
}

export interface InitFlags extends FileFlags {
  readonly yes?: true;
  readonly force?: true;
}

type Load<Arguments extends readonly unknown[]> = () => Promise<
  (invocation: Invocation, ...input: Arguments) => Promise<number>
>;

export function registerConfig(program: Command, run: Run): void {
  const config = program
    .command('config')
    .description('create, show, change and validate the configuration file')
    .addHelpText('after', examples);
  const start = <Arguments extends readonly unknown[]>(
    load: Load<Arguments>,
    input: Arguments,
    format?: 'text' | 'json',
  ) => run(async (invocation) => (await load())(invocation, ...input), format);

  config
    .command('init')
    .description('create a configuration file interactively')
    .option('--config <file>', 'the file to create, instead of ./simple-agents.toml')
    .option('-y, --yes', 'ask no questions; use the providers in the environment')
    .option('--force', 'replace an existing file')
    .action((flags: InitFlags) => start(async () => (await import('../config/init.ts')).initConfig, [flags]));
  withFile(config.command('show').description('show every setting with its value and origin'))
    .addOption(outputOption())
    .action((flags: ConfigListFlags) =>
      start(async () => (await import('../config/show.ts')).showConfig, [flags], flags.output),
    );
  withFile(config.command('set').description('change one setting and preserve the rest of the file'))
    .argument('<setting>', 'such as client.default_model or providers.openai.model')
    .argument('<value...>', 'the new value; several arguments form a list')
    .action((setting: string, words: string[], flags: FileFlags) =>
      start(async () => (await import('../config/set.ts')).setConfig, [setting, words, flags]),
    );
  config
    .command('validate')
    .description('report every problem in a configuration file')
    .argument('[file]', 'the file to validate; by default the one in use')
    .action((file?: string) => start(async () => (await import('../config/validate.ts')).validateConfig, [file]));
  withFile(config.command('path').description('print the file in use and the searched paths'))
    .addOption(outputOption())
    .action((flags: ConfigListFlags) =>
      start(async () => (await import('../config/path.ts')).showPath, [flags], flags.output),
    );
}

function withFile(command: Command): Command {
  return command.option('--config <file>', 'the configuration file to use');
}

const examples = `
Examples:
  simple-agents config init
  simple-agents config show
  simple-agents config set client.default_model openai/gpt-5.4-mini
  simple-agents config set models.fast.targets openai/gpt-5.4-mini anthropic/claude-haiku-5-5
  simple-agents config validate deploy/simple-agents.toml`;
