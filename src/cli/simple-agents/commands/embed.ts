// `simple-agents embed`: prints the vectors of texts.

import type { Command } from 'commander';
import { SimpleAgentsError } from '../../../core/error.ts';
import { omitUndefined } from '../../../core/json.ts';
import type { Embeddings } from '../../../client/embedding.ts';
import { addModelOptions, outputOption, parsePositive, type FormatFlags, type ModelFlags } from '../../flags.ts';
import type { Invocation, Run } from '../../invocation.ts';
import { bytesOf, linesOf } from '../../terminal/input.ts';
import { write } from '../../terminal/terminal.ts';

interface EmbedFlags extends ModelFlags, FormatFlags {
  readonly dimensions?: number;
}

export function registerEmbed(program: Command, run: Run): void {
  const command = program
    .command('embed')
    .description('print the embedding vectors of texts')
    .argument('[text...]', 'the texts; without one, each line of standard input is a text');
  addModelOptions(command)
    .option('--dimensions <number>', 'the length of the vectors, if the model supports several', parsePositive)
    .addOption(outputOption())
    .addHelpText('after', examples)
    .action((texts: string[], flags: EmbedFlags) =>
      run((invocation) => embed(texts, flags, invocation), flags.output === 'json' ? 'json' : 'text'),
    );
}

const examples = `
Examples:
  simple-agents embed -m openai/text-embedding-3-small "The cat sleeps."
  simple-agents embed -m ollama/nomic-embed-text --output json "one" "two"
  simple-agents embed -m text-embedding-3-large --dimensions 256 < sentences.txt > vectors.jsonl

Each line of output is the vector of one text, as a JSON array. With --output json, the output is one JSON object with
all vectors, the model, the token count and the cost.`;

async function embed(words: readonly string[], flags: EmbedFlags, invocation: Invocation): Promise<number> {
  const { terminal, signal } = invocation;
  const input = words.length > 0 ? words : await readLines(invocation);
  const { connect } = await import('../connect.ts');
  const connection = await connect(flags, terminal);
  const { dimensions } = flags;
  // The flag's model, with its provider. The default model of the configuration is for chats.
  const model = flags.model === undefined ? undefined : connection.settings.defaultModel;
  try {
    const embeddings = await connection.client.embed(omitUndefined({ input, model, dimensions, signal }));
    await write(terminal.stdout, flags.output === 'json' ? toJson(embeddings) : toLines(embeddings));
    return 0;
  } finally {
    await connection.close();
  }
}

/** Empty lines are skipped, because providers reject them. */
async function readLines({ terminal, signal }: Invocation): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(bytesOf(undefined, { terminal, signal }))) if (line.trim() !== '') lines.push(line);
  if (lines.length > 0) return lines;
  throw new SimpleAgentsError('bad-request', 'there is no text; pass it as an argument or on standard input');
}

function toLines({ vectors }: Embeddings): string {
  return vectors.map((vector) => `${JSON.stringify(vector)}\n`).join('');
}

function toJson({ vector: _vector, ...embeddings }: Embeddings): string {
  return `${JSON.stringify(embeddings)}\n`;
}
