// `simple-agents config`: the configuration file made, shown, changed, checked and found.

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
    .description('make, show, change and check the configuration file')
    .addHelpText('after', examples);
  const start = <Arguments extends readonly unknown[]>(
    load: Load<Arguments>,
    input: Arguments,
    format?: 'text' | 'json',
  ) => run(async (invocation) => (await load())(invocation, ...input), format);

  config
    .command('init')
    .description('write a configuration file, asking what should be in it')
    .option('--config <file>', 'where to write it, instead of ./simple-agents.toml')
    .option('-y, --yes', 'ask nothing and take what the environment offers')
    .option('--force', 'replace a file that is there')
    .action((flags: InitFlags) => start(async () => (await import('../config/init.ts')).initConfig, [flags]));
  withFile(config.command('show').description('show every setting, its value and where it comes from'))
    .addOption(outputOption())
    .action((flags: ConfigListFlags) =>
      start(async () => (await import('../config/show.ts')).showConfig, [flags], flags.output),
    );
  withFile(config.command('set').description('change one setting and leave the rest of the file as it is'))
    .argument('<setting>', 'such as client.default_model or providers.openai.model')
    .argument('<value...>', 'what it shall be; several words make a list')
    .action((setting: string, words: string[], flags: FileFlags) =>
      start(async () => (await import('../config/set.ts')).setConfig, [setting, words, flags]),
    );
  config
    .command('validate')
    .description('check a file and tell everything that is wrong in it')
    .argument('[file]', 'left out, the file that would be used')
    .action((file?: string) => start(async () => (await import('../config/validate.ts')).validateConfig, [file]));
  withFile(config.command('path').description('tell which file is used and where it is looked for'))
    .addOption(outputOption())
    .action((flags: ConfigListFlags) =>
      start(async () => (await import('../config/path.ts')).showPath, [flags], flags.output),
    );
}

function withFile(command: Command): Command {
  return command.option('--config <file>', 'the configuration file, instead of looking for one');
}

const examples = `
Examples:
  simple-agents config init
  simple-agents config show
  simple-agents config set client.default_model openai/gpt-5.4-mini
  simple-agents config set models.fast.targets openai/gpt-5.4-mini anthropic/claude-haiku-5-5
  simple-agents config validate deploy/simple-agents.toml`;
