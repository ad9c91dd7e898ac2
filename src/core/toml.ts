// Parses the text of a TOML file. The parser is loaded only when there is a file to parse.

import { SimpleAgentsError } from './error.ts';

/** `shown` is the file's name in messages. Throws `configuration` with the position of a mistake. */
export async function parseToml(text: string, shown: string): Promise<Record<string, unknown>> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [summary = ''] = error.message.split('\n', 1);
    const reason = summary.replace('Invalid TOML document: ', '');
    const place = `${shown}:${error.line}:${error.column}`;
    // Not kept as the cause, because the parser's error quotes the surrounding lines.
    throw new SimpleAgentsError('configuration', `${place}: not valid TOML: ${reason}`);
  }
}
