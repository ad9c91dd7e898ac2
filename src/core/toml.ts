// The text of a TOML file as plain data. The parser is loaded only when there is a file to parse.

import { SimpleAgentsError } from './error.ts';

/** `shown` is what messages call the file. Throws `configuration` with the place of a mistake. */
export async function parseToml(text: string, shown: string): Promise<Record<string, unknown>> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [summary = ''] = error.message.split('\n', 1);
    const reason = summary.replace('Invalid TOML document: ', '');
    const place = `${shown}:${error.line}:${error.column}`;
    // Not kept as the cause: the parser's error quotes the lines around.
    throw new SimpleAgentsError('configuration', `${place}: not valid TOML: ${reason}`);
  }
}
